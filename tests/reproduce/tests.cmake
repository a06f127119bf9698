# What the repeated experiments of a paper rest on.
wb_test(test_statistics m)
target_sources(test_statistics PRIVATE ${PROJECT_SOURCE_DIR}/reproduce/ecrts2025/statistics.c)
target_include_directories(test_statistics PRIVATE ${PROJECT_SOURCE_DIR}/reproduce/ecrts2025)
wb_test(test_reproduce_sgemm wb_warp)
wb_test(test_reproduce_makespan reproduce_common)
