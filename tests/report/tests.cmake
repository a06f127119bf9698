wb_test(test_report_write wb_report_write PkgConfig::JANSSON)
wb_test(test_source_text wb_report_write)
wb_test(test_layers wb_report)
wb_test(test_schedule wb_report)
wb_test(test_schedule_trace wb_report PkgConfig::JANSSON)
wb_test(test_path_report wb_report PkgConfig::JANSSON)
wb_test(test_svg_chart wb_report)
wb_test(test_schema_names wb_wings PkgConfig::JANSSON)
wb_test(test_assumption_ids wb_report)
wb_test(test_analyzer wb_report PkgConfig::JANSSON)
wb_test(test_all_methods wb_wings)
wb_test(test_certificates wb_report)
wb_test(test_certificate_subjects wb_report)
wb_test(test_code_certificates wb_report)
wb_test(test_held_certificates wb_report)
foreach(test test_certificates test_certificate_subjects test_code_certificates
             test_held_certificates test_covering_grids)
  target_compile_definitions(${test} PRIVATE WB_CHECKER="$<TARGET_FILE:warpbound-check>")
  add_dependencies(${test} warpbound-check)
endforeach()
foreach(program extracted_cases extracted_certificates extracted_code)
  add_executable(${program} report/${program}.c)
  target_compile_definitions(${program} PRIVATE _GNU_SOURCE)
  target_link_libraries(${program} PRIVATE test_support wb_report)
endforeach()

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME followed COMMAND ${Python3_EXECUTABLE} -B tests/report/followed_test.py
                               $<TARGET_FILE:warpbound_cli> $<TARGET_FILE:warpbound-check>
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

# docs/certificates.md says truly on which files of check/ a claim rests.
if(NOT WB_SANITIZE)
  add_test(NAME check_files COMMAND ${Python3_EXECUTABLE} -B tests/report/check_files_test.py
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()
