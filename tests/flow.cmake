wb_test(test_flow_graph wb_flow)
