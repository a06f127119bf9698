wb_test(test_task wb_task)
wb_cli_test(test_cli_task)
wb_test(test_shared wb_task)
add_test(NAME task_exports COMMAND ${Python3_EXECUTABLE} -B tests/wings/task/exports_test.py
         $<TARGET_FILE:warpbound_cli> WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
