# Random kernels against what is said of them without running them.
wb_test(test_random_kernels wb_bound)
wb_test(test_library_loops wb_bound)
wb_test(test_random_covering wb_bound)
wb_test(test_covering_kernels wb_bound)
wb_test(test_covering_random_flow wb_bound)
wb_test(test_covering_executions wb_bound)
wb_test(test_covering_grids wb_report)
