wb_bench(bench_flow wb_flow)
