/* Bounds by segment abstractions of every fineness against every schedule, on random problems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "makespan_cases.h"
#include "wings/makespan/method/closed.h"
#include "wings/makespan/segment/bound.h"
#include "wings/makespan/segment/table.h"

/* What the functions under test are called with, and what they return. */
struct fixture {
    struct makespan_settings settings;
    struct arena arena;
    struct makespan_run run;
    const struct segment_cut *cut;
    uint32_t tail_warps;
    uint64_t lower;
    uint64_t bound;
};

static void fixture_make(const struct makespan_problem *problem, struct fixture *fixture) {
    *fixture = (struct fixture){.settings = MAKESPAN_SETTINGS_DEFAULTS};
    fixture->run = (struct makespan_run){.problem = problem,
                                         .settings = &fixture->settings,
                                         .diagnostics = wb_diagnostics_new(),
                                         .arena = &fixture->arena};
    assert_non_null(fixture->run.diagnostics);
}

static void fixture_free(struct fixture *fixture) {
    wb_diagnostics_free(fixture->run.diagnostics);
    arena_free(&fixture->arena);
}

static void find_bound(void *context) {
    struct fixture *fixture = context;
    struct arena *arena = &fixture->arena;
    struct segment_abstraction abstraction;
    struct segment_choices choices;
    struct segment_layout layout;
    struct segment_tail tail;
    struct exact_tail exact;
    fixture->bound = SEGMENT_NO_BOUND;
    assert_true(segment_abstraction_make(fixture->run.problem, fixture->cut, arena, &abstraction));
    if (!segment_choices_make(&abstraction, arena, &choices) ||
        !segment_layout_make(&abstraction, &choices, arena, &layout))
        return;
    const bool has_tail = fixture->tail_warps > 0;
    if (has_tail) assert_true(exact_tail_make(&fixture->run, fixture->tail_warps, arena, &exact));
    segment_tail_make(&layout, has_tail ? &exact : NULL, arena, &tail);
    fixture->bound = segment_table_bound(&fixture->run, &layout, &tail, UINT64_MAX);
}

/* The bound of one abstraction, with an exact tail of so many warps. */
static uint32_t bound_of(struct fixture *fixture, const struct segment_cut *cut, uint32_t tail_warps) {
    fixture->cut = cut;
    fixture->tail_warps = tail_warps;
    assert_int_equal(arena_protect(&fixture->arena, find_bound, fixture), WB_OK);
    arena_free(&fixture->arena);
    return (uint32_t)fixture->bound;
}

static uint64_t exact_makespan(const struct makespan_problem *problem) {
    struct makespan_result brute = makespan_case_solve(&makespan_brute, problem, NULL, WB_OK);
    uint64_t exact = brute.bound.cycles;
    makespan_result_free(&brute);
    return exact;
}

/* How many random problems: more in an offline run, by the environment. */
static uint64_t problem_count(void) {
    const char *wanted = getenv("WB_SEGMENT_PROBLEMS");
    return wanted == NULL ? 1000 : strtoull(wanted, NULL, 10);
}

/* No abstraction is below the exact makespan, whatever its fineness and tail. */
static void test_bounds_hold(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= problem_count(); seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, 7, 5);
        struct fixture fixture;
        fixture_make(&problem, &fixture);
        uint64_t exact = exact_makespan(&problem);
        for (uint32_t i = 0; i < 3; i++) {
            const struct segment_cut cut = {
                .segments = 1 + (uint32_t)random_below(&random, 5),
                .counted_types = 1 + (uint32_t)random_below(&random, 4),
                .split_type = (uint32_t)random_below(&random, UNIT_TYPES + 1),
            };
            uint32_t tail_warps = (uint32_t)random_below(&random, 3);
            uint32_t bound = bound_of(&fixture, &cut, tail_warps);
            if (bound >= exact) continue;
            makespan_case_print(&problem);
            fail_msg("seed %llu: %u segments, %u types counted, type %u split, tail %u: %u < %llu",
                     (unsigned long long)seed, cut.segments, cut.counted_types, cut.split_type, tail_warps,
                     bound, (unsigned long long)exact);
        }
        fixture_free(&fixture);
        problem_free(&problem);
    }
}

