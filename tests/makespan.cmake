# Every test of the makespan methods uses makespan_cases.c.
function(wb_makespan_test name)
  wb_test(${name} wb_makespan)
  target_sources(${name} PRIVATE makespan_cases.c ${ARGN})
endfunction()
wb_makespan_test(test_makespan)
wb_makespan_test(test_makespan_inputs)
wb_makespan_test(test_makespan_witness)
wb_makespan_test(test_makespan_path kernel_index.c kernel_suite.c)
