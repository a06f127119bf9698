wb_fuzz(fuzz_block test_support wb_bound)
wb_fuzz(fuzz_trace wb_bound)
wb_fuzz(fuzz_grid wb_report)
wb_fuzz(fuzz_cover test_support wb_bound)
