# Writes manual pages and completions to FOLDER, as PROGRAM prints them; that of the library says
# what HEADERS say (separated by commas). With GZIP the pages are compressed.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man1 ${FOLDER}/man3 ${FOLDER}/completions)

# write(FILE ARGUMENT...): what the program prints, in a file.
function(write file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${FOLDER}/${file}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

write(man1/warpbound.1 manual)
file(READ ${FOLDER}/man1/warpbound.1 page)
string(REGEX MATCHALL "\n\\.TP\n\\.BR warpbound\\\\-[a-z]+" commands "${page}")
foreach(command ${commands})
  string(REGEX REPLACE ".*-" "" command ${command})
  write(man1/warpbound-${command}.1 manual ${command})
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/warpbound-check.1.in ${FOLDER}/man1/warpbound-check.1
               @ONLY)

string(REPLACE "," ";" HEADERS ${HEADERS})
execute_process(COMMAND ${AWK} -v version=${VERSION} -f ${CMAKE_CURRENT_LIST_DIR}/libwarpbound.awk
                ${HEADERS}
                OUTPUT_FILE ${FOLDER}/man3/libwarpbound.3 COMMAND_ERROR_IS_FATAL ANY)
if(GZIP) # as Debian has them: the same bytes whenever they are made
  file(GLOB pages ${FOLDER}/man*/*)
  execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()

write(completions/warpbound completion bash)
write(completions/_warpbound completion zsh)
write(completions/warpbound.fish completion fish)
file(TOUCH ${FOLDER}/written)
