# The command itself, its main called by the target: from the project's folder, into which its seeds
# look.
set(fuzz_limits -runs=300 -max_len=65536)
wb_fuzz(fuzz_command warpbound_command warpbound PkgConfig::JANSSON)
target_sources(fuzz_command PRIVATE command_results.c ${PROJECT_SOURCE_DIR}/src/cli/main.c)
target_include_directories(fuzz_command PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(fuzz_command PRIVATE WB_PROJECT="${PROJECT_SOURCE_DIR}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cli/main.c
                            PROPERTIES COMPILE_DEFINITIONS main=warpbound_main
                            COMPILE_OPTIONS -Wno-missing-prototypes)
