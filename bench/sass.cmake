wb_bench(bench_sass wb_cubin)
