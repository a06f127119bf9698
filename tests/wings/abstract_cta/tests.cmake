wb_test(test_acta_warp wb_wings)
wb_test(test_acta_simulate wb_wings)
wb_test(test_acta_turns wb_wings)
wb_cli_test(test_cli_abstract)
