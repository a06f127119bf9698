# Machine code against the PTX that it was made from.
wb_test(test_kernel_machine_code wb_lift wb_warp)
wb_test(test_random_machine_code wb_lift wb_warp)
wb_test(test_executed wb_lift wb_warp)
wb_test(test_lane_time wb_analyze)
wb_test(test_stalls wb_analyze)
add_executable(write_sample machine_code/write_sample.c)
target_compile_definitions(write_sample PRIVATE _GNU_SOURCE)
target_link_libraries(write_sample PRIVATE test_support wb_lift wb_warp)
