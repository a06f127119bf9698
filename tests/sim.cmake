wb_test(test_sim wb_sim)
target_sources(test_sim PRIVATE naive_sim.c random_block.c schedule_check.c)
wb_test(test_gpgpusim_rules wb_sim)
wb_test(test_gpgpusim wb_sim)
