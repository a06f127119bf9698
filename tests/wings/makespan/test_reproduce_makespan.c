/* What the pages on ECRTS 2012 and ETFA 2013 say, as far as it is quick to find, and how they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "example.h"
#include "output.h"
#include "timing.h"
#include "wings/makespan/analysis/makespan.h"

static wb_diagnostics *diagnostics;

static void expect_ok(wb_status status) {
    if (status != WB_OK) fail_msg("status %d:\n%s", (int)status, wb_diagnostics_text(diagnostics));
}

static int make_diagnostics(void **state) {
    (void)state;
    diagnostics = wb_diagnostics_new();
    return diagnostics == NULL;
}

static int free_diagnostics(void **state) {
    (void)state;
    wb_diagnostics_free(diagnostics);
    return 0;
}

static uint64_t worst_case(const char *string, const char *units, unsigned warps) {
    uint64_t cycles = 0;
    expect_ok(example_worst_case(string, units, NULL, warps, diagnostics, &cycles));
    return cycles;
}

static wb_bound bound_of(const struct example *example) {
    wb_bound bound;
    expect_ok(example_bound(example, diagnostics, &bound));
    return bound;
}

/* ETFA 2013: T(1) to T(8) of the Voronoi kernel, two of them limited, and the string that would explain 176.
 */
static void test_voronoi(void **state) {
    (void)state;
    static const uint64_t worst[] = {25, 31, 37, 45, 57, 67, 77, 86};
    uint64_t limited = 0;
    for (unsigned w = 1; w <= 8; w++)
        assert_int_equal(worst_case("L5C9L2C9", "L=1,C=4", w), worst[w - 1]);
    assert_int_equal(worst_case("L5C9L2C8", "L=1,C=4", 4), 44);
    expect_ok(example_worst_case("L5C9L2C9", "L=1,C=4", "4", 5, diagnostics, &limited));
    assert_int_equal(limited, 65);
    const struct example extrapolated = {
        .operand = "L5C9L2C9", .warps = "16", .units = "L=1,C=4", .x = "4", .methods = "extrapolate"};
    assert_int_equal(bound_of(&extrapolated).cycles, 180);
    const struct example four = {.operand = "L5C9L2C9", .warps = "4", .units = "L=1,C=4", .methods = "brute"};
    assert_int_equal(bound_of(&four).cycles, 45);
    assert_int_equal(bound_of(&four).kind, WB_EXACT);
}

/* ECRTS 2012, Fig. 5 to 7: T(W) of LLCLL, of LCLCL with half the load/store units, and eq. (5). */
static void test_convergence(void **state) {
    (void)state;
    static const uint64_t worst[] = {8, 13, 20, 26, 32, 38, 44, 50};
    for (unsigned w = 1; w <= 16; w++)
        assert_int_equal(worst_case("LLCLL", "L=1,C=1", w), 4 * w + 1);
    for (unsigned w = 1; w <= 8; w++)
        assert_int_equal(worst_case("LCLCL", "L=1/2,C=1", w), worst[w - 1]);
    const struct example fig6 = {
        .operand = "LLCLL", .warps = "600", .units = "L=1,C=1", .methods = "pessimistic"};
    const struct example fig7 = {
        .operand = "LCLCL", .warps = "420", .units = "L=1/2,C=1", .methods = "pessimistic"};
    assert_int_equal(bound_of(&fig6).cycles, 3000);
    assert_int_equal(bound_of(&fig7).cycles, 3360);
}

/* ECRTS 2012, Fig. 1 and 2. */
static void test_transformation(void **state) {
    (void)state;
    const struct example fig1 = {
        .operand = "LC", .warps = "4", .units = "L=16,C=32", .warp_size = "32", .methods = "exact"};
    wb_makespan *makespan = NULL;
    expect_ok(example_solve(&fig1, diagnostics, &makespan));
    const struct makespan_problem *problem = &makespan->problem;
    assert_int_equal(problem->position_count, 3);
    assert_memory_equal(problem->unit, ((const uint8_t[]){0, 0, 1}), 3); /* LLC */
    assert_int_equal(problem->capacity[0], 1);
    assert_int_equal(wb_makespan_bound(makespan, 0)->cycles, 9);
    wb_makespan_free(makespan);
    assert_int_equal(worst_case("LLC", "L=1,C=1", 4), 9);
}

