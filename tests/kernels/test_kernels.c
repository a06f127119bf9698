/* Every kernel of kernels/index.txt, executed by the interpreter, against its C reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grid_execute.h"
#include "kernel_references.h"
#include "kernel_suite.h"

static float f32_at(const uint8_t *bytes, size_t i) {
    float value;
    memcpy(&value, bytes + i * sizeof value, sizeof value);
    return value;
}

/* The floats in order as integers: neighbours differ by one, -0 and +0 by none. */
static int64_t f32_rank(float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

static bool is_near(float actual, float expected, const struct kernel_result *result) {
    double error = fabs((double)actual - (double)expected);
    double unit = exp2(-result->amount), magnitude = fabs((double)expected);
    switch (result->kind) {
    case TOLERANCE_ULP: return llabs(f32_rank(actual) - f32_rank(expected)) <= (int64_t)result->amount;
    case TOLERANCE_ABS: return error <= unit;
    case TOLERANCE_REL: return error <= unit * magnitude;
    case TOLERANCE_MIXED: return error <= unit * fmax(1.0, magnitude);
    default: return false;
    }
}

static void compare(const struct kernel_result *result, const uint8_t *actual, const uint8_t *expected,
                    size_t size) {
    if (result->kind != TOLERANCE_EXACT) {
        assert_true(size % sizeof(float) == 0);
        for (size_t i = 0; i < size / sizeof(float); i++)
            if (!is_near(f32_at(actual, i), f32_at(expected, i), result))
                fail_msg("argument %zu, element %zu: %.9g, expected %.9g", result->argument, i,
                         (double)f32_at(actual, i), (double)f32_at(expected, i));
        return;
    }
    for (size_t i = 0; i < size; i++)
        if (actual[i] != expected[i])
            fail_msg("argument %zu, byte %zu of %zu: 0x%02x, expected 0x%02x", result->argument, i, size,
                     actual[i], expected[i]);
}

/* Every byte is known, or none where nothing can be known. */
static void check_known(const uint8_t *known, size_t size, bool expected) {
    for (size_t i = 0; i < size; i++)
        if ((known[i / 8] >> i % 8 & 1) != expected)
            fail_msg("byte %zu of %zu is %s", i, size, expected ? "unknown" : "known");
}

/* Executes the grid and compares one buffer that it writes. */
static void check_result(const struct loaded_kernel *loaded, const struct kernel_result *result,
                         const struct reference_case *reference) {
    uint8_t *bytes = NULL, *known = NULL;
    size_t size = 0;
    kernel_expect_ok(grid_execute(loaded->kernel, loaded->launch, result->argument, loaded->diagnostics,
                                  &bytes, &known, &size),
                     "grid_execute", loaded->diagnostics);
    assert_true(result->argument < loaded->launch->arguments.count);
    assert_int_equal(size, launch_contents_size(&loaded->launch->arguments.items[result->argument].contents));
    check_known(known, size, result->kind != TOLERANCE_UNKNOWN);
    if (result->kind != TOLERANCE_UNKNOWN) compare(result, bytes, reference->buffers[result->argument], size);
    free(bytes);
    free(known);
}

static void test_case(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    struct reference_case reference;
    assert_true(reference_case_open(loaded.launch, &reference));
    kernel_expect_ok(
        wb_launch_assume(loaded.launch, WB_TAKE_APPROX | WB_TAKE_NO_CONTRACTION, loaded.diagnostics),
        "wb_launch_assume", loaded.diagnostics);
    reference_function *compute = reference_find(entry->reference);
    if (compute)
        compute(&reference);
    else
        assert_string_equal(entry->reference, "none");
    for (size_t i = 0; i < entry->result_count; i++)
        check_result(&loaded, &entry->results[i], &reference);
    reference_case_close(&reference);
    kernel_unload(&loaded);
}

/* Addresses of atomics that come from unknown bytes: declined, and the message names the source line. */
static void test_unknown_addresses_are_declined(void **state) {
    (void)state;
    struct loaded_kernel loaded = kernel_load("kernels/histogram.ptx", "kernels/histogram_unknown.yaml");
    wb_block *block = NULL;
    const wb_trace_options options = {.size = sizeof options};
    assert_int_equal(wb_block_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &block),
                     WB_ERR_DECLINED);
    assert_null(block);
    const char *text = wb_diagnostics_text(loaded.diagnostics);
    assert_non_null(strstr(text, "src/histogram.cu:10"));
    kernel_unload(&loaded);
}

/* No PTX file is left out of the index. */
static void test_index_is_complete(void **state) {
    (void)state;
    struct kernel_index index;
    assert_true(kernel_index_read(&index));
    DIR *folder = opendir("kernels");
    assert_non_null(folder);
    for (struct dirent *file; (file = readdir(folder)) != NULL;) {
        const char *extension = strrchr(file->d_name, '.');
        if (!extension || strcmp(extension, ".ptx") != 0) continue;
        size_t cases = 0;
        for (size_t i = 0; i < index.cases.count; i++)
            cases += strcmp(index.cases.items[i].ptx + strlen("kernels/"), file->d_name) == 0;
        if (cases == 0) fail_msg("%s is in no case of " KERNEL_INDEX_PATH, file->d_name);
    }
    (void)closedir(folder);
    kernel_index_free(&index);
}

int main(void) {
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_unknown_addresses_are_declined),
        cmocka_unit_test(test_index_is_complete),
    };
    return kernel_suite_run("kernels", test_case, others, sizeof others / sizeof *others);
}
