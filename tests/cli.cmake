# The command as a user runs it.
function(wb_cli_test name)
  wb_test(${name} PkgConfig::JANSSON)
  target_sources(${name} PRIVATE run_cli.c)
  target_compile_definitions(${name} PRIVATE WB_COMMAND="$<TARGET_FILE:warpbound_cli>")
  add_dependencies(${name} warpbound_cli)
endfunction()
wb_cli_test(test_cli)
wb_cli_test(test_cli_makespan)