/* The smallest problem on which a formula fails, by the method itself and exactly. */
static void check_refuted(const char *formula, const char *both, uint64_t claimed) {
    const struct example example = {.refute = formula, .methods = both};
    wb_makespan *makespan = NULL;
    expect_ok(example_solve(&example, diagnostics, &makespan));
    assert_int_equal(makespan->problem.instruction_count, 8);
    assert_int_equal(makespan->problem.capacity[0], 2);
    for (size_t i = 0; i < 2; i++) {
        const wb_bound *bound = wb_makespan_bound(makespan, i);
        bool exact = bound->kind == WB_EXACT;
        assert_int_equal(bound->cycles, exact ? 5 : claimed);
        if (!exact) assert_int_equal(bound->kind, WB_ESTIMATE);
    }
    wb_makespan_free(makespan);
}

static void test_refuted(void **state) {
    (void)state;
    const struct example single = {
        .operand = "LCL", .warps = "4", .units = "L=1,C=1", .x = "2", .methods = "extrapolate"};
    check_refuted("pessimistic", "pessimistic,exact", 4);
    check_refuted("extrapolate", "exact,extrapolate", 4);
    assert_int_equal(bound_of(&single).cycles, 8);
    assert_int_equal(worst_case("LCL", "L=1,C=1", 4), 9);
}

/* The text is the whole of what was written; the caller's buffer is empty afterwards. */
static void expect_text(struct text *text, const char *expected) {
    char *taken = text_take(text);
    assert_non_null(taken);
    assert_string_equal(taken, expected);
    free(taken);
}

static void test_command(void **state) {
    (void)state;
    const struct example example = {.operand = "LC",
                                    .warps = "2",
                                    .units = "L=1,C=1",
                                    .issue = "1",
                                    .methods = "brute",
                                    .schedule = true};
    struct text page = {0};
    expect_ok(example_show(&example, diagnostics, &page));
    expect_text(&page, "    $ warpbound makespan LC -w 2 -u L=1,C=1 --issue 1 --method brute --schedule\n"
                       "    cycle       1  2  3  4\n"
                       "    warp 1      L  C\n"
                       "    warp 2            L  C\n\n");
    example_put_block("a\n\nb", &page);
    expect_text(&page, "    a\n\n    b\n\n");
}

#define TEN "123456789 "
#define EIGHTY TEN TEN TEN TEN TEN TEN TEN TEN

/* Lines of 100 columns: characters count, not bytes; quoted words stay together; items are indented. */
static void test_words(void **state) {
    (void)state;
    struct text page = {0};
    output_put_words(&page, "%d words", 2);
    expect_text(&page, "2 words\n\n");
    output_put_words(&page, EIGHTY TEN "ééééééé %s a", "xy");
    expect_text(&page, EIGHTY TEN "ééééééé xy\na\n\n");
    output_put_words(&page, EIGHTY "123456789 `a long command`");
    expect_text(&page, EIGHTY "123456789\n`a long command`\n\n");
    output_put_words(&page, "- " EIGHTY TEN "12345678 12");
    expect_text(&page, "- " EIGHTY TEN "12345678\n  12\n");
}

static void test_times(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *shown;
    } cases[] = {{0, "< 0.01 s"}, {0.0234, "0.023 s"}, {0.5, "0.50 s"},
                 {3.24, "3.2 s"}, {12.7, "13 s"},      {127, "130 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text page = {0};
        timing_put(cases[i].seconds, &page);
        expect_text(&page, cases[i].shown);
    }
    assert_true(timing_seconds() > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_voronoi),        cmocka_unit_test(test_convergence),
        cmocka_unit_test(test_transformation), cmocka_unit_test(test_refuted),
        cmocka_unit_test(test_command),        cmocka_unit_test(test_words),
        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, make_diagnostics, free_diagnostics);
}
