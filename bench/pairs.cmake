wb_bench(bench_pairs wb_bound)
