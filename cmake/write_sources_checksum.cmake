# Writes the C file OUTPUT, which defines wb_build: a checksum of the files in LIST, by their names
# relative to FOLDER, and of SOLVERS, which says which libraries are there that methods need.
file(STRINGS ${LIST} files)
set(sums "${SOLVERS}\n")
foreach(file IN LISTS files)
  file(SHA256 ${file} sum)
  file(RELATIVE_PATH name ${FOLDER} ${file})
  string(APPEND sums "${name} ${sum}\n")
endforeach()
string(SHA256 sum "${sums}")
string(SUBSTRING ${sum} 0 12 sum)
file(WRITE ${OUTPUT}
     "#include \"warpbound.h\"\n\nconst char *wb_build(void) {\n    return \"${sum}\";\n}\n")
