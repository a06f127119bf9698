wb_test(test_types wb_report_flow NEEDS DW_FOUND)
