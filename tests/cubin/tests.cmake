wb_test(test_cubin_kernels wb_cubin)
wb_test(test_cubin_damaged wb_cubin)
wb_test(test_cubin_lines wb_cubin)
