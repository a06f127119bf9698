wb_fuzz(fuzz_cubin test_support wb_lift)
