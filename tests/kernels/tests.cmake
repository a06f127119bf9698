# The kernels of kernels/ against their C references, and their simulations against their bounds.
wb_test(test_kernels wb_report)
wb_test(test_kernel_bounds wb_report)
wb_test(test_shorter wb_report)
wb_test(test_grid_kernels wb_warp)
wb_test(test_gpu_kernels wb_report)
wb_test(test_divergence_kernels wb_warp)
wb_test(test_loop_bounds_kernels wb_warp)
wb_test(test_kernel_bounds_grids wb_report)
