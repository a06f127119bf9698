wb_test(test_launch wb_launch)
