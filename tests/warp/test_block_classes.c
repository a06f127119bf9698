/* Blocks by classes (docs/block-classes.md): grids that are executed by classes are, byte for byte, those of
 * which every block is executed, for all kernels of kernels/index.txt and their machine code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel_suite.h"
#include "same_grid.h"

/* The same where blocks are counted, if they can be. */
static void check_counted(const char *name, const struct loaded_kernel *loaded, const wb_grid *whole) {
    struct text difference = {0};
    wb_grid *counted =
        same_grid_trace(loaded->kernel, loaded->launch, GRID_COUNTED_BLOCKS, loaded->diagnostics);
    assert_non_null(counted);
    if (grid_is_counted(counted) && !same_grid_counted(counted, whole, &difference))
        fail_msg("%s, counted: %s", name, difference.data);
    wb_grid_free(counted);
}

static void check(const char *name, const struct loaded_kernel *loaded) {
    struct text difference = {0};
    wb_grid *by_classes =
        same_grid_trace(loaded->kernel, loaded->launch, GRID_BY_CLASSES, loaded->diagnostics);
    wb_grid *whole = same_grid_trace(loaded->kernel, loaded->launch, GRID_EXECUTED, loaded->diagnostics);
    assert_true((by_classes == NULL) == (whole == NULL));
    if (whole != NULL && !same_grid(by_classes, whole, &difference))
        fail_msg("%s: %s", name, difference.data);
    if (whole != NULL) check_counted(name, loaded, whole);
    wb_grid_free(by_classes);
    wb_grid_free(whole);
}

static void check_code(const struct kernel_case *entry, const char *path, void *user) {
    struct loaded_kernel loaded = kernel_load(path, entry->launch);
    (void)user;
    check(path, &loaded);
    kernel_unload(&loaded);
}

static void test_kernel(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    check(entry->name, &loaded);
    kernel_unload(&loaded);
    kernel_each_code(entry, check_code, NULL);
}

/* Each block loads one number after another. */
static const char loads[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n) {\n"
    ".reg .b64 %a<3>;\n.reg .b32 %r<6>;\n.reg .pred %q;\nld.param.u64 %a0, [p];\nld.param.u32 %r0, [n];\n"
    "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %a1, %r1, 4096;\nadd.u64 %a0, %a0, %a1;\nmov.u32 %r2, 0;\n"
    "L: ld.global.u32 %r3, [%a0];\nadd.u64 %a0, %a0, 4;\nadd.u32 %r2, %r2, 1;\n"
    "setp.lt.u32 %q, %r2, %r0;\n@%q bra L;\nret;\n}\n";

/* The grid of 4 blocks that load so many, as it is by default: its blocks are executed, or so many of them.
 */
static void expect_executed(const char *count, uint64_t executed) {
    const uint32_t blocks[3] = {4, 1, 1}, threads[3] = {32, 1, 1};
    struct text difference = {0};
    struct loaded_kernel loaded = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    wb_diagnostics *messages = loaded.diagnostics;
    wb_grid *grid = NULL;
    assert_int_equal(wb_module_parse("loads", loads, sizeof loads - 1, messages, &loaded.module), WB_OK);
    assert_int_equal(wb_launch_set_grid(loaded.launch, blocks, messages), WB_OK);
    assert_int_equal(wb_launch_set_block(loaded.launch, threads, messages), WB_OK);
    assert_int_equal(wb_launch_add_argument(loaded.launch, "buf:u32[65536]", messages), WB_OK);
    assert_int_equal(wb_launch_add_argument(loaded.launch, count, messages), WB_OK);
    loaded.kernel = wb_module_kernel(loaded.module, 0);
    assert_int_equal(wb_grid_trace(loaded.kernel, loaded.launch, NULL, messages, &grid), WB_OK);
    assert_int_equal(grid->executed, executed);
    wb_grid *whole = same_grid_trace(loaded.kernel, loaded.launch, GRID_EXECUTED, messages);
    if (!same_grid(grid, whole, &difference)) fail_msg("%s: %s", count, difference.data);
    wb_grid_free(whole);
    wb_grid_free(grid);
    kernel_unload(&loaded);
}

static void test_small_grids(void **state) {
    (void)state;
    expect_executed("u32:100", 0);
    expect_executed("u32:30000", 1);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_small_grids)};
    return kernel_suite_run("block classes", test_kernel, others, 1);
}
