wb_test(test_integer_code wb_warp)
wb_test(test_logic_code wb_warp)
wb_test(test_float_code wb_warp)
wb_test(test_refinement wb_base)
