wb_fuzz(fuzz_block wb_bound)
wb_fuzz(fuzz_trace wb_bound)
wb_fuzz(fuzz_grid wb_report)
