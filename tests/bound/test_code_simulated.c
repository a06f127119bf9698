/* Simulations of blocks of machine code: every schedule is one that the machine allows, so none is longer
 * than the longest of all executions, nor than a bound; and where there is only one execution, it is that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "bound/sass/code_profile.h"
#include "random_block.h"
#include "sass_block.h"
#include "sass_check.h"
#include "sim/gpu/gpu.h"
#include "sim/sass/sass_simulate.h"

#define FAMILY_ROUNDS 6000u
#define STATES 600
#define DRAWS 4u

/* One warp comes last everywhere, and all others have the least latencies. */
static uint32_t starve_first(const struct policy_view *view) {
    uint32_t found = WARP_NONE;
    for (uint32_t w = 0; w < view->words * 64; w++)
        if (warp_set_has(view->ready, w) && warp_set_has(view->members, w)) found = w;
    return found;
}

static bool others_hurry(const struct sim_policy *policy, uint32_t warp, uint64_t step) {
    (void)policy;
    (void)step;
    return warp != 0;
}

static bool first_yields(const struct sim_policy *policy, uint32_t warp) {
    (void)policy;
    return warp == 0;
}

static const struct sim_policy starving = {.name = "starving",
                                           .work_conserving = true,
                                           .pick = starve_first,
                                           .hurries = others_hurry,
                                           .yields = first_yields};

static const struct sim_policy *const tried[] = {&policy_cggty, &policy_gto, &policy_lrr, &policy_oldest,
                                                 &starving};

static void fail_at(const struct sass_grid *grid, const char *what, const char *policy, uint64_t seed,
                    cycles time) {
    struct text text = {0};
    text_printf(&text, "seed %" PRIu64 ", %s: %" PRIu64 " cycles: %s\n", seed, policy, time, what);
    sass_grid_print(grid, &text);
    fputs(text.data, stderr);
    text_free(&text);
    fail();
}

static uint32_t any_between(void *user, uint32_t least, uint32_t most) {
    return most <= least ? most : least + (uint32_t)random_below(user, most - least + 1);
}

static cycles simulated(const struct timed_block *block, const struct sim_policy *policy,
                        struct random_state *random) {
    const struct sass_run run = {
        .policy = policy, .choose = random == NULL ? NULL : any_between, .user = random};
    struct wb_diagnostics messages = {0};
    wb_simulation result;
    assert_int_equal(sass_simulate(block, &run, NULL, NULL, &messages, &result), WB_OK);
    return result.cycles;
}

static void make_block(const struct sass_grid *grid, struct wb_machine *machine, struct timed_block *block) {
    sass_block_from(grid, 1, false, machine, block);
    machine->sass.constant_probe = SASS_PROBE;
}

static void test_no_simulation_is_beyond_a_bound(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(FAMILY_ROUNDS);
    for (size_t f = 0; f < SASS_FAMILIES; f++) {
        uint32_t searched = 0, longest = 0;
        for (uint64_t seed = 1; seed <= rounds; seed++) {
            struct sass_grid grid;
            struct wb_machine machine;
            struct timed_block block;
            struct code_profile profile;
            random_sass_grid(&sass_families[f], seed, &grid);
            sass_grid_state_all(&grid);
            grid.blocks = grid.sms = grid.slots = 1;
            make_block(&grid, &machine, &block);
            assert_int_equal(code_profile_make(&block, MISSES_ON_PATHS, &profile), WB_OK);
            const cycles releases = code_profile_releases(&profile);
            const struct sass_bounds naive = naive_sass_block(&grid, 0, SASS_AS_PROVEN);
            const cycles bound = cycles_min(
                cycles_min(naive.sib, cycles_min(naive.fib, naive.elb)),
                cycles_min(code_profile_sum(&profile, true), profile.work + profile.latency) + releases);
            const cycles exact = sass_explore(&grid, STATES);
            cycles most = 0;
            for (size_t p = 0; p < sizeof tried / sizeof *tried; p++) {
                struct random_state random = random_seeded(seed);
                for (uint32_t draw = 0; draw <= DRAWS; draw++) {
                    const cycles time = simulated(&block, tried[p], draw == 0 ? NULL : &random);
                    if (time > bound) fail_at(&grid, "more than a bound", tried[p]->name, seed, time);
                    if (draw == 0 && exact > 0 && time > exact)
                        fail_at(&grid, "more than any execution", tried[p]->name, seed, time);
                    most = cycles_max(most, time);
                }
            }
            searched += exact > 0;
            longest += exact > 0 && most == exact;
            code_profile_free(&profile);
            timed_block_free(&block);
        }
        printf("%s: %" PRIu32 " of %" PRIu32 " searched, some simulation the longest in %" PRIu32 "\n",
               sass_families[f].name, searched, rounds, longest);
        assert_true(searched > rounds / 3);
        assert_true(longest > searched / 10);
    }
}

