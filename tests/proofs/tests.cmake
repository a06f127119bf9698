# What pages say is checked by Coq is a theorem of proofs/, one page names every theorem, and the
# one that no example reaches is found. Needs no Coq.
if(NOT WB_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME proofs_named COMMAND ${Python3_EXECUTABLE} -B tests/proofs/names_test.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME proofs_examples COMMAND ${Python3_EXECUTABLE} -B tests/proofs/examples_test.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # Some rows of the table of first numbers; `make proofs` has all.
  add_test(NAME first_numbers COMMAND scripts/proofs-first-numbers --every 73
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(first_numbers PROPERTIES ENVIRONMENT "WB_BUILD=${PROJECT_BINARY_DIR};JOBS=1")
endif()
