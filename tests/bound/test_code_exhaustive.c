/* The search of all executions of a small block of machine code against the explorer of the tests: the same
 * number where both may choose the same, and never beyond a bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bound/sass/code_profile.h"
#include "bound/search/code_state.h"
#include "bound/search/schedule_search.h"
#include "random_block.h"
#include "sass_block.h"
#include "sass_check.h"

#define ROUNDS 3000u
#define STATES 1500
#define DURATION_STATES 2000
#define EXECUTIONS 64u /* of which the explorer goes through all, duration by duration */

static const struct code_freedom all = {true, true, true, true, true, true,
                                        true, true, true, true, true, true};

static void fail_at(const struct sass_family *family, uint64_t seed, const struct sass_grid *grid,
                    const char *what, uint64_t found, uint64_t other) {
    struct text text = {0};
    text_printf(&text, "family \"%s\", seed %" PRIu64 ": %s: %" PRIu64 ", %" PRIu64 "\n", family->name, seed,
                what, found, other);
    sass_grid_print(grid, &text);
    fputs(text.data, stderr);
    text_free(&text);
    fail();
}

/* One block whose constants are looked for in PROBE cycles. */
static void draw(const struct sass_family *family, uint64_t seed, struct sass_grid *grid) {
    random_sass_grid(family, seed, grid);
    grid->blocks = grid->sms = grid->slots = 1;
    grid->rules.first_in_first_out = false;
    grid->lines.l0 = grid->lines.l1 = grid->lines.constants = false;
    for (uint32_t w = 0; w < grid->warps; w++)
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            struct sass_step *step = &grid->programs[w].steps[k];
            if (step->stated.operand == 0) continue;
            step->stated.slot = step->stated.slot - step->probe + SASS_PROBE;
            step->probe = SASS_PROBE;
            step->actual.probe = step->actual.operand > 0 ? SASS_PROBE : 0;
        }
}

/* What happens is what is stated. */
static void state_actual(struct sass_grid *grid) {
    grid->release = grid->actual_release[0][0];
    memset(grid->actual_release, (int)grid->release, sizeof grid->actual_release);
    for (uint32_t w = 0; w < grid->warps; w++)
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            struct sass_step *step = &grid->programs[w].steps[k];
            struct sass_timed *timed = &step->stated;
            timed->stall = timed->stall_least = step->actual.stall;
            timed->slot = (uint32_t)step->actual.slot + step->actual.probe;
            timed->fetch = step->actual.fetch;
            timed->operand = step->actual.operand;
            step->probe = step->actual.probe;
            for (uint32_t i = 0; i < timed->stage_count; i++) {
                timed->stages[i].init = step->actual.init[i];
                timed->stages[i].transfer = step->actual.transfer[i];
            }
        }
}

/* The freedom that the rules of a grid leave. */
static struct code_freedom freedom_of(const struct sass_rules *rules, bool shorter) {
    return (struct code_freedom){.shorter = shorter,
                                 .start_first = !rules->issue_first,
                                 .issue_first = rules->issue_first,
                                 .paced_from_issue = !rules->late_stall,
                                 .paced_from_room = rules->late_stall,
                                 .seen_at_once = !rules->hidden_count,
                                 .seen_late = rules->hidden_count,
                                 .prompt_start = rules->prompt_start,
                                 .late_start = !rules->prompt_start,
                                 .open_at_issue = !rules->late_release,
                                 .open_at_end = rules->late_release,
                                 .merges = true};
}

/* The longest that the library finds; 0: it would go through more states. */
static cycles search_all(const struct sass_grid *grid, const struct code_freedom *freedom, uint64_t states) {
    struct wb_machine machine;
    struct timed_block block;
    struct code_profile profile;
    struct code_model model;
    struct arena arena = {0};
    struct search_budget budget = search_budget_of(states);
    struct schedule_search search = {.stage = "executions", .budget = &budget};
    sass_block_from(grid, 1, false, &machine, &block);
    machine.sass.constant_probe = SASS_PROBE;
    assert_int_equal(code_profile_make(&block, MISSES_ON_PATHS, &profile), WB_OK);
    assert_int_equal(code_model_make(&block, profile.rules.clash, freedom, &arena, &model), WB_OK);
    const struct search_space space = code_space(&model);
    const wb_status status = schedule_search_through(&space, &search);
    assert_true(status == WB_OK || status == WB_ERR_LIMIT);
    assert_false(*model.entries_overflow);
    arena_free(&arena);
    code_profile_free(&profile);
    timed_block_free(&block);
    return status == WB_OK ? search.longest : 0;
}

