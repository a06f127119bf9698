# A driver without a GPU, and NVML in the same library under its other name.
file(GLOB stand_in CONFIGURE_DEPENDS ${part}/stand_in/*.c)
add_library(stand_in SHARED ${stand_in})
target_compile_definitions(stand_in PRIVATE _GNU_SOURCE)
target_include_directories(stand_in PRIVATE ${part}/stand_in)
target_link_libraries(stand_in PRIVATE wb_warp_trace)
target_link_options(stand_in PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
set_target_properties(stand_in PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
                      C_VISIBILITY_PRESET hidden
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/stand-in)
add_custom_command(TARGET stand_in POST_BUILD
                   COMMAND ${CMAKE_COMMAND} -E create_symlink libcuda.so.1 libnvidia-ml.so.1
                   WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/tests/stand-in)

# Machine code of the probes, of which half is zeros.
set(probes ${CMAKE_CURRENT_SOURCE_DIR}/${part}/data/probes.sm_87.cubin.gz)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${probes})
execute_process(COMMAND gzip -dc ${probes} COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_FILE ${PROJECT_BINARY_DIR}/tests/probes.sm_87.cubin)

wb_cli_test(test_cli_measure)
wb_cli_test(test_cli_calibrate_gpu)
foreach(test IN ITEMS test_cli_measure test_cli_calibrate_gpu)
  target_compile_definitions(${test} PRIVATE WB_STAND_IN="$<TARGET_FILE:stand_in>")
  target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/include
                                             ${PROJECT_SOURCE_DIR}/src)
  add_dependencies(${test} stand_in)
endforeach()
set_property(TEST json_schema APPEND PROPERTY ENVIRONMENT WB_STAND_IN=$<TARGET_FILE:stand_in>)
wb_test(test_probes wb_wings_device)
foreach(test IN ITEMS test_probes test_cli_calibrate_gpu)
  target_compile_definitions(${test} PRIVATE
                             WB_PROBES="${PROJECT_BINARY_DIR}/tests/probes.sm_87.cubin")
endforeach()
