# cmake -D PREFIX=DIR -P uninstall.cmake: removes what an installation below PREFIX (and DESTDIR)
# lists, and of its folders those that are its own, called warpbound, and empty.
set(root "$ENV{DESTDIR}${PREFIX}")
set(list "${root}/share/warpbound/installed-files")
if(NOT EXISTS "${list}")
  message(FATAL_ERROR "nothing to uninstall: there is no ${list}")
endif()

set(folders "")
file(STRINGS "${list}" files)
foreach(file IN LISTS files)
  file(REMOVE "${root}/${file}")
  get_filename_component(folder "${file}" DIRECTORY)
  while(folder MATCHES "(^|/)warpbound(/|$)")
    list(APPEND folders "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()

# A folder sorts behind the one that it is in.
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)
foreach(folder IN LISTS folders)
  file(REMOVE_RECURSE "${root}/${folder}/__pycache__") # which Python makes beside its modules
  execute_process(COMMAND rmdir "${root}/${folder}" OUTPUT_QUIET ERROR_QUIET) # only of an empty one
endforeach()
