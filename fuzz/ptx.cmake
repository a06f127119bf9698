wb_fuzz(fuzz_ptx test_support wb_lift)
