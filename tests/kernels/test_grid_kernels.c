/* The grids of all kernels: the records of every block, taken up to shifts and put together again, are those
 * of the execution; regular kernels have few shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grid_check.h"
#include "kernel_suite.h"
#include "launch_text.h"
#include "warp/interpret/execute.h"
#include "warp/trace/blocks.h"

/* Executes the blocks in order once more, and compares each with the grid. */
static void check_blocks(const struct loaded_kernel *loaded, const struct wb_grid *grid) {
    struct run run = {.kernel = loaded->kernel,
                      .launch = loaded->launch,
                      .diagnostics = loaded->diagnostics,
                      .assumptions = WB_TAKE_ALL, /* as the grid where it needs them */
                      .steers = true};
    struct arena arena = {0};
    uint32_t *code_first = NULL, block = 0;
    assert_int_equal(code_number(run.kernel->module, &arena, &code_first), WB_OK);
    kernel_expect_ok(run_begin(&run, &arena, code_first), "begin", loaded->diagnostics);
    struct access_list *accesses = calloc(run.warp_count, sizeof *accesses);
    assert_non_null(accesses);
    do {
        for (uint32_t w = 0; w < run.warp_count; w++)
            accesses[w].items.count = accesses[w].tables.count = 0;
        kernel_expect_ok(run_block(&run, accesses), "execute", loaded->diagnostics);
        for (uint32_t w = 0; w < run.warp_count; w++) {
            struct path path = {0};
            assert_int_equal(path_finish(&run.warps[w].path, &path), WB_OK);
            check_grid_warp(grid, block, w, &path, &accesses[w]);
            path_free(&path);
        }
        uint32_t index[3];
        grid_block_index(grid, block++, index);
        assert_memory_equal(index, run.index, sizeof index);
    } while (run_next_block(&run));
    assert_int_equal(block, grid->blocks.count);
    for (uint32_t w = 0; w < run.warp_count; w++) {
        vec_free(&accesses[w].items);
        vec_free(&accesses[w].tables);
    }
    free(accesses);
    run_end(&run);
    arena_free(&arena);
}

/* A grid of the one block `index` is what wb_block_trace says, whichever way it is made. */
static void check_one_block(const struct loaded_kernel *loaded, const uint32_t index[3]) {
    wb_trace_options trace = {.size = sizeof trace, .record_accesses = true};
    wb_grid_options options = {.size = sizeof options, .one_block = true};
    memcpy(trace.block, index, sizeof trace.block);
    memcpy(options.block, index, sizeof options.block);
    struct wb_block *block = NULL;
    struct wb_grid *grid = NULL, copy = {0};
    wb_status status = wb_grid_trace(loaded->kernel, loaded->launch, &options, loaded->diagnostics, &grid);
    kernel_expect_ok(status, "trace one block", loaded->diagnostics);
    status = wb_block_trace(loaded->kernel, loaded->launch, &trace, loaded->diagnostics, &block);
    kernel_expect_ok(status, "trace the block", loaded->diagnostics);
    kernel_expect_ok(grid_from_block(block, loaded->diagnostics, &copy), "make a grid", loaded->diagnostics);
    assert_int_equal(copy.local_bytes, grid->local_bytes);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct path *path = &block->paths.items[block->warp_path[w]];
        check_grid_warp(grid, 0, w, path, &block->accesses[w]);
        check_grid_warp(&copy, 0, w, path, &block->accesses[w]);
    }
    grid_clear(&copy);
    wb_grid_free(grid);
    wb_block_free(block);
}

static void test_kernel(void **state) {
    const struct kernel_case *kernel = *state;
    struct loaded_kernel loaded = kernel_load(kernel->ptx, kernel->launch);
    struct wb_grid *grid = NULL;
    wb_status status = wb_grid_trace(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &grid);
    kernel_expect_ok(status, "trace the grid", loaded.diagnostics);
    check_blocks(&loaded, grid);
    print_message("%zu blocks, %zu shapes, %zu streams, %zu paths, %zu warps steered%s\n", grid->blocks.count,
                  grid->shapes.count, grid->streams.count, grid->paths.count, grid->input_dependent.count,
                  grid->notes.unmodelled != NULL ? ", not modelled" : "");
    if (grid->input_dependent.count == 0) {
        uint32_t first[3], last[3];
        grid_block_index(grid, 0, first);
        grid_block_index(grid, (uint32_t)grid->blocks.count - 1, last);
        check_one_block(&loaded, first);
        check_one_block(&loaded, last);
    }
    wb_grid_free(grid);
    kernel_unload(&loaded);
}

/* A launch of a kernel with two f32 buffers and more; the shapes of its blocks. */
static void check_shapes(const char *ptx, const char *grid_size, const char *block_size,
                         const char *const *arguments, size_t shapes, size_t paths) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    wb_module *module = NULL;
    const wb_kernel *kernel = NULL;
    wb_grid *grid = NULL;
    kernel_expect_ok(wb_module_read(ptx, diagnostics, &module), "read", diagnostics);
    kernel_expect_ok(wb_module_find_kernel(module, NULL, diagnostics, &kernel), "find", diagnostics);
    kernel_expect_ok(launch_grid_text(launch, grid_size, diagnostics), "grid", diagnostics);
    kernel_expect_ok(launch_block_text(launch, block_size, diagnostics), "block", diagnostics);
    for (; *arguments != NULL; arguments++)
        kernel_expect_ok(wb_launch_add_argument(launch, *arguments, diagnostics), "argument", diagnostics);
    kernel_expect_ok(wb_grid_trace(kernel, launch, NULL, diagnostics, &grid), "trace", diagnostics);
    assert_int_equal(grid->shapes.count, shapes);
    assert_int_equal(grid->paths.count, paths);
    wb_grid_free(grid);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

/* Interior blocks of regular kernels have one shape, however many there are. */
static void test_regular_kernels(void **state) {
    (void)state;
    static const char *const whole[] = {"buf:f32[16384]", "buf:f32[16384]", "buf:f32[16384]", "i32:16384",
                                        NULL};
    static const char *const cut[] = {"buf:f32[16384]", "buf:f32[16384]", "buf:f32[16384]", "i32:16374",
                                      NULL};
    static const char *const stencil[] = {"buf:f32[16384]", "buf:f32[16384]", "i32:2048", "i32:8",
                                          "f32:0.6",        "f32:0.1",        NULL};
    check_shapes("kernels/vecadd.ptx", "64", "256", whole, 1, 1);
    check_shapes("kernels/vecadd.ptx", "64", "256", cut, 2, 2); /* the last warp has lanes without element */
    check_shapes("kernels/stencil5.ptx", "64", "32,8", stencil, 3, 4); /* first, interior, last column */
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_regular_kernels)};
    return kernel_suite_run("grids of kernels", test_kernel, others, 1);
}
