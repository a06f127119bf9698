wb_test(test_recording wb_record)
if(NOT TARGET stand_in) # of the wing device
  return()
endif()
foreach(client record_client record_client_linked)
  add_executable(${client} ${part}/record_client.c)
  target_compile_definitions(${client} PRIVATE _GNU_SOURCE)
  target_link_libraries(${client} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
target_compile_definitions(record_client_linked PRIVATE LINKED)
target_link_libraries(record_client_linked PRIVATE -Wl,--no-as-needed stand_in)

wb_cli_test(test_cli_record)
target_compile_definitions(test_cli_record PRIVATE WB_STAND_IN="$<TARGET_FILE:stand_in>"
                           WB_CLIENT="$<TARGET_FILE:record_client>"
                           WB_CLIENT_LINKED="$<TARGET_FILE:record_client_linked>")
add_dependencies(test_cli_record stand_in record_client record_client_linked)
