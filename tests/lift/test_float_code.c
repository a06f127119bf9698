/* Floating-point machine code as ptxas writes it, on six architectures and two levels: the same bits as the
 * PTX that it was made from, and correctly rounded quotients, reciprocals and roots by the host's arithmetic.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/containers.h"
#include "grid_execute.h"
#include "launch_text.h"
#include "warpbound.h"

#define FOLDER "tests/data/machine_code/"
#define THREADS 1536u
#define OPERANDS 3u

/* Operands of every kind, and numbers whose exponents are far from their limits: by these no result is open
 * of what PTX states to the last bit. */
enum operand_kind { ANY_OPERANDS, ORDINARY_OPERANDS, OPERAND_KINDS };

static uint64_t operands[OPERAND_KINDS][THREADS][OPERANDS];
static char operand_files[OPERAND_KINDS][32];

static const uint32_t corners32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00400000, 0x00800000, 0x00800001,
    0x01000000, 0x0c800000, 0x0d7fffff, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0xbf800000,
    0x3f800001, 0x3fc00000, 0x40400000, 0x42fe0000, 0x42ff0000, 0x43000000, 0x437f0000, 0x47000000,
    0x477fe000, 0x477fffff, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000,
    0x5f800000, 0x7e7fffff, 0x7e800000, 0x7e800001, 0x7effffff, 0x7f000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc01234, 0x7fffffff, 0x3c003c00, 0x7bff0400,
    0x80007c00, 0x00010fff, 0x7e01fc00, 0x34003555,
};

