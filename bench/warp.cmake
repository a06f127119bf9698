wb_bench(bench_warp wb_warp)
