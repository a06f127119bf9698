# The material for qualification: its pages name what there is, and the matrix is what its sources
# say; the report of `make qualify`, of a project made for that and of a few tests of this one.
if(NOT WB_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME qualification COMMAND ${Python3_EXECUTABLE} -B tests/qualification/pages_test.py
           ${PROJECT_BINARY_DIR}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME qualification_report
           COMMAND ${Python3_EXECUTABLE} -B tests/qualification/report_test.py ${PROJECT_BINARY_DIR}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
