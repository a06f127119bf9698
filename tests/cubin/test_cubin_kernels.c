/* What is read of the kernels' machine code, compared with what ptxas -v said when it was made. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "cubin/cubin.h"

/* A cubin that was read, and its bytes. */
struct loaded {
    struct cubin cubin;
    char *bytes;
};

static struct loaded load(const char *path) {
    struct loaded loaded;
    size_t size = 0;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (file_read(path, (size_t)1 << 24, diagnostics, &loaded.bytes, &size) != WB_OK ||
        cubin_read(path, loaded.bytes, size, diagnostics, &loaded.cubin) != WB_OK ||
        wb_diagnostics_text(diagnostics)[0] != '\0')
        fail_msg("%s: %s", path, wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return loaded;
}

static void unload(struct loaded *loaded) {
    cubin_free(&loaded->cubin);
    free(loaded->bytes);
}

/* ---- What ptxas -v said -------------------------------------------------------------------------------- */

static const struct said {
    const char *path;
    uint32_t kernel, registers, barriers, shared, stack,
        bank0; /* bytes; bank 0 with what is in front of parameters */
} all_said[] = {
    {"kernels/cubin/sgemm_tiled.sm_75.cubin", 0, 60, 1, 2048, 0, 392},
    {"kernels/cubin/sgemm_tiled.sm_86.cubin", 0, 39, 1, 2048, 0, 392},
    {"kernels/cubin/nbody_f64.sm_75.cubin", 0, 50, 0, 0, 0, 416},
    {"kernels/cubin/nbody_f64.sm_86.cubin", 0, 54, 0, 0, 0, 416},
    {"kernels/cubin/fir.sm_86.cubin", 0, 26, 1, 0, 0, 372},
    {"kernels/cubin/integer_mix.sm_75.cubin", 0, 36, 0, 0, 0, 388},
    {"kernels/cubin/local_counts.sm_75.cubin", 0, 14, 0, 0, 16, 368},
    {"kernels/cubin/local_counts.sm_86.cubin", 0, 14, 0, 0, 16, 368},
    {"kernels/cubin/histogram.sm_86.cubin", 0, 10, 1, 256, 0, 372},
    {"kernels/cubin/horner.sm_75.cubin", 0, 20, 0, 0, 0, 380},
    {"kernels/cubin/horner.sm_75.cubin", 1, 16, 0, 0, 0, 380},
    {"kernels/cubin/horner.sm_86.cubin", 0, 22, 0, 0, 0, 380},
    {"kernels/cubin/horner.sm_86.cubin", 1, 24, 0, 0, 0, 380},
    /* Of sm_90 the file counts 1024 bytes of the system as shared memory, and 0x210 bytes before parameters.
     */
    {"kernels/cubin/sgemm_tiled.sm_90.cubin", 0, 32, 1, 2048 + 1024, 0, 0x210 + 40},
    {"kernels/cubin/local_counts.sm_90.cubin", 0, 13, 0, 0, 16, 0x210 + 16},
    {"kernels/cubin/histogram.sm_90.cubin", 0, 12, 1, 256 + 1024, 0, 0x210 + 20},
};

static void test_what_ptxas_said(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof all_said / sizeof *all_said; i++) {
        const struct said *said = &all_said[i];
        struct loaded loaded = load(said->path);
        assert_true(said->kernel < loaded.cubin.kernel_count);
        const struct cubin_kernel *kernel = &loaded.cubin.kernels[said->kernel];
        if (kernel->registers != said->registers || kernel->barriers != said->barriers ||
            kernel->shared_bytes != said->shared || kernel->stack_bytes != said->stack ||
            !kernel->stack_known || kernel->param_base + kernel->param_bytes != said->bank0)
            fail_msg(
                "%s, kernel %u: %u registers, %u barriers, %llu of shared memory, %u of stack, %u of bank 0",
                said->path, said->kernel, kernel->registers, kernel->barriers,
                (unsigned long long)kernel->shared_bytes, kernel->stack_bytes,
                kernel->param_base + kernel->param_bytes);
        unload(&loaded);
    }
}

/* ---- All of them --------------------------------------------------------------------------------------- */

static void check_lines(const char *path, const struct cubin *cubin, const struct cubin_kernel *kernel,
                        bool expected) {
    if ((kernel->line_count > 0) != expected || (kernel->ptx_line_count > 0) != expected)
        fail_msg("%s: %u lines, %u of PTX", path, kernel->line_count, kernel->ptx_line_count);
    for (uint32_t i = 0; i < kernel->line_count; i++) {
        assert_true(kernel->lines[i].file < cubin->file_count && kernel->lines[i].line > 0);
        assert_int_equal(kernel->lines[i].offset % 16, 0);
    }
    for (uint32_t i = 0; i < kernel->ptx_line_count; i++)
        assert_true(kernel->ptx_lines[i].file == CUBIN_NONE && kernel->ptx_lines[i].line > 0);
}

