/* Every kernel of kernels/index.txt as machine code of six architectures, at two levels of optimisation: each
 * buffer that it writes is that of the PTX bit for bit, which test_kernels compares with a C reference.
 *
 * Where it is not the same: ptxas joins products and sums that PTX does not say to be rounded (two kernels),
 * and divides the argument of sin.approx and cos.approx by 2 pi first. There the results are near. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "kernel_suite.h"
#include "two_roads.h"

static uint32_t compared;

static char *read_file(const char *path, size_t *size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *bytes = NULL;
    if (file_read(path, (size_t)1 << 30, diagnostics, &bytes, size) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return bytes;
}

/* How far apart results may be: one rounding of a product more or less, of operands below 2^10; twice what
 * the PTX ISA says of sin.approx and cos.approx. 0: not at all. */
static double error_of(const struct kernel_case *entry, const struct kernel_result *result) {
    if (strcmp(entry->name, "gaussian_step") == 0 || strcmp(entry->name, "streamcluster_gain") == 0)
        return 0x1p-13;
    return result->kind == TOLERANCE_ABS ? exp2(1 - result->amount) : 0;
}

/* The PTX of a case, and how many files of its machine code are not the same. */
struct comparison {
    struct road ptx;
    uint32_t wrong;
};

/* Compares with what the PTX ISA leaves open taken for what is computed, or with nothing taken. */
static bool is_same(const struct kernel_case *entry, const struct road *ptx, const struct road *code,
                    unsigned take) {
    struct road_buffer buffers[KERNEL_RESULTS_MAX];
    struct text violation = {0};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = NULL;
    kernel_expect_ok(wb_launch_read(entry->launch, WB_FILES_BELOW, diagnostics, &launch), entry->launch,
                     diagnostics);
    for (size_t i = 0; i < entry->result_count; i++)
        buffers[i] = (struct road_buffer){entry->results[i].argument, error_of(entry, &entry->results[i])};
    const bool same = two_roads_compare(ptx, code, wb_launch_kernel(launch), launch, take, buffers,
                                        entry->result_count, &violation) == ROADS_AGREE;
    if (!same)
        print_error("%s, %s: %s\n", code->name, take == 0 ? "nothing taken" : "all taken", violation.data);
    text_free(&violation);
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
    return same;
}

static void compare(const struct kernel_case *entry, const char *path, void *user) {
    struct comparison *comparison = user;
    size_t size;
    char *bytes = read_file(path, &size);
    const struct road code = {path, bytes, size};
    if (!is_same(entry, &comparison->ptx, &code, WB_TAKE_ALL) || !is_same(entry, &comparison->ptx, &code, 0))
        comparison->wrong++;
    compared++;
    free(bytes);
}

static void test_case(void **state) {
    const struct kernel_case *entry = *state;
    size_t size;
    char *text = read_file(entry->ptx, &size);
    struct comparison comparison = {.ptx = {entry->ptx, text, size}};
    kernel_each_code(entry, compare, &comparison);
    free(text);
    assert_int_equal(comparison.wrong, 0);
}

/* All of it has not been missing. */
static void test_files_are_there(void **state) {
    (void)state;
    assert_true(compared * kernel_suite_step() > 400);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_files_are_there)};
    return kernel_suite_run("machine code of kernels", test_case, others, 1);
}
