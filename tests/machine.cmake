wb_test(test_yaml wb_base)
wb_test(test_machine wb_machine)
wb_test(test_machine_import wb_machine)
wb_test(test_machine_gpgpusim wb_machine)
