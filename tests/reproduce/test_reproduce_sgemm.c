/* The matrix products of reproduce/ecrts2025/sgemm.cu compute matrix products, for every number of warps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid_execute.h"
#include "warpbound.h"

#define COLUMNS 64 /* two tiles of C side by side */
#define DEPTH 96   /* three tiles, so that both buffers are used again */

static wb_diagnostics *diagnostics;

static void expect_ok(wb_status status) {
    if (status != WB_OK) fail_msg("status %d:\n%s", (int)status, wb_diagnostics_text(diagnostics));
}

/* A launch of 2 x 2 blocks of `warps` warps that make `rows` / 2 rows each: both operands count their
 * elements, of the result nothing is known before. */
static wb_launch *make_launch(unsigned warps, unsigned rows) {
    char text[64];
    const char *const numbers[] = {"i32:64", "i32:96"};
    wb_launch *launch = wb_launch_new();
    assert_non_null(launch);
    expect_ok(wb_launch_set_grid(launch, (const uint32_t[3]){2, 2, 1}, diagnostics));
    expect_ok(wb_launch_set_block(launch, (const uint32_t[3]){32, warps, 1}, diagnostics));
    (void)snprintf(text, sizeof text, "buf:f32[%u]=iota", rows * DEPTH);
    expect_ok(wb_launch_add_argument(launch, text, diagnostics));
    (void)snprintf(text, sizeof text, "buf:f32[%u]=iota", DEPTH * COLUMNS);
    expect_ok(wb_launch_add_argument(launch, text, diagnostics));
    (void)snprintf(text, sizeof text, "buf:f32[%u]", rows * COLUMNS);
    expect_ok(wb_launch_add_argument(launch, text, diagnostics));
    for (size_t i = 0; i < 2; i++)
        expect_ok(wb_launch_add_argument(launch, numbers[i], diagnostics));
    return launch;
}

/* One element, summed up in the kernels' order. */
static float element(unsigned row, unsigned column) {
    float sum = 0;
    for (unsigned i = 0; i < DEPTH; i++)
        sum = fmaf((float)(row * DEPTH + i), (float)(i * COLUMNS + column), sum);
    return sum;
}

static void check_product(const uint8_t *bytes, const uint8_t *known, size_t size, unsigned rows) {
    assert_int_equal(size, rows * COLUMNS * sizeof(float));
    for (unsigned i = 0; i < rows * COLUMNS; i++) {
        float value;
        memcpy(&value, bytes + i * sizeof value, sizeof value);
        assert_int_equal(known[i / 2] >> (i % 2 * 4) & 15, 15);
        if (value != element(i / COLUMNS, i % COLUMNS))
            fail_msg("row %u, column %u: %g, not %g", i / COLUMNS, i % COLUMNS, (double)value,
                     (double)element(i / COLUMNS, i % COLUMNS));
    }
}

static void check_kernel(const wb_module *module, const char *family, unsigned warps, unsigned rows) {
    char name[64];
    const wb_kernel *kernel = NULL;
    uint8_t *bytes = NULL, *known = NULL;
    size_t size = 0;
    (void)snprintf(name, sizeof name, "%s_%u", family, warps);
    expect_ok(wb_module_find_kernel(module, name, diagnostics, &kernel));
    wb_launch *launch = make_launch(warps, rows);
    expect_ok(grid_execute(kernel, launch, 2, diagnostics, &bytes, &known, &size));
    check_product(bytes, known, size, rows);
    free(known);
    free(bytes);
    wb_launch_free(launch);
}

static void test_products(void **state) {
    (void)state;
    static const unsigned warps[] = {4, 8, 16, 32};
    wb_module *module = NULL;
    diagnostics = wb_diagnostics_new();
    assert_non_null(diagnostics);
    expect_ok(wb_module_read("reproduce/ecrts2025/sgemm.ptx", diagnostics, &module));
    for (size_t i = 0; i < sizeof warps / sizeof *warps; i++) {
        check_kernel(module, "sgemm_naive", warps[i], 2 * warps[i]);
        check_kernel(module, "sgemm_double_buffered", warps[i], 2 * warps[i]);
        check_kernel(module, "sgemm_loads_together", warps[i], 2 * warps[i]);
        check_kernel(module, "sgemm_register_tiled", warps[i], 8 * warps[i]);
    }
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
