# Random kernels against what is said of them without running them.
set(random_kernel_sources covering_check.c random_block.c random_kernel.c random_kernel_control.c
                          random_kernel_statement.c random_trial.c)
wb_test(test_random_kernels wb_bound)
target_sources(test_random_kernels PRIVATE ${random_kernel_sources})
wb_test(test_random_covering wb_bound)
target_sources(test_random_covering PRIVATE ${random_kernel_sources})
wb_test(test_covering_kernels wb_bound)
target_sources(test_covering_kernels PRIVATE covering_check.c kernel_index.c kernel_suite.c)
wb_test(test_covering_random_flow wb_bound)
target_sources(test_covering_random_flow PRIVATE covered_execution.c covering_check.c random_block.c random_flow.c)
wb_test(test_covering_executions wb_bound)
target_sources(test_covering_executions PRIVATE covered_execution.c)
