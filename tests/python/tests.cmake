# The Python module over the shared library, with the python3 that there is.
find_package(Python3 COMPONENTS Interpreter)
if(TARGET warpbound_shared AND Python3_Interpreter_FOUND)
  add_test(NAME python_module COMMAND ${Python3_EXECUTABLE} -B tests/python/module_test.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(
    python_module
        PROPERTIES ENVIRONMENT "WARPBOUND_LIBRARY=$<TARGET_SONAME_FILE:warpbound_shared>;\
WARPBOUND_COMMAND=$<TARGET_FILE:warpbound_cli>;WB_WINGS=${wing_names}")
endif()
