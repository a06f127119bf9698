# Writes WB_LIST, the files that were just installed below the prefix, as paths from it.
set(lines "")
foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
  file(RELATIVE_PATH path "${CMAKE_INSTALL_PREFIX}" "${file}")
  string(APPEND lines "${path}\n")
endforeach()
file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${WB_LIST}" "${lines}${WB_LIST}\n")
