wb_test(test_path wb_warp)
