wb_test(test_flow_graph wb_flow)
wb_test(test_flow_ptx wb_flow)
wb_test(test_flow_report wb_report)
