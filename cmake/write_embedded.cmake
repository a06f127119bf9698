# Writes FILES as byte arrays into the C file OUTPUT, as `const struct embedded_file NAME[]`, which
# HEADER declares.
set(arrays "")
set(entries "")
set(index 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char bytes_${index}[] = {${bytes}0};\n")
  string(APPEND entries
         "    {\"${name}\", (const char *)bytes_${index}, sizeof bytes_${index} - 1},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\n\n${arrays}\n"
     "const struct embedded_file ${NAME}[] = {\n${entries}    {0, 0, 0},\n};\n")