/* A warp by itself whose latencies are known has no choice. */
static void test_a_lone_warp_takes_what_it_takes(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(FAMILY_ROUNDS);
    uint32_t searched = 0, same = 0;
    for (size_t f = 0; f < SASS_FAMILIES; f++)
        for (uint64_t seed = 1; seed <= rounds; seed++) {
            struct sass_grid grid;
            struct wb_machine machine;
            struct timed_block block;
            bool clash[SASS_GRID_UNITS], clashes = false;
            random_sass_grid(&sass_families[f], seed, &grid);
            grid.warps = 1;
            sass_grid_state_all(&grid);
            grid.blocks = grid.sms = grid.slots = 1;
            grid.rules.first_in_first_out = true;
            for (uint32_t k = 0; k < grid.programs[0].count; k++) {
                struct sass_timed *timed = &grid.programs[0].steps[k].stated;
                timed->write_least = timed->write_most;
                timed->read_least = timed->read_most;
            }
            naive_sass_clashes(&grid, clash);
            for (uint32_t u = 0; u < grid.units; u++)
                clashes |= clash[u];
            const cycles exact = sass_explore(&grid, 100000);
            make_block(&grid, &machine, &block);
            const cycles time = simulated(&block, &policy_lrr, NULL);
            timed_block_free(&block);
            if (exact == 0) continue;
            searched++;
            same += time == exact;
            if (time > exact || (time < exact && !clashes))
                fail_at(&grid, "not what the only execution takes", sass_families[f].name, seed, time);
        }
    printf("%" PRIu32 " searched, the same in %" PRIu32 "\n", searched, same);
}

/* Four instructions that pass two full units in opposite orders, by turns, and never end: no machine that is
 * checked has such ways. Whoever executes them fails, and no number is left. */
static void test_what_is_stuck_is_an_error(void **state) {
    (void)state;
    struct sass_grid grid;
    struct wb_machine machine;
    struct timed_block block;
    struct sass_gpu gpu;
    struct arena arena = {0};
    struct wb_diagnostics said = {0};
    wb_analysis *analysis;
    wb_schedule *schedule;
    wb_gpu_simulation simulation;
    size_t count;
    random_sass_grid(&sass_families[0], 1, &grid);
    grid.sub_cores = grid.warps = grid.blocks = grid.sms = grid.slots = 1;
    grid.units = 2;
    grid.queue[0] = grid.queue[1] = 1;
    grid.programs[0].count = 4;
    for (uint8_t k = 0; k < 4; k++) {
        struct sass_timed *timed = &grid.programs[0].steps[k].stated;
        const uint8_t first = k & 1, second = 1 - first;
        *timed = (struct sass_timed){.stall = 1, .stall_least = 1, .slot = 1, .stage_count = 2};
        timed->stages[0] = (struct sass_stage){.unit = first, .init = 9};
        timed->stages[1] = (struct sass_stage){.unit = second, .init = 9};
        timed->read_counter = timed->left_counter = SASS_NO_COUNTER;
        timed->constant_line = SASS_NO_LINE;
    }
    sass_grid_state_all(&grid);
    sass_block_from(&grid, 1, false, &machine, &block);
    machine.issue_width = machine.issue_per_warp = 1;
    assert_int_equal(analysis_of_timed(&block, &said, &analysis), WB_OK);
    assert_int_equal(wb_analysis_simulate(analysis, NULL, NULL, &said), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(&said), "cggty: error: deadlock: blocks remain"));
    (void)wb_analysis_simulations(analysis, &count);
    assert_int_equal(count, 0);
    assert_int_equal(wb_analysis_bound(analysis, "code-elb", NULL, &said), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, "adversary", NULL, &said), WB_ERR_INPUT);
    assert_int_equal(wb_schedule_simulate(analysis, "gto", NULL, &said, &schedule), WB_ERR_INPUT);
    wb_analysis_free(analysis);
    sass_gpu_from(&grid, &gpu);
    diagnostics_clear(&said);
    said = (struct wb_diagnostics){0};
    const struct gpu_scheme scheme = {.name = "default", .policy = &policy_gto};
    const struct gpu_options options = {.threads = 1};
    assert_int_equal(gpu_simulate(&gpu.timed, &scheme, &options, &said, &arena, &simulation), WB_ERR_INPUT);
    assert_true(said.stuck);
    diagnostics_clear(&said);
    arena_free(&arena);
    sass_gpu_free(&gpu);
    timed_block_free(&block);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lone_warp_takes_what_it_takes),
        cmocka_unit_test(test_what_is_stuck_is_an_error),
        cmocka_unit_test(test_no_simulation_is_beyond_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
