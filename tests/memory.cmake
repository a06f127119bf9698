wb_test(test_cache wb_memory)
