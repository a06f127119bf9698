wb_bench(bench_cache wb_memory)
wb_bench(bench_memory wb_memory)
wb_bench(bench_requests wb_memory)
wb_bench(bench_must_hits wb_memory)
