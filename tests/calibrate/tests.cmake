wb_test(test_calibrate wb_calibrate)
