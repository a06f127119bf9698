add_executable(bench_sim bench_sim.c)
target_compile_definitions(bench_sim PRIVATE _GNU_SOURCE)
target_link_libraries(bench_sim PRIVATE wb_bound)
wb_bench(bench_gpu wb_sim)
