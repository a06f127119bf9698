wb_test(test_path wb_warp)
wb_test(test_interpreter_int wb_warp)
wb_test(test_interpreter_float wb_warp)
wb_test(test_block_timing wb_warp)
