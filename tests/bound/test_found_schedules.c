/* Schedules of what is analysed: those that searches found take as long when the simulator executes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "random_grid.h"
#include "recorded_schedule_check.h"
#include "sim/schedule/schedule.h"

static const uint32_t depths[] = {0, 1, 3, DEPTH_UNLIMITED};

static const struct random_grid_shape shape = {
    .block = {SHAPE_BLOCK(3, 6, 9, 5, 8), .barrier_percent = 15, .sub_cores = 2, .width = 2, .instances = 2},
    SHAPE_GRID(depths, 3, 9, 3, 2),
    .dispatch_latency = 3,
    .dispatch_service = 2,
    .free_percent = 30,
};

/* The kernel, or one of its blocks: the longest schedule is as long as the slowest simulation and the longest
 * execution that was found. */
static void check_worst(const wb_analysis *analysis, uint64_t found, wb_diagnostics *diagnostics,
                        const char *label) {
    wb_schedule *schedule = NULL;
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    uint64_t longest = found;
    for (size_t s = 0; s < count; s++)
        if (simulations[s].cycles > longest) longest = simulations[s].cycles;
    if (wb_schedule_worst(analysis, NULL, diagnostics, &schedule) != WB_OK)
        fail_msg("%s\n%s", wb_diagnostics_text(diagnostics), label);
    recorded_schedule_check(schedule, label);
    const wb_schedule_info *info = wb_schedule_describe(schedule);
    if (info->cycles != longest)
        fail_msg("%s takes %" PRIu64 ", found: %" PRIu64 "\n%s",
                 info->method != NULL ? info->method : info->policy, info->cycles, longest, label);
    assert_int_equal(info->kind, info->method != NULL ? WB_LOWER : WB_SIMULATED);
    wb_schedule_free(schedule);
}

/* Results are there after the latency of their instruction, or earlier where that may be chosen, but not
 * before the least that the machine allows. How many came earlier. */
static uint64_t check_latencies(const wb_schedule *schedule, bool may_hurry, const char *label) {
    size_t count;
    uint64_t earlier = 0;
    const wb_issue *issues = wb_schedule_issues(schedule, &count);
    for (size_t i = 0; i < count; i++) {
        const struct timed_inst *inst = &schedule->code->insts[issues[i].instruction];
        const uint64_t taken = issues[i].ready - issues[i].free;
        if (taken > inst->latency || taken < (may_hurry ? inst->latency_least : inst->latency))
            fail_msg("a latency of %u to %u takes %" PRIu64 "\n%s", inst->latency_least, inst->latency, taken,
                     label);
        earlier += taken < inst->latency;
    }
    return earlier;
}

/* No execution that was found takes longer than what is proven. */
static void check_proven(const wb_analysis *analysis, const char *label) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t l = 0; l < count; l++)
        for (size_t u = 0; u < count; u++)
            if (bounds[l].kind == WB_LOWER && bounds[u].kind == WB_UPPER &&
                bounds[l].cycles > bounds[u].cycles)
                fail_msg("%s %" PRIu64 " > %s %" PRIu64 "\n%s", bounds[l].method, bounds[l].cycles,
                         bounds[u].method, bounds[u].cycles, label);
}

static uint64_t longest_found(const wb_analysis *analysis) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    uint64_t longest = 0;
    for (size_t b = 0; b < count; b++)
        if (bounds[b].kind == WB_LOWER && bounds[b].cycles > longest) longest = bounds[b].cycles;
    return longest;
}

static void test_found_schedules_are_replayed(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= random_rounds(60); seed++) {
        struct random_grid grid;
        wb_analysis *kernel = NULL, *block = NULL;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        random_grid_make(seed, &shape, &grid);
        if (analysis_parse("grid", grid.label, strlen(grid.label), diagnostics, &kernel) != WB_OK ||
            wb_analysis_simulate(kernel, "lrr,oldest", NULL, diagnostics) != WB_OK ||
            wb_analysis_bound(kernel, "k-adversary", NULL, diagnostics) != WB_OK)
            fail_msg("%s\n%s", wb_diagnostics_text(diagnostics), grid.label);
        check_worst(kernel, longest_found(kernel), diagnostics, grid.label);
        assert_int_equal(analysis_of_timed(&grid.block.classes.items[0].timed, diagnostics, &block), WB_OK);
        assert_int_equal(wb_analysis_bound(block, "adversary", NULL, diagnostics), WB_OK);
        check_worst(block, longest_found(block), diagnostics, grid.label);
        wb_analysis_free(block);
        wb_analysis_free(kernel);
        wb_diagnostics_free(diagnostics);
        random_grid_free(&grid);
    }
}

