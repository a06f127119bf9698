wb_fuzz(fuzz_values wb_report)
