# The command as a user runs it.
add_executable(test_cli test_cli.c)
target_compile_definitions(test_cli PRIVATE _GNU_SOURCE WB_COMMAND="$<TARGET_FILE:warpbound_cli>")
target_link_libraries(test_cli PRIVATE PkgConfig::CMOCKA PkgConfig::JANSSON)
add_test(NAME test_cli COMMAND test_cli WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
