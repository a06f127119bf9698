wb_test(test_sim wb_sim)
target_sources(test_sim PRIVATE naive_sim.c random_block.c schedule_check.c)
wb_test(test_gpgpusim_rules wb_sim)
wb_test(test_gpgpusim wb_sim)
wb_test(test_gpu_random wb_sim)
target_sources(test_gpu_random PRIVATE gpu_record.c hand_grid.c naive_cache.c naive_gpu.c naive_gpu_memory.c
                                       random_block.c random_gpu.c)
wb_test(test_gpu wb_sim)
target_sources(test_gpu PRIVATE gpu_record.c hand_grid.c)
