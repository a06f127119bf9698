# Files that the library carries inside itself.

# wb_embed_files(VARIABLE PATTERN ...): sets VARIABLE to a generated C file that defines
#     const struct embedded_file embedded_VARIABLE[]  (base/files.h), sorted by name, ended by a
#     NULL name
# with one entry per file that matches a PATTERN, named without directory and extension.
function(wb_embed_files variable)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  list(SORT files COMPARE FILE_BASENAME)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${variable}.c)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D "FILES=${files}" -D OUTPUT=${output} -D NAME=embedded_${variable}
            -D HEADER=base/files.h
            -P ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    VERBATIM)
  set(${variable} ${output} PARENT_SCOPE)
endfunction()
