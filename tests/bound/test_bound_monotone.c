/* Bounds of covering paths rest on this: leaving out executions of a block, making others faster and ending
 * warps early never takes its worst case above the bounds of the whole block, nor raises these. Random
 * blocks, thinned at random, searched through all schedules. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"
#include "bound_named.h"
#include "explorer.h"
#include "random_check.h"
#include "thinned_block.h"

#define SEARCH_STATES 20000
#define ROUNDS 12000u

/* The methods that are held to it. */
static const char *const monotone[] = {"sib", "fib", "aln", "elb"};

enum { MONOTONE = sizeof monotone / sizeof *monotone };

static wb_analysis *analyse(const struct timed_block *timed, const char *methods) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_analysis *analysis = NULL;
    assert_int_equal(analysis_of_timed(timed, diagnostics, &analysis), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, methods, NULL, diagnostics), WB_OK);
    wb_diagnostics_free(diagnostics);
    return analysis;
}

static void fail_thinned(const char *method, cycles whole, const char *what, cycles thinned,
                         const char *label, const struct timed_block *before,
                         const struct timed_block *after) {
    struct text text = {0};
    text_printf(&text, "%s is %" PRIu64 ", but thinned %s %" PRIu64 "\n%s\n", method, whole, what, thinned,
                label);
    timed_block_describe(before, &text);
    text_string(&text, "thinned:\n");
    timed_block_describe(after, &text);
    fail_msg("%s", text.failed ? method : text.data);
}

/* Every proven bound of the whole block against that of the thinned one and its worst case. */
static void check_pair(const struct timed_block *whole, const struct timed_block *thinned,
                       const char *label) {
    wb_analysis *before = analyse(whole, "sib,fib,aln,elb"), *after = analyse(thinned, "sib,fib,aln,elb");
    cycles worst = explore(thinned, SEARCH_STATES); /* 0: not searched */
    for (size_t m = 0; m < MONOTONE; m++) {
        const wb_bound *bound = bound_named(before, monotone[m]);
        cycles rest = bound_named(after, monotone[m])->cycles;
        if (rest > bound->cycles)
            fail_thinned(monotone[m], bound->cycles, "it is", rest, label, whole, thinned);
        if (bound->kind == WB_UPPER && worst > bound->cycles)
            fail_thinned(monotone[m], bound->cycles, "takes", worst, label, whole, thinned);
    }
    wb_analysis_free(before);
    wb_analysis_free(after);
}

static void check_seed(const struct random_family *family, uint64_t seed) {
    struct random_block random;
    struct timed_block thinned;
    random_block_make(seed, &family->shape, family->depths, family->depth_count, &random);
    struct random_state state = random_seeded(seed);
    if (random_below(&state, 2) == 0)
        reuse_registers(&random.block.timed, 1 + (uint32_t)random_below(&state, 4));
    const struct thinning thinning = {.leave_out = (uint32_t)random_below(&state, 60),
                                      .shorten = 30 * (uint32_t)random_below(&state, 2),
                                      .end_early = 30 * (uint32_t)random_below(&state, 2)};
    thinned_block_make(&random.block.timed, &thinning, &state, &thinned);
    check_pair(&random.block.timed, &thinned, random.label);
    timed_block_free(&thinned);
    synthetic_block_free(&random.block);
}

static void test_random_thinnings(void **state) {
    (void)state;
    for (size_t f = 0; f < RANDOM_FAMILIES; f++)
        for (uint32_t i = 0; i < random_rounds(ROUNDS); i++)
            check_seed(&random_families[f], 500000 * (f + 1) + i);
}

static void parse(const char *units, const char *warps, struct synthetic_block *block) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_block_parse(units, warps, diagnostics, block) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
}

/* FIFO counts on the second B of warp 1 being issued behind the C that waits for the first; the exact worst
 * case on the two never meeting in the queue. Without that C neither holds: blocks with executions that may
 * be left out are not for these two. */
static void test_queues_and_exact_results_are_not_monotone(void **state) {
    (void)state;
    struct synthetic_block whole, thinned;
    parse("B(8,0) C(1,10)", "B C.0; B C.0 B", &whole);
    parse("B(8,0) C(1,10)", "B C.0; B B", &thinned);
    wb_analysis *before = analyse(&whole.timed, "all");
    cycles worst = explore(&thinned.timed, SEARCH_STATES);
    assert_int_equal(bound_named(before, "fifo")->cycles, 30);
    assert_int_equal(bound_named(before, "exhaustive")->cycles, 27);
    assert_int_equal(worst, 35);
    for (size_t m = 0; m < MONOTONE; m++)
        assert_true(bound_named(before, monotone[m])->cycles >= worst);
    wb_analysis_free(before);
    synthetic_block_free(&whole);
    synthetic_block_free(&thinned);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_thinnings),
        cmocka_unit_test(test_queues_and_exact_results_are_not_monotone),
    };
    return cmocka_run_group_tests_name("bounds of thinned blocks", tests, NULL, NULL);
}
