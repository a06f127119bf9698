# The command as a user runs it.
add_library(run_cli OBJECT cli/run_cli.c)
target_compile_definitions(run_cli PRIVATE _GNU_SOURCE
                                   PUBLIC WB_COMMAND="$<TARGET_FILE:warpbound_cli>")
target_include_directories(run_cli PUBLIC cli)
target_link_libraries(run_cli PRIVATE test_support PkgConfig::CMOCKA PkgConfig::JANSSON)
function(wb_cli_test name)
  wb_test(${name} run_cli PkgConfig::JANSSON)
  add_dependencies(${name} warpbound_cli)
endfunction()
wb_cli_test(test_cli)
wb_cli_test(test_cli_gpu)
wb_cli_test(test_cli_facts)
wb_cli_test(test_cli_init)
wb_cli_test(test_cli_covering)
wb_cli_test(test_cli_stream)
wb_cli_test(test_cli_occupancy)
wb_cli_test(test_cli_cubin)
wb_cli_test(test_cli_program)
wb_cli_test(test_cli_fields)
wb_cli_test(test_cli_calibrate)
wb_cli_test(test_cli_compile)
wb_cli_test(test_cli_deadline)
wb_cli_test(test_cli_verdict)
wb_cli_test(test_cli_kernel)
wb_cli_test(test_cli_examples)
wb_cli_test(test_cli_pages)
wb_cli_test(test_cli_report)
wb_cli_test(test_cli_options)
wb_cli_test(test_cli_files)
wb_cli_test(test_cli_lines)

# What it writes as JSON, against docs/schema.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME json_schema COMMAND ${Python3_EXECUTABLE} -B tests/cli/schema_test.py
         $<TARGET_FILE:warpbound_cli>
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

# What gates in CI read of it.
add_test(NAME ci_gate COMMAND ${Python3_EXECUTABLE} -B tests/cli/gate_test.py
         $<TARGET_FILE:warpbound_cli>
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

# Names that attack whoever reads them, in all that it writes.
add_test(NAME names COMMAND ${Python3_EXECUTABLE} -B tests/cli/names_test.py
         $<TARGET_FILE:warpbound_cli>
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(names json_schema ci_gate PROPERTIES ENVIRONMENT WB_WINGS=${wing_names})

# The command and the library with methods that lie, and what catches them.
if(TARGET warpbound_shared)
  get_property(folders GLOBAL PROPERTY WB_FOLDERS)
  add_library(warpbound_lying SHARED cli/lying_methods.c)
  foreach(wing IN LISTS wings)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/wings/${wing}/lying_methods.c)
      target_sources(warpbound_lying PRIVATE wings/${wing}/lying_methods.c)
    endif()
  endforeach()
  target_include_directories(warpbound_lying
                             PUBLIC $<TARGET_PROPERTY:warpbound,INTERFACE_INCLUDE_DIRECTORIES>
                             PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/src)
  target_link_options(warpbound_lying PRIVATE -Wl,--allow-multiple-definition)
  target_link_libraries(warpbound_lying PRIVATE -Wl,--whole-archive ${folders}
                        -Wl,--no-whole-archive)
  add_executable(warpbound_cli_lying ${PROJECT_SOURCE_DIR}/src/cli/main.c)
  target_compile_definitions(warpbound_cli_lying PRIVATE _GNU_SOURCE)
  target_link_libraries(warpbound_cli_lying PRIVATE warpbound_command warpbound_lying m)
  # The first of two definitions counts.
  add_library(lying_checker OBJECT cli/lying_checker.c)
  target_include_directories(lying_checker PRIVATE ${PROJECT_SOURCE_DIR}/check)
  add_executable(warpbound_check_lying
                 $<TARGET_OBJECTS:lying_checker> $<TARGET_OBJECTS:warpbound_check>
                 ${PROJECT_SOURCE_DIR}/check/main.c)
  target_link_options(warpbound_check_lying PRIVATE -Wl,--allow-multiple-definition)
  add_test(NAME contradiction COMMAND ${Python3_EXECUTABLE} -B tests/cli/contradiction_test.py
           $<TARGET_FILE:warpbound_cli_lying> $<TARGET_FILE:warpbound_lying>
               $<TARGET_FILE:warpbound_check_lying>
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(contradiction PROPERTIES ENVIRONMENT WB_WINGS=${wing_names})
endif()

# The command in a program that has set a locale, as a program that links the library may.
add_executable(warpbound_in_locale ${PROJECT_SOURCE_DIR}/src/cli/main.c cli/set_locale.c)
target_compile_definitions(warpbound_in_locale PRIVATE _GNU_SOURCE)
target_link_libraries(warpbound_in_locale PRIVATE warpbound_command warpbound)
wb_cli_test(test_locale)
target_compile_definitions(test_locale
                           PRIVATE WB_COMMAND_IN_LOCALE="$<TARGET_FILE:warpbound_in_locale>"
                                               WB_LIBRARY="$<TARGET_FILE:warpbound>")
add_dependencies(test_locale warpbound_in_locale)
wb_cli_test(test_cli_waits)
target_link_libraries(test_cli_waits PRIVATE wb_lift)
wb_cli_test(test_cli_limits)
wb_test(test_progress_lines warpbound)
target_include_directories(test_progress_lines PRIVATE ${PROJECT_SOURCE_DIR}/src/cli)

# Calls the command's main function, with allocation functions of its own, which sanitizers have,
# too.
if(NOT WB_SANITIZE)
  add_library(test_command OBJECT ${PROJECT_SOURCE_DIR}/src/cli/main.c)
  target_include_directories(test_command
                             PRIVATE $<TARGET_PROPERTY:warpbound,INTERFACE_INCLUDE_DIRECTORIES>
                                                  ${PROJECT_SOURCE_DIR}/src/cli)
  target_compile_definitions(test_command PRIVATE _GNU_SOURCE main=warpbound_main)
  target_compile_options(test_command PRIVATE -Wno-missing-prototypes)
  wb_test(test_failing_allocation test_command warpbound_command warpbound)
endif()