/* Abstractions without an exact tail whose bounds are known, and the exact makespans. */
static const struct {
    struct makespan_case problem;
    uint32_t segments;
    uint32_t bound;
    uint64_t exact;
} known[] = {
    {{"L5C9L2C9", 16, {1, 4, 1, 1}, 0}, 1, 175, 160}, {{"L5C9L2C9", 16, {1, 4, 1, 1}, 4}, 1, 196, 184},
    {{"L5C9L2C9", 8, {1, 4, 1, 1}, 0}, 2, 95, 86},    {{"LLCLL", 60, {1, 1, 1, 1}, 0}, 1, 241, 241},
    {{"LLCLLCLL", 42, {1, 1, 1, 1}, 0}, 1, 254, 254}, {{"(LC)5", 16, {1, 1, 1, 1}, 0}, 1, 85, 85},
    {{"LCL", 16, {1, 1, 1, 1}, 0}, 1, 33, 33},        {{"C4", 16, {1, 4, 1, 1}, 0}, 1, 19, 19},
};

static void test_known_bounds(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct makespan_problem problem = makespan_case_problem(&known[i].problem);
        struct fixture fixture;
        fixture_make(&problem, &fixture);
        const struct segment_cut cut = {
            .segments = known[i].segments, .counted_types = 1, .split_type = UNIT_TYPES};
        assert_int_equal(bound_of(&fixture, &cut, 0), known[i].bound);
        assert_true(known[i].bound >= known[i].exact);
        fixture_free(&fixture);
        problem_free(&problem);
    }
}

static void find_least_bound(void *context) {
    struct fixture *fixture = context;
    fixture->bound = segment_bound(&fixture->run, fixture->lower);
}

static uint64_t least_bound(struct fixture *fixture, uint64_t lower) {
    fixture->lower = lower;
    assert_int_equal(arena_protect(&fixture->arena, find_least_bound, fixture), WB_OK);
    arena_free(&fixture->arena);
    return fixture->bound;
}

/* The least bound of several abstractions; it does not depend on the number of threads. */
static void test_best_bound(void **state) {
    (void)state;
    const struct makespan_case c = {"L3C5L2C4", 9, {1, 2, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&c);
    struct fixture fixture;
    fixture_make(&problem, &fixture);
    uint64_t bound = least_bound(&fixture, 0);
    uint64_t closed = closed_bound(&problem);
    assert_true(bound < closed);
    fixture.settings.threads = 1;
    assert_int_equal(least_bound(&fixture, 0), bound);
    fixture.settings.threads = 3;
    assert_int_equal(least_bound(&fixture, 0), bound);
    fixture_free(&fixture);
    problem_free(&problem);
}

static bool stop_at_once(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)user;
    (void)stage;
    (void)done;
    (void)total;
    return false;
}

/* Whatever stops the computation, the closed form is left; likewise where the problem is too large. */
static void test_limits(void **state) {
    (void)state;
    const struct makespan_case c = {"LLCLL", 12, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&c);
    struct fixture fixture;
    fixture_make(&problem, &fixture);
    assert_int_equal(least_bound(&fixture, 0), 49);
    assert_int_equal(least_bound(&fixture, 60), 60); /* the closed form reaches the lower end */
    fixture.settings.memory = 4096;
    assert_int_equal(least_bound(&fixture, 0), 60);
    fixture.settings.memory = 0;
    const wb_watch watch = {.poll = stop_at_once};
    fixture.run.watch = &watch;
    assert_int_equal(least_bound(&fixture, 0), 60);
    fixture_free(&fixture);
    problem_free(&problem);
    const struct makespan_case large = {"LCL", 100000, {1, 1, 1, 1}, 0};
    problem = makespan_case_problem(&large);
    fixture_make(&problem, &fixture);
    assert_int_equal(least_bound(&fixture, 0), 300000);
    fixture_free(&fixture);
    problem_free(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_hold),
        cmocka_unit_test(test_known_bounds),
        cmocka_unit_test(test_best_bound),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
