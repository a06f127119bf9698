wb_bench(bench_cache wb_memory)
