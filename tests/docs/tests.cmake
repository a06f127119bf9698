# The site of `make docs`: its navigation, its links, and the commands of its pages.
if(NOT WB_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME pages COMMAND ${Python3_EXECUTABLE} -B tests/docs/pages_test.py
                              $<TARGET_FILE:warpbound_cli> $<TARGET_FILE:warpbound-check>
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(pages PROPERTIES COST 10)
endif()
