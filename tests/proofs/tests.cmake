# What pages say is checked by Coq is a theorem of proofs/, one page names every theorem, and the
# one that no example reaches is found. Needs no Coq.
if(NOT WB_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME proofs_named COMMAND ${Python3_EXECUTABLE} -B tests/proofs/names_test.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME proofs_examples COMMAND ${Python3_EXECUTABLE} -B tests/proofs/examples_test.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
