wb_test(test_segment_times wb_wings)
wb_test(test_memory_bounds wb_wings)
wb_test(test_memory_bound_values wb_wings)
wb_cli_test(test_cli_order)