static void test_same_as_the_explorer(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(ROUNDS);
    for (size_t f = 0; f < SASS_FAMILIES; f++) {
        uint32_t searched = 0;
        for (uint64_t seed = 1; seed <= rounds; seed++) {
            struct sass_grid grid;
            draw(&sass_families[f], seed, &grid);
            state_actual(&grid);
            const cycles time = sass_explore(&grid, STATES);
            if (time == 0) continue;
            const struct code_freedom freedom = freedom_of(&grid.rules, false);
            const cycles found = search_all(&grid, &freedom, UINT64_MAX);
            if (found != time) fail_at(&sass_families[f], seed, &grid, "not the same", found, time);
            searched++;
        }
        printf("%s: %" PRIu32 " of %" PRIu32 "\n", sass_families[f].name, searched, rounds);
        assert_true(searched > rounds / 3);
    }
}

/* ---- Every duration -------------------------------------------------------------------------------------
 */

/* Goes on to the next of *value between least and most; false when it begins again. */
static bool next_in(uint8_t *value, uint32_t least, uint32_t most) {
    if (*value < most) {
        (*value)++;
        return true;
    }
    *value = (uint8_t)(least < most ? least : most);
    return false;
}

/* What hits in a cache passes over its last stages, and does not move on to them. */
static uint32_t least_init(const struct sass_timed *timed, uint32_t stage) {
    return stage > 0 && stage < timed->stage_count ? 0 : 1;
}

static bool passes_over_middle(const struct sass_grid *grid) {
    for (uint32_t w = 0; w < grid->warps; w++)
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            const struct sass_step *step = &grid->programs[w].steps[k];
            for (uint32_t i = 1; i + 1u < step->stated.stage_count; i++)
                if (step->actual.init[i] == 0 &&
                    (step->actual.init[i + 1] > 0 || step->actual.transfer[i] > 0))
                    return true;
        }
    return false;
}

/* Goes on to the next durations of an instruction; false when they begin again. */
static bool next_of_step(struct sass_step *step) {
    const struct sass_timed *timed = &step->stated;
    if (next_in(&step->actual.slot, 1, timed->slot - step->actual.probe)) return true;
    if (timed->operand > 0) {
        const bool misses = next_in(&step->actual.operand, 0, timed->operand);
        step->actual.probe = misses ? SASS_PROBE : 0;
        if (misses) return true;
    }
    if (next_in(&step->actual.stall, timed->stall_least, timed->stall)) return true;
    if (next_in(&step->actual.fetch, 0, timed->fetch)) return true;
    for (uint32_t i = 0; i < timed->stage_count; i++)
        if (next_in(&step->actual.init[i], least_init(timed, i), timed->stages[i].init) ||
            next_in(&step->actual.transfer[i], 0, timed->stages[i].transfer))
            return true;
    return false;
}

static void begin_durations(struct sass_grid *grid, uint64_t *executions) {
    *executions = 1;
    memset(grid->actual_release, 0, sizeof grid->actual_release);
    for (uint32_t w = 0; w < grid->warps; w++)
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            struct sass_step *step = &grid->programs[w].steps[k];
            const struct sass_timed *timed = &step->stated;
            step->actual.operand = step->actual.probe = step->actual.fetch = 0;
            step->actual.slot = 1;
            step->actual.stall = (uint8_t)timed->stall_least;
            *executions *= timed->stall - timed->stall_least + 1;
            if (timed->barrier) *executions *= 1 + grid->release;
            *executions *= (uint64_t)(timed->operand + 1) * timed->slot * (timed->fetch + 1);
            for (uint32_t i = 0; i < timed->stage_count; i++) {
                const uint32_t least = least_init(timed, i);
                step->actual.init[i] = (uint8_t)least;
                step->actual.transfer[i] = 0;
                *executions *=
                    (uint64_t)(timed->stages[i].init + 1 - least) * (timed->stages[i].transfer + 1);
            }
        }
}

