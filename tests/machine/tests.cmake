wb_test(test_yaml wb_base)
wb_test(test_machine wb_machine)
wb_test(test_sass_machine wb_machine)
wb_test(test_occupancy wb_machine)