/* The longest schedule with latencies that may be shorter: replayed, within what is proven, and where nothing
 * longer is known with latencies as stated, with some that are shorter. */
static void test_shorter_latencies(void **state) {
    (void)state;
    uint64_t longer = 0, earlier = 0;
    static const struct random_grid_shape wide = {.block = {SHAPE_BLOCK(3, 5, 9, 5, 7), .barrier_percent = 10,
                                                            .sub_cores = 3, .width = 1, .instances = 1},
                                                  SHAPE_GRID(depths, 2, 9, 2, 3),
                                                  .free_percent = 60};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random_grid grid;
        wb_analysis *kernel = NULL;
        wb_schedule *schedule = NULL;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        random_grid_make(seed, &wide, &grid);
        if (analysis_parse("grid", grid.label, strlen(grid.label), diagnostics, &kernel) != WB_OK ||
            analysis_bound_kernel(kernel, NULL, diagnostics) != WB_OK ||
            wb_analysis_bound(kernel, "k-adversary", NULL, diagnostics) != WB_OK)
            fail_msg("%s\n%s", wb_diagnostics_text(diagnostics), grid.label);
        const uint64_t as_stated = longest_found(kernel);
        assert_int_equal(wb_analysis_judge(kernel, WB_SCOPE_KERNEL, NULL).slowest.cycles, as_stated);
        assert_int_equal(wb_schedule_worst(kernel, NULL, diagnostics, &schedule), WB_OK);
        (void)check_latencies(schedule, false, grid.label);
        wb_schedule_free(schedule);
        assert_int_equal(wb_analysis_bound(kernel, "k-adversary-short", NULL, diagnostics), WB_OK);
        check_proven(kernel, grid.label);
        check_worst(kernel, longest_found(kernel), diagnostics, grid.label);
        assert_int_equal(wb_schedule_worst(kernel, NULL, diagnostics, &schedule), WB_OK);
        earlier += check_latencies(schedule, true, grid.label) > 0;
        longer += longest_found(kernel) > as_stated;
        /* A verdict is of latencies as stated. */
        assert_int_equal(wb_analysis_judge(kernel, WB_SCOPE_KERNEL, NULL).slowest.cycles, as_stated);
        wb_schedule_free(schedule);
        wb_analysis_free(kernel);
        wb_diagnostics_free(diagnostics);
        random_grid_free(&grid);
    }
    assert_true(longer >= 3 && earlier >= 3);
}

/* The exact worst case comes without a schedule: the schedule says how long that is, and who found it. */
static void test_longer_ones_are_named(void **state) {
    (void)state;
    uint32_t longer = 0;
    static const struct random_grid_shape one_issue = {
        .block = {SHAPE_BLOCK(3, 6, 9, 3, 5), .sub_cores = 1, .width = 1, .instances = 1},
        SHAPE_GRID(depths, 1, 1, 1, 1),
        .free_percent = 100};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct random_grid grid;
        wb_analysis *block = NULL;
        wb_schedule *schedule = NULL;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        random_grid_make(seed, &one_issue, &grid);
        assert_int_equal(analysis_of_timed(&grid.block.classes.items[0].timed, diagnostics, &block), WB_OK);
        assert_int_equal(wb_schedule_worst(block, NULL, diagnostics, &schedule), WB_ERR_DECLINED);
        assert_int_equal(wb_analysis_bound(block, "exhaustive", NULL, diagnostics), WB_OK);
        assert_int_equal(wb_schedule_worst(block, NULL, diagnostics, &schedule), WB_ERR_DECLINED);
        assert_int_equal(wb_analysis_simulate(block, "lrr", NULL, diagnostics), WB_OK);
        assert_int_equal(wb_schedule_worst(block, NULL, diagnostics, &schedule), WB_OK);
        const wb_schedule_info *info = wb_schedule_describe(schedule);
        size_t count;
        assert_int_equal(info->longest, wb_analysis_bounds(block, &count)->cycles);
        assert_true(info->longest >= info->cycles);
        if (info->longest > info->cycles) {
            assert_string_equal(info->longest_by, "exhaustive");
            longer++;
        } else {
            assert_null(info->longest_by);
        }
        wb_schedule_free(schedule);
        wb_analysis_free(block);
        wb_diagnostics_free(diagnostics);
        random_grid_free(&grid);
    }
    assert_true(longer > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_found_schedules_are_replayed),
                                       cmocka_unit_test(test_shorter_latencies),
                                       cmocka_unit_test(test_longer_ones_are_named)};
    return cmocka_run_group_tests_name("schedules", tests, NULL, NULL);
}
