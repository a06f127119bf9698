# What the repeated experiments of a paper rest on.
wb_test(test_statistics m)
target_sources(test_statistics PRIVATE ${PROJECT_SOURCE_DIR}/reproduce/ecrts2025/statistics.c)
target_include_directories(test_statistics PRIVATE ${PROJECT_SOURCE_DIR}/reproduce/ecrts2025)
wb_test(test_reproduce_sgemm wb_warp)
# The tables of `make bench-tightness`; and one kernel of it, which fails when an execution is above
# what is proven.
wb_test(test_tightness wb_report m)
target_sources(test_tightness PRIVATE ${PROJECT_SOURCE_DIR}/bench/tightness/sweep.c
                                      ${PROJECT_SOURCE_DIR}/bench/tightness/measure.c
                                      ${PROJECT_SOURCE_DIR}/bench/tightness/tables.c)
target_include_directories(test_tightness PRIVATE ${PROJECT_SOURCE_DIR}/bench/tightness)
add_test(NAME tightness COMMAND tightness --machines ecrts2025-orin/4 --sms 1,2 --kernels vecadd
         --means
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
