/* Grids for benchmarks: kernels of kernels/, launched as a user launches them. */
#ifndef WB_BENCH_GRID_SUPPORT_H
#define WB_BENCH_GRID_SUPPORT_H

#include "bench_support.h"

#define BENCH_ARGUMENTS_MAX 8

/* A launch of a kernel of kernels/; without a grid that of the kernel's launch file. */
struct bench_case {
    const char *kernel;
    uint32_t grid[3], block[3];
    const char *arguments[BENCH_ARGUMENTS_MAX];
};

/* What benchmarks of memory go through: streams, reuse between neighbours, reuse across the grid, tiles on
 * the chip, addresses from data. */
static const struct bench_case bench_cases[] = {
    {"vecadd",
     {4096, 1, 1},
     {256, 1, 1},
     {"buf:f32[1048576]=zero", "buf:f32[1048576]=zero", "buf:f32[1048576]=zero", "i32:1048576"}},
    {"stencil5",
     {32, 1, 1},
     {32, 8, 1},
     {"buf:f32[1048576]=zero", "buf:f32[1048576]=zero", "i32:1024", "i32:1024", "f32:0.5", "f32:0.1"}},
    {"sgemm_naive",
     {16, 16, 1},
     {16, 16, 1},
     {"buf:f32[65536]=zero", "buf:f32[65536]=zero", "buf:f32[65536]=zero", "i32:256", "i32:256", "i32:256",
      "f32:0.5", "f32:1.25"}},
    {"sgemm_tiled",
     {16, 16, 1},
     {16, 16, 1},
     {"buf:f32[65536]=zero", "buf:f32[65536]=zero", "buf:f32[65536]=zero", "i32:256", "i32:256", "f32:0.5",
      "f32:1.25"}},
    {.kernel = "sparse_matvec"},
};

/* What a case is run on. */
struct bench_run {
    wb_diagnostics *diagnostics;
    wb_machine *machine;
    wb_module *module;
    wb_launch *launch;
    wb_grid *grid;
};

static inline void bench_open_launch(const struct bench_case *bench, struct bench_run *run) {
    char path[256];
    if (bench->grid[0] == 0) {
        (void)snprintf(path, sizeof path, "kernels/%s.yaml", bench->kernel);
        require(wb_launch_read(path, WB_FILES_BELOW, run->diagnostics, &run->launch), run->diagnostics);
        return;
    }
    run->launch = wb_launch_new();
    require(wb_launch_set_grid(run->launch, bench->grid, run->diagnostics), run->diagnostics);
    require(wb_launch_set_block(run->launch, bench->block, run->diagnostics), run->diagnostics);
    for (size_t i = 0; i < BENCH_ARGUMENTS_MAX && bench->arguments[i] != NULL; i++)
        require(wb_launch_add_argument(run->launch, bench->arguments[i], run->diagnostics), run->diagnostics);
}

/* Executes the grid; ends the program when it cannot. The run needs diagnostics. */
static inline void bench_trace(const struct bench_case *bench, struct bench_run *run) {
    char path[256];
    const wb_kernel *kernel = NULL;
    const wb_grid_options options = {.size = sizeof options};
    (void)snprintf(path, sizeof path, "kernels/%s.ptx", bench->kernel);
    require(wb_module_read(path, run->diagnostics, &run->module), run->diagnostics);
    bench_open_launch(bench, run);
    require(wb_module_find_kernel(run->module, wb_launch_kernel(run->launch), run->diagnostics, &kernel),
            run->diagnostics);
    require(wb_grid_trace(kernel, run->launch, &options, run->diagnostics, &run->grid), run->diagnostics);
}

/* Frees what bench_trace has made. */
static inline void bench_untrace(struct bench_run *run) {
    wb_grid_free(run->grid);
    wb_launch_free(run->launch);
    wb_module_free(run->module);
}

/* The main function of a benchmark: every case on the GPU of JCSE 2017. */
static inline int bench_all(void (*one)(const struct bench_case *bench, struct bench_run *run)) {
    struct bench_run run = {.diagnostics = wb_diagnostics_new()};
    require(wb_machine_load("jcse2017", run.diagnostics, &run.machine), run.diagnostics);
    for (size_t i = 0; i < sizeof bench_cases / sizeof *bench_cases; i++)
        one(&bench_cases[i], &run);
    wb_machine_free(run.machine);
    wb_diagnostics_free(run.diagnostics);
    return EXIT_SUCCESS;
}

#endif
