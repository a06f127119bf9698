# Papers on kernel instruction strings.
add_library(reproduce_makespan STATIC example.c)
target_compile_definitions(reproduce_makespan PRIVATE _GNU_SOURCE)
target_link_libraries(reproduce_makespan PUBLIC reproduce_common wb_makespan)
foreach(paper ecrts2012 etfa2013)
  wb_reproduce(${paper})
  target_link_libraries(reproduce_${paper} PRIVATE reproduce_makespan)
endforeach()
