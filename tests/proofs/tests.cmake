# What pages say is checked by Coq is a theorem of proofs/, and one page names every theorem. Needs
# no Coq.
if(NOT WB_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME proofs_named COMMAND ${Python3_EXECUTABLE} -B tests/proofs/names_test.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
