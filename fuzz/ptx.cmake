wb_fuzz(fuzz_ptx wb_ptx)
target_include_directories(fuzz_ptx PRIVATE ${PROJECT_SOURCE_DIR}/tests)
