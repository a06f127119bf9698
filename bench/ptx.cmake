wb_bench(bench_ptx wb_lift)
