# Manual pages and completions, as they are installed. Sanitizers have nothing to find in texts.
if(NOT WB_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(name manual completion)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B tests/manual/${name}_test.py
             $<TARGET_FILE:warpbound_cli> ${PROJECT_BINARY_DIR}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endforeach()
  set_tests_properties(completion PROPERTIES ENVIRONMENT WB_WINGS=${wing_names})
endif()
