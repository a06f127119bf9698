/* Speed of the kernel analyzer on launches of 10^5 blocks, and the memory it takes. */
#include <sys/resource.h>

#include "bench_support.h"
#include "warp/trace/trace.h"

#define BLOCKS 100000

/* A kernel with blocks of 8 warps; buffers have an element a thread. */
struct launch_case {
    const char *name, *ptx;
    uint32_t block[3];
    const char *arguments[8];
};

static const struct launch_case cases[] = {
    {"vecadd",
     "kernels/vecadd.ptx",
     {256, 1, 1},
     {"buf:f32[25600000]=random(1)", "buf:f32[25600000]=random(2)", "buf:f32[25600000]=zero",
      "i32:25599990"}},
    {"stencil5",
     "kernels/stencil5.ptx",
     {32, 8, 1},
     {"buf:f32[25600000]=random(1)", "buf:f32[25600000]=zero", "i32:3199999", "i32:8", "f32:0.6", "f32:0.1"}},
};

/* Warp instructions of all blocks. */
static uint64_t count_instructions(const struct wb_grid *grid) {
    uint64_t count = 0;
    for (size_t b = 0; b < grid->blocks.count; b++) {
        const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[b].shape];
        for (uint32_t w = 0; w < grid->warp_count; w++)
            count += grid->paths.items[shape->warps[w].path].length;
    }
    return count;
}

/* The most memory that the process has had so far. */
static double peak_megabytes(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

static void bench_case(const struct launch_case *test) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_launch *launch = wb_launch_new();
    const wb_kernel *kernel = NULL;
    wb_grid *grid = NULL;
    require(wb_module_read(test->ptx, diagnostics, &module), diagnostics);
    require(wb_module_find_kernel(module, NULL, diagnostics, &kernel), diagnostics);
    require(wb_launch_set_grid(launch, (const uint32_t[3]){BLOCKS, 1, 1}, diagnostics), diagnostics);
    require(wb_launch_set_block(launch, test->block, diagnostics), diagnostics);
    for (size_t i = 0; i < 8 && test->arguments[i] != NULL; i++)
        require(wb_launch_add_argument(launch, test->arguments[i], diagnostics), diagnostics);
    double start = seconds();
    require(wb_grid_trace(kernel, launch, NULL, diagnostics, &grid), diagnostics);
    double spent = seconds() - start;
    uint64_t instructions = count_instructions(grid);
    printf("grid %-10s %d blocks, %.1f million warp instructions: %5.2f s, %.0f blocks/s, %5.1f million "
           "instructions/s, %zu shapes, peak %.0f MB\n",
           test->name, BLOCKS, (double)instructions / 1e6, spent, (double)grid->blocks.count / spent,
           (double)instructions / spent / 1e6, grid->shapes.count, peak_megabytes());
    wb_grid_free(grid);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        bench_case(&cases[i]);
    return EXIT_SUCCESS;
}
