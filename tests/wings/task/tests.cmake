wb_test(test_task wb_task)
wb_cli_test(test_cli_task)
wb_test(test_shared wb_task)
