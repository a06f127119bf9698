/* Blocks by classes (docs/block-classes.md): grids that are executed by classes are, byte for byte, those of
 * which every block is executed, for all kernels of kernels/index.txt and their machine code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "kernel_suite.h"
#include "warp/trace/trace.h"

static wb_grid *traced(const struct loaded_kernel *loaded, uint32_t classes_from) {
    const wb_grid_options options = {.size = sizeof options, .classes_from = classes_from};
    wb_grid *grid = NULL;
    (void)wb_grid_trace(loaded->kernel, loaded->launch, &options, loaded->diagnostics, &grid);
    return grid;
}

static void expect_same_stream(const char *name, const struct access_stream *a,
                               const struct access_stream *b) {
    bool same = a->access_count == b->access_count && a->group_count == b->group_count &&
                a->table_count == b->table_count && a->maybe_count == b->maybe_count;
    same = same && memcmp(a->accesses, b->accesses, a->access_count * sizeof *a->accesses) == 0 &&
           memcmp(a->groups, b->groups, a->access_count * sizeof *a->groups) == 0 &&
           (a->table_count == 0 || memcmp(a->tables, b->tables, a->table_count * sizeof *a->tables) == 0);
    if (!same) fail_msg("%s: a warp accesses other memory", name);
}

static void expect_same(const char *name, const wb_grid *a, const wb_grid *b) {
    if (a->blocks.count != b->blocks.count || a->paths.count != b->paths.count ||
        a->streams.count != b->streams.count || a->shapes.count != b->shapes.count ||
        a->bases.count != b->bases.count || a->input_dependent.count != b->input_dependent.count)
        fail_msg("%s: %zu and %zu blocks, %zu and %zu paths, %zu and %zu streams, %zu and %zu shapes", name,
                 a->blocks.count, b->blocks.count, a->paths.count, b->paths.count, a->streams.count,
                 b->streams.count, a->shapes.count, b->shapes.count);
    for (size_t i = 0; i < a->paths.count; i++)
        if (!path_equal(&a->paths.items[i], &b->paths.items[i])) fail_msg("%s: path %zu", name, i);
    for (size_t i = 0; i < a->streams.count; i++)
        expect_same_stream(name, &a->streams.items[i], &b->streams.items[i]);
    for (size_t i = 0; i < a->shapes.count; i++)
        for (uint32_t w = 0; w < a->warp_count; w++) {
            const struct shape_warp *x = &a->shapes.items[i].warps[w], *y = &b->shapes.items[i].warps[w];
            bool same = x->path == y->path && x->stream == y->stream;
            for (size_t g = 0; same && g < a->streams.items[x->stream].group_count; g++)
                same = x->shifts[g].index == y->shifts[g].index && x->shifts[g].delta == y->shifts[g].delta;
            if (!same) fail_msg("%s: shape %zu, warp %u", name, i, w);
        }
    for (size_t i = 0; i < a->blocks.count; i++)
        if (a->blocks.items[i].shape != b->blocks.items[i].shape ||
            a->blocks.items[i].first_base != b->blocks.items[i].first_base)
            fail_msg("%s: block %zu", name, i);
    for (size_t i = 0; i < a->bases.count; i++)
        if (a->bases.items[i] != b->bases.items[i]) fail_msg("%s: base %zu", name, i);
    assert_int_equal(a->local_bytes, b->local_bytes);
    assert_int_equal(a->stored.count, b->stored.count);
    if ((a->notes.assumed & ~b->notes.assumed) != 0) fail_msg("%s: more is assumed", name);
}

static void check(const char *name, const struct loaded_kernel *loaded) {
    wb_grid *by_classes = traced(loaded, 1), *whole = traced(loaded, UINT32_MAX);
    assert_true((by_classes == NULL) == (whole == NULL));
    if (whole != NULL) expect_same(name, by_classes, whole);
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
