wb_fuzz(fuzz_block test_support wb_bound)
wb_fuzz(fuzz_trace wb_bound)
wb_fuzz(fuzz_cover test_support wb_bound)
wb_fuzz(fuzz_recorded wb_bound wb_lift)
target_compile_definitions(fuzz_recorded PRIVATE WB_FUZZ_PROJECT="${PROJECT_SOURCE_DIR}")
set(fuzz_limits -runs=1000 -max_len=8192) # each is an analysis and simulations
wb_fuzz(fuzz_code_times wb_bound wb_lift)
target_compile_definitions(fuzz_code_times PRIVATE WB_FUZZ_PROJECT="${PROJECT_SOURCE_DIR}")
