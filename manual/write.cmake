# Writes manual pages and completions to FOLDER, as PROGRAM prints them.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man1 ${FOLDER}/completions)

# write(FILE ARGUMENT...): what the program prints, in a file.
function(write file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

write(man1/warpbound.1 manual)
file(READ ${FOLDER}/man1/warpbound.1 page)
string(REGEX MATCHALL "\n\\.TP\n\\.BR warpbound\\\\-[a-z]+" commands "${page}")
foreach(command ${commands})
  string(REGEX REPLACE ".*-" "" command ${command})
  write(man1/warpbound-${command}.1 manual ${command})
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/warpbound-check.1.in ${FOLDER}/man1/warpbound-check.1 @ONLY)

write(completions/warpbound completion bash)
write(completions/_warpbound completion zsh)
write(completions/warpbound.fish completion fish)
file(TOUCH ${FOLDER}/written)
