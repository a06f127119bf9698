wb_test(test_sweep_results wb_report)
