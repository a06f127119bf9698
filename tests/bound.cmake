wb_test(test_phases wb_bound)
target_sources(test_phases PRIVATE random_block.c)
wb_test(test_bounds wb_bound)
target_sources(test_bounds PRIVATE explorer.c naive_sim.c random_block.c)
