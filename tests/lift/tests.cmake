wb_test(test_integer_code wb_warp)
