# The library as a program uses it; the first two look behind it, too.
wb_test(test_analyze wb_wings)
wb_test(test_inputs wb_analyze)
wb_test(test_shares wb_analyze)
wb_test(test_waiting_loops warpbound)

# The example of docs/library.md with the flags of the installed warpbound.pc, and the names that
# the installed library has: its own alone (and OpenMP's locks).
if(CMAKE_OBJCOPY AND NOT WB_SANITIZE AND NOT WB_FUZZ)
  find_program(PKG_CONFIG_COMMAND pkg-config REQUIRED)
  add_test(NAME library_installed
           COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} PKG_CONFIG=${PKG_CONFIG_COMMAND}
               CMAKE=${CMAKE_COMMAND}
                   sh tests/analyze/library_installed.sh ${PROJECT_BINARY_DIR}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
