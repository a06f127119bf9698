wb_test(test_costs wb_cost)
wb_test(test_chains wb_cost)
wb_test(test_kernel_costs wb_analyze)
wb_test(test_critical_chain wb_cost)
