wb_test(test_schedule wb_report)
