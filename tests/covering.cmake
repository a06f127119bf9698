# Random kernels against what is said of them without running them.
wb_test(test_random_kernels wb_bound)
target_sources(test_random_kernels PRIVATE covering_check.c random_block.c random_kernel.c random_kernel_control.c
               random_kernel_statement.c)
