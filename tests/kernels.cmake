# The kernels of kernels/ against their C references, and their simulations against their bounds.
wb_test(test_kernels wb_report)
target_sources(test_kernels PRIVATE kernel_index.c kernel_references.c kernel_references_rodinia.c
               kernel_suite.c)
wb_test(test_kernel_bounds wb_report)
target_sources(test_kernel_bounds PRIVATE kernel_index.c kernel_suite.c)
wb_test(test_shorter wb_report)
target_sources(test_shorter PRIVATE kernel_index.c kernel_suite.c)
wb_test(test_grid_kernels wb_warp)
target_sources(test_grid_kernels PRIVATE kernel_index.c kernel_suite.c grid_check.c)
wb_test(test_gpu_kernels wb_report)
target_sources(test_gpu_kernels PRIVATE kernel_index.c kernel_suite.c random_policy.c)
wb_test(test_divergence_kernels wb_warp)
target_sources(test_divergence_kernels PRIVATE kernel_index.c kernel_suite.c divergence_support.c)
