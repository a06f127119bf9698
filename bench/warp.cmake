wb_bench(bench_warp wb_warp)
wb_bench(bench_grid wb_warp)
wb_bench(bench_cover wb_bound)
wb_bench(bench_kernel wb_report)