static void check_kernel(const char *path, const struct cubin *cubin, const struct cubin_kernel *kernel) {
    const bool o1 = strstr(path, "/o1/") != NULL;
    /* These were written by hand and have no lines of a source. */
    const bool by_hand =
        strstr(path, "triangle_sum_slide") != NULL || strstr(path, "voronoi_case_study") != NULL;
    assert_true(kernel->code_bytes > 0 && kernel->code_bytes % 128 == 0);
    assert_true(kernel->registers > 0 && kernel->registers < 256);
    assert_int_equal(kernel->param_base, cubin->sm < 90 ? 0x160 : cubin->sm == 90 ? 0x210 : 0x380);
    assert_true(kernel->param_count > 0 && kernel->patched_count == 0 && kernel->extern_count == 0);
    for (uint32_t i = 0; i < kernel->internal_count; i++)
        assert_true(kernel->internals[i].offset > 0 && kernel->internals[i].name[0] == '$');
    if (!by_hand) check_lines(path, cubin, kernel, !o1);
}

static void check_all(const char *pattern, size_t least) {
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= least);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        struct loaded loaded = load(path);
        char end[32];
        (void)snprintf(end, sizeof end, ".sm_%u.cubin", loaded.cubin.sm);
        assert_non_null(strstr(path, end));
        assert_int_equal(loaded.cubin.kernel_count, strstr(path, "horner") != NULL ? 2 : 1);
        for (uint32_t k = 0; k < loaded.cubin.kernel_count; k++)
            check_kernel(path, &loaded.cubin, &loaded.cubin.kernels[k]);
        for (uint32_t f = 0; f < loaded.cubin.file_count; f++)
            assert_true(loaded.cubin.files[f][0] != '/');
        unload(&loaded);
    }
    globfree(&found);
}

static void test_all(void **state) {
    (void)state;
    check_all("kernels/cubin/*.cubin", 200);
    check_all("kernels/cubin/o1/*.cubin", 200);
}

/* ---- Parts that few kernels have ----------------------------------------------------------------------- */

static void test_constant_variable(void **state) {
    (void)state;
    struct loaded loaded = load("kernels/cubin/fir.sm_86.cubin");
    assert_int_equal(loaded.cubin.symbol_count, 1);
    const struct cubin_symbol *taps = &loaded.cubin.symbols[0];
    assert_string_equal(taps->name, "taps");
    assert_int_equal(taps->space, CUBIN_CONST);
    assert_int_equal(taps->offset, 0);
    assert_int_equal(taps->bytes, 64);
    assert_int_equal(loaded.cubin.constant3.size, 64);
    unload(&loaded);
}

static void test_internal_functions(void **state) {
    (void)state;
    static const char *const names[] = {
        "$__internal_0_$__cuda_sm20_div_s64", "$__internal_1_$__cuda_sm20_div_u64",
        "$__internal_2_$__cuda_sm20_rem_s64", "$__internal_3_$__cuda_sm20_rem_u64"};
    struct loaded loaded = load("kernels/cubin/integer_mix.sm_75.cubin");
    const struct cubin_kernel *kernel = &loaded.cubin.kernels[0];
    assert_int_equal(kernel->internal_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(kernel->internals[i].name, names[i]);
        assert_true(i == 0 || kernel->internals[i].offset ==
                                  kernel->internals[i - 1].offset + kernel->internals[i - 1].bytes);
    }
    unload(&loaded);
}

static void test_params(void **state) {
    (void)state;
    static const uint32_t sizes[] = {8, 8, 8, 4, 8, 8, 8, 8}, offsets[] = {0, 8, 16, 24, 32, 40, 48, 56};
    struct loaded loaded = load("kernels/cubin/nbody_f64.sm_90.cubin");
    const struct cubin_kernel *kernel = &loaded.cubin.kernels[0];
    assert_int_equal(kernel->param_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(kernel->params[i].ordinal, i);
        assert_int_equal(kernel->params[i].bytes, sizes[i]);
        assert_int_equal(kernel->params[i].offset, offsets[i]);
    }
    unload(&loaded);
}

/* Two kernels whose code begins at 0, each in its section: the table tells them apart. */
static void test_lines_of_two_kernels(void **state) {
    (void)state;
    struct loaded loaded = load("kernels/cubin/horner.sm_86.cubin");
    assert_int_equal(loaded.cubin.file_count, 1);
    assert_string_equal(loaded.cubin.files[0], "src/horner.cu");
    for (uint32_t k = 0; k < 2; k++) {
        const struct cubin_kernel *kernel = &loaded.cubin.kernels[k];
        assert_int_equal(kernel->lines[0].offset, 0);
        assert_int_equal(kernel->lines[0].line, 3);
        assert_int_equal(kernel->lines[1].offset, 0x10);
        assert_int_equal(kernel->lines[1].line, 4);
        assert_int_equal(kernel->ptx_lines[0].line, k == 0 ? 92 : 21);
    }
    unload(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_ptxas_said),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_constant_variable),
        cmocka_unit_test(test_internal_functions),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_lines_of_two_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