static const uint64_t corners64[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
    0x0010000000000001, 0x0020000000000000, 0x0360000000000000, 0x035fffffffffffff, 0x3690000000000000,
    0x36a0000000000000, 0x380fffffffffffff, 0x3e112e0be826d695, 0x3e60000000000000, 0x3fdfffffffffffff,
    0x3fe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001,
    0x3ff8000000000000, 0x4008000000000000, 0x405fe00000000000, 0x40dfffe000000000, 0x41dfffffffe00000,
    0x41e0000000000000, 0x41efffffffe00000, 0x43dfffffffffffff, 0x43e0000000000000, 0x43efffffffffffff,
    0x43f0000000000000, 0x47efffffe0000000, 0x47effffff0000000, 0x7fd0000000000000, 0x7fe0000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001,
    0x7ff8000000000000, 0xfff8000000001234, 0xffffffffffffffff, 0x7fffffffffffffff, 0x00000000ffffffff,
    0x0000000100000000, 0x000000000000000a, 0xfffffffffffffff6, 0x0000000300000007,
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A number of one of several kinds: any bits, ones next to 1, corners, small integers. */
static uint64_t operand(struct random_state *random) {
    switch (random_below(random, 8)) {
    case 0: return corners32[random_below(random, COUNT(corners32))];
    case 1: return corners64[random_below(random, COUNT(corners64))];
    case 2: return random_next(random);
    case 3: return random_below(random, 1000);
    case 4: return 0 - random_below(random, 1000);
    case 5: return UINT64_C(0x3f00000000000000) + (random_next(random) >> 7);
    case 6: return (uint32_t)(UINT32_C(0x3c000000) + (random_next(random) >> 37));
    default: return (random_next(random) & UINT64_C(0xffffffff00000000)) | (random_next(random) >> 33);
    }
}

/* An f32 whose exponent is between -60 and 60, in the lower half of an f64 of the same kind. */
static uint64_t ordinary_operand(struct random_state *random) {
    const uint64_t lower = (67 + random_below(random, 120)) << 23 | random_below(random, 1 << 23);
    const uint64_t upper = (UINT64_C(900) + random_below(random, 240)) << 20 | random_below(random, 1 << 20);
    return upper << 32 | lower | (random_next(random) & UINT64_C(0x8000000080000000));
}

static void make_operands(enum operand_kind kind) {
    struct random_state random = random_seeded(20261122);
    for (uint32_t i = 0; i < THREADS; i++)
        for (uint32_t k = 0; k < OPERANDS; k++)
            operands[kind][i][k] = kind == ANY_OPERANDS ? operand(&random) : ordinary_operand(&random);
    (void)text_format(operand_files[kind], sizeof operand_files[kind], "/tmp/warpbound-float-XXXXXX");
    const int file = mkstemp(operand_files[kind]);
    assert_true(file >= 0);
    assert_int_equal(write(file, operands[kind], sizeof operands[kind]), sizeof operands[kind]);
    assert_int_equal(close(file), 0);
}

/* A kernel, and how it is compared. */
struct kernel_row {
    const char *module, *name;
    size_t results;
    uint64_t nan64; /* bit r: where result r is a NaN of f64, any NaN will do */
    uint64_t near;  /* the same: the last bit may be another one */
    bool assume;    /* some results, or ways, are open */
    enum operand_kind operands;
};

/* What a kernel stores: per thread a number for each of its results. */
struct results {
    uint64_t *values;
    uint8_t *known; /* a bit per byte */
    size_t count;   /* of one thread */
    char *text;     /* assumptions and messages */
};

static void results_free(struct results *results) {
    free(results->values);
    free(results->known);
    free(results->text);
}

static bool is_known(const struct results *results, size_t i) {
    return results->known[i] == 0xff;
}

static struct results run(const char *path, const struct kernel_row *row) {
    const size_t count = row->results;
    struct results results = {.count = count};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_launch *launch = wb_launch_new();
    const wb_kernel *kernel = NULL;
    char in[128], out[64];
    size_t size = 0;
    (void)text_format(in, sizeof in, "buf:u64[%u]=@%s", THREADS * OPERANDS, operand_files[row->operands]);
    (void)text_format(out, sizeof out, "buf:u64[%zu]=zero", THREADS * count);
    wb_status status = wb_module_read(path, diagnostics, &module);
    if (status == WB_OK) status = wb_module_find_kernel(module, row->name, diagnostics, &kernel);
    if (status == WB_OK) status = launch_grid_text(launch, "6", diagnostics);
    if (status == WB_OK) status = launch_block_text(launch, "256", diagnostics);
    if (status == WB_OK && row->assume)
        status = wb_launch_assume(launch, WB_TAKE_APPROX | WB_TAKE_DIV_ZERO, diagnostics);
    if (status == WB_OK) status = wb_launch_add_argument(launch, in, diagnostics);
    if (status == WB_OK) status = wb_launch_add_argument(launch, out, diagnostics);
    if (status == WB_OK)
        status =
            grid_execute(kernel, launch, 1, diagnostics, (uint8_t **)&results.values, &results.known, &size);
    results.text = strdup(wb_diagnostics_text(diagnostics));
    if (status != WB_OK) {
        print_error("%s, %s: %s\n", path, row->name, results.text);
        fail();
    }
    assert_non_null(results.known);
    assert_int_equal(size, 8 * THREADS * count);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return results;
}

/* ---- The same as PTX
 * --------------------------------------------------------------------------------------- */

static bool is_nan64(uint64_t bits) {
    return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

static bool agree(const struct kernel_row *row, size_t result, uint64_t a, uint64_t b) {
    if (a == b) return true;
    if ((row->nan64 >> result & 1) != 0 && is_nan64(a) && is_nan64(b)) return true;
    return (row->near >> result & 1) != 0 && a - b + 1 <= 2;
}

static unsigned compare(const struct kernel_row *row, const char *path, const struct results *ptx,
                        const struct results *code) {
    unsigned wrong = 0;
    for (size_t i = 0; i < THREADS * row->results; i++) {
        if (!is_known(ptx, i)) continue;
        if (is_known(code, i) && agree(row, i % row->results, ptx->values[i], code->values[i])) continue;
        const uint64_t *from = operands[row->operands][i / row->results];
        if (wrong++ < 4)
            print_error("%s, %s, result %zu of %016" PRIx64 ", %016" PRIx64 ", %016" PRIx64 ": %016" PRIx64
                        "%s, PTX %016" PRIx64 "\n",
                        path, row->name, i % row->results, from[0], from[1], from[2], code->values[i],
                        is_known(code, i) ? "" : " (unknown)", ptx->values[i]);
    }
    return wrong;
}

/* Payloads of NaN are not the same where ptxas' code for f64 keeps an operand's; rcp.approx.f32 rounds a
 * subnormal result twice. */
static const struct kernel_row rows[] = {
    {"float_code", "divide_f32", 3, 0, 0, true, ANY_OPERANDS},
    {"float_code", "divide_f32_ftz", 3, 0, 0, true, ANY_OPERANDS},
    {"float_code", "divide_f64", 3, 7, 0, false, ANY_OPERANDS},
    {"float_code", "divide_32", 4, 0, 0, false, ANY_OPERANDS},
    {"float_code", "divide_64", 4, 0, 0, false, ANY_OPERANDS},
    {"float_code", "arithmetic_f32", 40, 0, 0, false, ANY_OPERANDS},
    {"float_code", "compare", 37, 0, 0, false, ANY_OPERANDS},
    {"float_code", "arithmetic_f64", 21, 0x18000, 0, false, ANY_OPERANDS},
    {"float_code", "to_integer", 63, 0, 0, false, ANY_OPERANDS},
    {"float_code", "from_integer", 55, 0, 0, false, ANY_OPERANDS},
    {"float_code", "between_floats", 26, 0, 0, false, ANY_OPERANDS},
    {"float_code", "halves", 31, 0, 0, false, ANY_OPERANDS},
    {"half_code", "halves_80", 28, 0, 0, false, ANY_OPERANDS},
    {"float_code", "divide_f32", 3, 0, 0, false, ORDINARY_OPERANDS},
    {"float_code", "divide_f32_ftz", 3, 0, 0, false, ORDINARY_OPERANDS},
    {"float_code", "divide_f64", 3, 0, 0, false, ORDINARY_OPERANDS},
    {"float_code", "approximate", 11, 0, 0x40, true, ANY_OPERANDS},
};

static const unsigned architectures[] = {75, 80, 86, 87, 89, 90};
static const char *const levels[] = {"", "_o1"};

static bool is_made(const struct kernel_row *row, unsigned architecture, const char *level) {
    return strcmp(row->module, "half_code") != 0 || (architecture != 75 && level[0] == '\0');
}

static void check_row(const struct kernel_row *row) {
    char path[128];
    unsigned wrong = 0;
    (void)text_format(path, sizeof path, FOLDER "%s.ptx", row->module);
    struct results ptx = run(path, row);
    for (size_t a = 0; a < COUNT(architectures); a++) {
        for (size_t l = 0; l < COUNT(levels); l++) {
            if (!is_made(row, architectures[a], levels[l])) continue;
            (void)text_format(path, sizeof path, FOLDER "%s%s.sm_%u.cubin", row->module, levels[l],
                              architectures[a]);
            struct results code = run(path, row);
            wrong += compare(row, path, &ptx, &code);
            results_free(&code);
        }
    }
    results_free(&ptx);
    assert_int_equal(wrong, 0);
}

#define TEST_OF_ROW(number)                                                                                  \
    static void test_row_##number(void **state) {                                                            \
        (void)state;                                                                                         \
        check_row(&rows[number]);                                                                            \
    }

TEST_OF_ROW(0)
TEST_OF_ROW(1)
TEST_OF_ROW(2)
TEST_OF_ROW(3)
TEST_OF_ROW(4)
TEST_OF_ROW(5)
TEST_OF_ROW(6)
TEST_OF_ROW(7)
TEST_OF_ROW(8)
TEST_OF_ROW(9)
TEST_OF_ROW(10)
TEST_OF_ROW(11)
TEST_OF_ROW(12)
TEST_OF_ROW(13)
TEST_OF_ROW(14)
TEST_OF_ROW(15)
TEST_OF_ROW(16)

/* An approximate function of which more is made than a division or root is not known. */
static void test_approximate_results_are_open(void **state) {
    (void)state;
    const struct kernel_row row = {"float_code", "approximate", 11, 0, 0, false, ORDINARY_OPERANDS};
    char path[128];
    for (size_t a = 0; a < COUNT(architectures); a++) {
        (void)text_format(path, sizeof path, FOLDER "float_code.sm_%u.cubin", architectures[a]);
        struct results code = run(path, &row);
        for (size_t i = 0; i < THREADS * row.results; i++)
            assert_false(is_known(&code, i));
        results_free(&code);
    }
}

static int set_up(void **state) {
    (void)state;
    make_operands(ANY_OPERANDS);
    make_operands(ORDINARY_OPERANDS);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    return unlink(operand_files[ANY_OPERANDS]) | unlink(operand_files[ORDINARY_OPERANDS]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_0),  cmocka_unit_test(test_row_1),
        cmocka_unit_test(test_row_2),  cmocka_unit_test(test_row_3),
        cmocka_unit_test(test_row_4),  cmocka_unit_test(test_row_5),
        cmocka_unit_test(test_row_6),  cmocka_unit_test(test_row_7),
        cmocka_unit_test(test_row_8),  cmocka_unit_test(test_row_9),
        cmocka_unit_test(test_row_10), cmocka_unit_test(test_row_11),
        cmocka_unit_test(test_row_12), cmocka_unit_test(test_row_13),
        cmocka_unit_test(test_row_14), cmocka_unit_test(test_row_15),
        cmocka_unit_test(test_row_16), cmocka_unit_test(test_approximate_results_are_open),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