static bool next_durations(struct sass_grid *grid) {
    for (uint32_t w = 0; w < grid->warps; w++) {
        uint8_t *release = grid->actual_release[w];
        for (uint32_t k = 0; k < grid->programs[w].count; k++) {
            const struct sass_step *step = &grid->programs[w].steps[k];
            if (next_of_step(&grid->programs[w].steps[k])) return true;
            if (step->stated.barrier && next_in(release++, 0, grid->release)) return true;
        }
    }
    return false;
}

/* The longest over all durations; 0: some search would go through more states. */
static uint32_t explore_durations(struct sass_grid *grid) {
    uint32_t most = 0;
    do {
        if (passes_over_middle(grid)) continue;
        const uint32_t time = sass_explore(grid, STATES / 5);
        if (time == 0) return 0;
        most = time > most ? time : most;
    } while (next_durations(grid));
    return most;
}

/* Few durations are left, so that all can be gone through. */
static void thin_out(struct sass_grid *grid, uint64_t *executions) {
    for (uint32_t most = 4; most > 0; most--) {
        begin_durations(grid, executions);
        if (*executions <= EXECUTIONS) return;
        for (uint32_t w = 0; w < grid->warps; w++)
            for (uint32_t k = 0; k < grid->programs[w].count; k++) {
                struct sass_timed *timed = &grid->programs[w].steps[k].stated;
                const uint32_t slot = timed->operand > 0 ? SASS_PROBE + 1 : 1;
                if (most < 3 && (w + k) % most == 0 && timed->slot > slot) timed->slot = slot;
                if (timed->fetch >= most) timed->fetch = most - 1;
                for (uint32_t i = 0; i < timed->stage_count; i++)
                    if (timed->stages[i].init > most) timed->stages[i].init = most;
            }
    }
    begin_durations(grid, executions);
}

static void test_every_duration(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(ROUNDS / 4);
    for (size_t f = 0; f < SASS_FAMILIES; f++) {
        uint32_t searched = 0, longer = 0;
        for (uint64_t seed = 1; seed <= rounds; seed++) {
            struct sass_grid grid;
            uint64_t executions;
            draw(&sass_families[f], seed, &grid);
            thin_out(&grid, &executions);
            if (executions < 2 || executions > EXECUTIONS) continue;
            const struct sass_grid stated = grid;
            const uint32_t time = explore_durations(&grid);
            if (time == 0) continue;
            const struct code_freedom freedom = freedom_of(&grid.rules, true);
            const cycles found = search_all(&stated, &freedom, DURATION_STATES);
            if (found == 0) continue;
            if (found != time) fail_at(&sass_families[f], seed, &stated, "not the same", found, time);
            const cycles free_to_choose = search_all(&stated, &all, DURATION_STATES);
            if (free_to_choose == 0) continue;
            if (free_to_choose < found)
                fail_at(&sass_families[f], seed, &stated, "more freedom is less", free_to_choose, found);
            const struct sass_bounds bounds = naive_sass_block(&stated, 0, SASS_AS_PROVEN);
            const cycles bound = cycles_min(bounds.sib, cycles_min(bounds.fib, bounds.elb));
            if (free_to_choose > bound)
                fail_at(&sass_families[f], seed, &stated, "beyond a bound", free_to_choose, bound);
            searched++;
            longer += free_to_choose > found;
        }
        printf("%s: %" PRIu32 " of %" PRIu32 ", longer with all freedom %" PRIu32 "\n", sass_families[f].name,
               searched, rounds, longer);
        assert_true(searched > rounds / 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_the_explorer),
        cmocka_unit_test(test_every_duration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
