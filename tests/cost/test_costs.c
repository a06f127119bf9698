/* Costs of blocks written by hand, share by share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"

/* The costs of a block, or a grid, that a text describes. */
struct case_costs {
    wb_diagnostics *diagnostics;
    wb_analysis *analysis;
    wb_costs *costs;
};

static struct case_costs costs_of(const char *text, const char *method) {
    struct case_costs of = {.diagnostics = wb_diagnostics_new()};
    wb_status status = analysis_parse("case", text, strlen(text), of.diagnostics, &of.analysis);
    if (status == WB_OK) status = wb_analysis_bound(of.analysis, method, NULL, of.diagnostics);
    if (status == WB_OK) status = wb_costs_of_bound(of.analysis, method, NULL, of.diagnostics, &of.costs);
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(of.diagnostics));
    return of;
}

static void costs_free(struct case_costs *of) {
    wb_costs_free(of->costs);
    wb_analysis_free(of->analysis);
    wb_diagnostics_free(of->diagnostics);
}

/* What a share has to be. */
struct share {
    size_t row;
    wb_part_kind what;
    uint64_t cycles;
};

/* All shares that are not 0 are those listed, and no others. */
static void expect_shares(const struct case_costs *of, const struct share *shares, size_t share_count) {
    size_t count, found = 0;
    const wb_cost *rows = wb_costs_rows(of->costs, &count);
    for (size_t s = 0; s < share_count; s++) {
        assert_true(shares[s].row < count);
        assert_int_equal(rows[shares[s].row].share[shares[s].what], shares[s].cycles);
    }
    for (size_t r = 0; r < count; r++)
        for (int what = 0; what < WB_PART_COUNT; what++)
            found += rows[r].share[what] != 0;
    assert_int_equal(found, share_count);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Two warps `A B.0` with A(2,5), B(3,1) on one SM.
 * Alone: A starts in 0, its unit is free in 2, its result there in 7; B starts in 7, ends in 10, its result
 * is there in 11. The longest path is A's initiation and latency, B's initiation and latency: of A 1 cycle of
 * issue, 1 more of its unit and 5 of latency, of B 1, 2 and 1: 11.
 * SIB adds the initiations of the other warp: 2 of A and 3 of B. In all 16. */
static const char two_warps[] = "block: two\nunits: \"A(2,5) B(3,1)\"\nwarps: [\"2x A B.0\"]\n";

static void test_sib(void **state) {
    (void)state;
    static const struct share shares[] = {
        {0, WB_PART_ISSUE, 1}, {0, WB_PART_UNIT, 1}, {0, WB_PART_LATENCY, 5}, {0, WB_PART_INTERFERENCE, 2},
        {1, WB_PART_ISSUE, 1}, {1, WB_PART_UNIT, 2}, {1, WB_PART_LATENCY, 1}, {1, WB_PART_INTERFERENCE, 3}};
    struct case_costs of = costs_of(two_warps, "sib");
    assert_int_equal(wb_costs_total(of.costs), 16);
    expect_shares(&of, shares, COUNT(shares));
    costs_free(&of);
}

/* ELB: all initiations, of two warps, 2 * 2 of A and 2 * 3 of B, of which the first cycle of each is that of
 * the issue; and the latencies of A and B once: 10 + 6 = 16. */
static void test_elb(void **state) {
    (void)state;
    static const struct share shares[] = {{0, WB_PART_ISSUE, 2},   {0, WB_PART_UNIT, 2},
                                          {0, WB_PART_LATENCY, 5}, {1, WB_PART_ISSUE, 2},
                                          {1, WB_PART_UNIT, 4},    {1, WB_PART_LATENCY, 1}};
    struct case_costs of = costs_of(two_warps, "elb");
    assert_int_equal(wb_costs_total(of.costs), 16);
    expect_shares(&of, shares, COUNT(shares));
    size_t count;
    const wb_cost *rows = wb_costs_rows(of.costs, &count);
    assert_int_equal(rows[1].executions, 2);
    assert_int_equal(rows[1].issue, 2);
    assert_int_equal(rows[1].busy, 4);
    costs_free(&of);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sib),
        cmocka_unit_test(test_elb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
