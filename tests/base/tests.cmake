wb_test(test_base wb_base)
wb_test(test_wheel wb_base)
wb_test(test_arena wb_base)
target_link_options(test_arena PRIVATE -Wl,--wrap=calloc)
