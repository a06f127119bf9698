wb_test(test_launch wb_launch)
wb_test(test_fields wb_launch)
wb_test(test_facts wb_launch)
wb_test(test_ptxas_info wb_launch)
