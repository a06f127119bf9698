wb_bench(bench_gpgpusim wb_wings)
