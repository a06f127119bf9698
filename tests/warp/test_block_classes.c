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

int main(void) {
    return kernel_suite_run("block classes", test_kernel, NULL, 0);
}
