# What `make install` installs, used by programs of others, and `make uninstall`.
if(TARGET warpbound_shared)
  find_program(PKG_CONFIG_COMMAND pkg-config REQUIRED)
  add_test(NAME installed
           COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} PKG_CONFIG=${PKG_CONFIG_COMMAND}
               CMAKE=${CMAKE_COMMAND}
                   sh tests/install/installed.sh ${PROJECT_BINARY_DIR} ${PROJECT_VERSION}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
