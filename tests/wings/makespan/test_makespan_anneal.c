/* Warp pseudo-precedence strings and the annealing on them: the examples of ETFA'13, rescheduling against
 * scheduling from scratch, and the method against every schedule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "makespan_cases.h"
#include "wings/makespan/anneal/precedence_string.h"
#include "wings/makespan/anneal/reschedule.h"
#include "wings/makespan/method/closed.h"

#define EXAMPLE_LENGTH 12u

/* The example of section IV: four warps, LCL, one load/store unit and one CUDA core. */
static struct makespan_problem example_problem(void) {
    return makespan_case_problem(&(struct makespan_case){"LCL", 4, {1, 1, 1, 1}, 0});
}

/* Fails unless the schedule is one of the problem. */
static void expect_valid(const struct makespan_problem *problem, const struct schedule *schedule) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_non_null(diagnostics);
    if (schedule_check(problem, schedule, "schedule", diagnostics) != WB_OK) {
        makespan_case_print(problem);
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    }
    wb_diagnostics_free(diagnostics);
}

/* The schedule of a string of the example, whose identifiers count from 1 as in the paper. */
static struct schedule example_schedule(const struct makespan_problem *problem,
                                        const uint32_t paper[EXAMPLE_LENGTH], struct arena *arena,
                                        uint32_t *cycle_string) {
    uint32_t string[EXAMPLE_LENGTH];
    for (size_t i = 0; i < EXAMPLE_LENGTH; i++)
        string[i] = paper[i] - 1;
    struct schedule schedule = {0};
    assert_true(precedence_schedule(problem, string, NULL, NULL, arena, &schedule));
    precedence_cycles(problem, string, &schedule, arena, cycle_string);
    expect_valid(problem, &schedule);
    return schedule;
}

/* String (2) with its warp cycle string of section VII; the string of Fig. 5 and another of that schedule. */
static void test_worked_example(void **state) {
    (void)state;
    static const uint32_t string2[] = {1, 1, 2, 2, 3, 3, 4, 1, 4, 2, 3, 4};
    static const uint32_t cycles2[] = {1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8};
    static const uint32_t figure5[] = {1, 1, 2, 2, 3, 3, 1, 2, 3, 4, 4, 4};
    static const uint32_t same_as_figure5[] = {1, 2, 1, 3, 2, 3, 1, 2, 3, 4, 4, 4};
    struct makespan_problem problem = example_problem();
    struct arena arena = {0};
    uint32_t cycle_string[EXAMPLE_LENGTH];
    struct schedule schedule = example_schedule(&problem, string2, &arena, cycle_string);
    assert_memory_equal(cycle_string, cycles2, sizeof cycles2);
    assert_int_equal(schedule.makespan, 8);
    schedule = example_schedule(&problem, figure5, &arena, cycle_string);
    struct schedule same = example_schedule(&problem, same_as_figure5, &arena, cycle_string);
    assert_int_equal(schedule.makespan, 9);
    assert_memory_equal(schedule.cycle, same.cycle, EXAMPLE_LENGTH * sizeof *same.cycle);
    arena_free(&arena);
    problem_free(&problem);
}

/* The schedule of one kind of initial solution. */
static struct schedule start_schedule(const struct makespan_problem *problem, enum anneal_start start,
                                      struct random_state *random, struct arena *arena, uint32_t *string) {
    struct schedule schedule = {0};
    anneal_start_string(problem, start, random, arena, string);
    assert_true(precedence_schedule(problem, string, NULL, NULL, arena, &schedule));
    return schedule;
}

static void test_round_robin_and_fixed_priority(void **state) {
    (void)state;
    static const uint32_t figure2[] = {1, 2, 5, 2, 3, 6, 3, 4, 7, 4, 5, 8};
    static const uint32_t figure6[] = {1, 2, 3, 2, 3, 4, 5, 6, 7, 6, 7, 8};
    struct makespan_problem problem = example_problem();
    struct arena arena = {0};
    uint32_t string[EXAMPLE_LENGTH];
    struct schedule schedule = start_schedule(&problem, START_ROUND_ROBIN, NULL, &arena, string);
    assert_memory_equal(schedule.cycle, figure2, sizeof figure2);
    schedule = start_schedule(&problem, START_FIXED_PRIORITY, NULL, &arena, string);
    assert_memory_equal(schedule.cycle, figure6, sizeof figure6);
    arena_free(&arena);
    problem_free(&problem);
}

/* Section VI C walks through the first two cycles: warp 1; then warps 2 and 1; the list is then 3, 2, 1. The
 * rest is by hand: 3 and 2 (list 1, 3, 2), 1 and 3 (list 2, 3), 2, 3. */
static void test_most_pending(void **state) {
    (void)state;
    static const uint32_t expected[] = {0, 1, 0, 2, 1, 0, 2, 1, 2};
    struct makespan_problem problem =
        makespan_case_problem(&(struct makespan_case){"LCL", 3, {1, 1, 1, 1}, 0});
    struct arena arena = {0};
    uint32_t string[9];
    struct schedule schedule = start_schedule(&problem, START_MOST_PENDING, NULL, &arena, string);
    assert_memory_equal(string, expected, sizeof expected);
    assert_int_equal(schedule.makespan, 6);
    arena_free(&arena);
    problem_free(&problem);
}

/* Shorter strings drop out of the rounds; the capacity of two and the limit of two issues bind in turn. */
static void test_starts_of_groups(void **state) {
    (void)state;
    static const uint8_t load_load_core[] = {0, 0, 1};
    static const uint8_t core[] = {1};
    static const struct string_use uses[] = {{1, core, 1}, {2, load_load_core, 3}};
    static const uint32_t capacity[UNIT_TYPES] = {2, 1, 1, 1};
    static const uint32_t round_robin[] = {0, 1, 2, 1, 2, 1, 2};
    static const uint32_t fixed_priority[] = {0, 1, 1, 1, 2, 2, 2};
    static const uint32_t most_pending[] = {0, 1, 2, 1, 2, 1, 2};
    struct makespan_problem problem;
    struct arena arena = {0};
    uint32_t string[7];
    assert_int_equal(problem_make(uses, 2, capacity, 2, &problem), WB_OK);
    anneal_start_string(&problem, START_ROUND_ROBIN, NULL, &arena, string);
    assert_memory_equal(string, round_robin, sizeof string);
    anneal_start_string(&problem, START_FIXED_PRIORITY, NULL, &arena, string);
    assert_memory_equal(string, fixed_priority, sizeof string);
    anneal_start_string(&problem, START_MOST_PENDING, NULL, &arena, string);
    assert_memory_equal(string, most_pending, sizeof string);
    arena_free(&arena);
    problem_free(&problem);
}

/* Whether a warp executes in a cycle. */
static bool executes_in(const struct makespan_problem *problem, const struct schedule *schedule,
                        uint32_t warp, uint32_t cycle) {
    const uint32_t *of_warp = schedule->cycle + schedule_start(problem, warp);
    for (uint32_t i = 0; i < problem->groups[schedule_group(problem, warp)].length; i++)
        if (of_warp[i] == cycle) return true;
    return false;
}

/* Every string has a work-conserving schedule; a string written cycle by cycle has the schedule it was
 * written from. */
static void test_strings_are_schedules(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, 8, 8);
        size_t size = problem.instruction_count * sizeof(uint32_t);
        uint32_t *string = malloc(size);
        assert_non_null(string);
        struct arena arena = {0};
        enum anneal_start start = anneal_start_of((uint32_t)seed);
        struct schedule schedule = start_schedule(&problem, start, &random, &arena, string);
        expect_valid(&problem, &schedule);
        uint64_t written = 0;
        for (uint32_t t = 1; t <= schedule.makespan; t++)
            for (uint32_t w = 0; w < problem.warp_count; w++)
                if (executes_in(&problem, &schedule, w, t)) string[written++] = w;
        assert_int_equal(written, problem.instruction_count);
        struct schedule again = {0};
        assert_true(precedence_schedule(&problem, string, NULL, NULL, &arena, &again));
        assert_memory_equal(schedule.cycle, again.cycle, size);
        arena_free(&arena);
        free(string);
        problem_free(&problem);
    }
}

/* Fails unless the rescheduler's current solution is the schedule of its string. */
static void expect_rescheduled(const struct makespan_problem *problem, const struct rescheduler *r,
                               uint64_t seed) {
    uint32_t *string = malloc(r->count * sizeof *string);
    assert_non_null(string);
    for (uint32_t i = 0; i < r->count; i++)
        string[i] = r->string[i].warp;
    struct arena arena = {0};
    struct schedule schedule = {0};
    assert_true(precedence_schedule(problem, string, NULL, NULL, &arena, &schedule));
    bool same = schedule.makespan == r->makespan;
    for (uint32_t w = 0; w < problem->warp_count; w++) {
        uint64_t start = schedule_start(problem, w);
        const uint32_t *place = r->place + start + w + 1; /* there is an entry more before each warp */
        for (uint32_t i = 0; i < problem->groups[schedule_group(problem, w)].length; i++)
            same = same && schedule.cycle[start + i] == place[i] / UNIT_TYPES;
    }
    if (!same) {
        makespan_case_print(problem);
        fail_msg("seed %llu, index %u: rescheduled %u cycles, from scratch %u", (unsigned long long)seed,
                 r->index, r->makespan, schedule.makespan);
    }
    arena_free(&arena);
    free(string);
}

/* Random exchanges near and far, kept or dropped at random, against scheduling from scratch. */
static void exchange_at_random(const struct makespan_problem *problem, uint64_t seed,
                               struct random_state *random) {
    uint32_t *string = malloc(problem->instruction_count * sizeof *string);
    struct arena arena = {0};
    struct rescheduler r;
    assert_non_null(string);
    uint64_t longest = closed_bound(problem);
    anneal_start_string(problem, anneal_start_of((uint32_t)seed), random, &arena, string);
    assert_true(rescheduler_make(problem, longest, string, NULL, NULL, &arena, &r));
    free(string);
    for (uint32_t i = 0; r.count > 1 && i < 40; i++) {
        for (uint64_t steps = random_below(random, 5); steps > 0; steps--)
            rescheduler_step(&r);
        uint32_t reach = r.count - 1 - r.index;
        if (reach > 6 && random_below(random, 2) == 0) reach = 6;
        (void)rescheduler_exchange(&r, r.index + 1 + (uint32_t)random_below(random, reach));
        if (random_below(random, 2) == 0)
            rescheduler_keep(&r);
        else
            rescheduler_drop(&r);
        expect_rescheduled(problem, &r, seed);
    }
    arena_free(&arena);
}

static void test_rescheduling(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, seed % 5 == 0 ? 40 : 10, 12);
        exchange_at_random(&problem, seed, &random);
        problem_free(&problem);
    }
}

/* Schedules that take about a multiple of 64 cycles, the size of a word, now more, now less. */
static void test_rescheduling_of_long_schedules(void **state) {
    (void)state;
    for (uint32_t warps = 2; warps <= 16; warps++) {
        const struct makespan_case cases[] = {
            {"L5C9L2C9", warps, {1, 4, 1, 1}, 0},
            {"L5C9L2C9", warps, {1, 4, 1, 1}, 4},
            {"L30S4D3", warps, {2, 1, 3, 1}, 2},
        };
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            struct makespan_problem problem = makespan_case_problem(&cases[c]);
            for (uint64_t seed = 0; seed < 4; seed++) {
                struct random_state random = random_seeded(seed);
                exchange_at_random(&problem, seed, &random);
            }
            problem_free(&problem);
        }
    }
}

static struct makespan_settings few_iterations(uint32_t iterations) {
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    settings.anneal_iterations = iterations;
    settings.threads = 1;
    return settings;
}

/* The annealing never finds more than there is, and on small problems mostly all of it. */
static void test_against_every_schedule(void **state) {
    (void)state;
    const uint64_t seeds = 1500;
    uint64_t longest_found = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, 6, 5);
        struct makespan_settings settings = few_iterations(50);
        settings.seed = (uint32_t)seed;
        struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
        struct makespan_result annealed = makespan_case_solve(&makespan_anneal, &problem, &settings, WB_OK);
        assert_int_equal(annealed.bound.kind, WB_LOWER);
        assert_int_equal(annealed.bound.cycles, annealed.bound.lower);
        assert_int_equal(annealed.bound.cycles, annealed.witness.makespan);
        if (annealed.bound.cycles > brute.bound.cycles) {
            makespan_case_print(&problem);
            fail_msg("seed %llu: %llu > %llu", (unsigned long long)seed,
                     (unsigned long long)annealed.bound.cycles, (unsigned long long)brute.bound.cycles);
        }
        if (annealed.bound.cycles == brute.bound.cycles) longest_found++;
        makespan_result_free(&brute);
        makespan_result_free(&annealed);
        problem_free(&problem);
    }
    if (longest_found * 100 < seeds * 95) fail_msg("%llu", (unsigned long long)longest_found);
}

/* The case study's problem with few warps: its exact worst case is 57. */
static void test_finds_the_worst_case(void **state) {
    (void)state;
    struct makespan_problem problem =
        makespan_case_problem(&(struct makespan_case){"L5C9L2C9", 5, {1, 4, 1, 1}, 0});
    struct makespan_settings settings = few_iterations(20000);
    struct makespan_result result = makespan_case_solve(&makespan_anneal, &problem, &settings, WB_OK);
    assert_int_equal(result.bound.cycles, 57);
    makespan_result_free(&result);
    problem_free(&problem);
}

/* The log of an instance starts with its initial solution, grows, and ends with its iterations. */
static void expect_log(const struct makespan_result *result, const struct makespan_settings *settings) {
    const struct anneal_step *steps = result->anneal_log.steps.items;
    size_t count = result->anneal_log.steps.count;
    uint32_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || steps[i].instance != steps[i - 1].instance;
        bool last = i + 1 == count || steps[i].instance != steps[i + 1].instance;
        assert_int_equal(steps[i].instance, i == 0 ? 0 : steps[i - 1].instance + (first ? 1 : 0));
        if (first) assert_int_equal(steps[i].iteration, 0);
        if (!first) assert_true(steps[i].iteration >= steps[i - 1].iteration);
        if (!first && !last) assert_true(steps[i].makespan > steps[i - 1].makespan);
        if (last) assert_int_equal(steps[i].iteration, settings->anneal_iterations);
        if (steps[i].makespan > longest) longest = steps[i].makespan;
    }
    assert_int_equal(steps[count - 1].instance + 1, settings->anneal_instances);
    assert_int_equal(longest, result->bound.cycles);
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    struct makespan_problem problem =
        makespan_case_problem(&(struct makespan_case){"L5C9L2C9", 8, {1, 4, 1, 1}, 4});
    struct makespan_settings settings = few_iterations(3000);
    struct makespan_result one = makespan_case_solve(&makespan_anneal, &problem, &settings, WB_OK);
    settings.threads = 3;
    struct makespan_result three = makespan_case_solve(&makespan_anneal, &problem, &settings, WB_OK);
    expect_log(&one, &settings);
    assert_int_equal(one.bound.cycles, three.bound.cycles);
    assert_memory_equal(one.witness.cycle, three.witness.cycle,
                        problem.instruction_count * sizeof *one.witness.cycle);
    assert_int_equal(one.anneal_log.steps.count, three.anneal_log.steps.count);
    for (size_t i = 0; i < one.anneal_log.steps.count; i++) {
        assert_int_equal(one.anneal_log.steps.items[i].iteration, three.anneal_log.steps.items[i].iteration);
        assert_int_equal(one.anneal_log.steps.items[i].makespan, three.anneal_log.steps.items[i].makespan);
    }
    makespan_result_free(&one);
    makespan_result_free(&three);
    problem_free(&problem);
}

/* A limit of time leaves a schedule; without memory there is none. */
static void test_limits(void **state) {
    (void)state;
    struct makespan_problem problem = example_problem();
    struct makespan_settings settings = few_iterations(UINT32_MAX);
    settings.time_limit = 0.01;
    struct makespan_result result = makespan_case_solve(&makespan_anneal, &problem, &settings, WB_ERR_LIMIT);
    assert_int_equal(result.bound.kind, WB_LOWER);
    assert_int_equal(result.bound.cycles, result.witness.makespan);
    makespan_result_free(&result);
    settings.memory = 100;
    result = makespan_case_solve(&makespan_anneal, &problem, &settings, WB_ERR_LIMIT);
    assert_int_equal(result.bound.cycles, 0);
    makespan_result_free(&result);
    problem_free(&problem);
}

/* Says no when asked for the n-th time. */
static bool says_no(void *user) {
    uint32_t *left = user;
    return --*left > 0;
}

/* A candidate that is stopped half-way leaves the current solution as it was. */
static void test_stopped_rescheduling(void **state) {
    (void)state;
    struct makespan_problem problem =
        makespan_case_problem(&(struct makespan_case){"L5C9L2C9", 2000, {1, 4, 1, 1}, 4});
    uint32_t *string = malloc(problem.instruction_count * sizeof *string);
    assert_non_null(string);
    struct arena arena = {0};
    uint64_t longest = closed_bound(&problem);
    anneal_start_string(&problem, START_ROUND_ROBIN, NULL, &arena, string);
    uint32_t left = UINT32_MAX;
    struct rescheduler r;
    assert_true(rescheduler_make(&problem, longest, string, says_no, &left, &arena, &r));
    left = UINT32_MAX;
    assert_true(rescheduler_exchange(&r, r.count - 1) > 0);
    rescheduler_drop(&r);
    const uint32_t asked = UINT32_MAX - left;
    assert_true(asked >= 2);
    for (uint32_t answers = 1; answers <= asked; answers++) {
        left = answers;
        assert_int_equal(rescheduler_exchange(&r, r.count - 1), 0);
        assert_int_equal(left, 0);
        rescheduler_drop(&r);
        expect_rescheduled(&problem, &r, answers);
    }
    arena_free(&arena);
    free(string);
    problem_free(&problem);
}

static bool poll_some(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)stage;
    assert_true(done <= total);
    return says_no(user);
}

/* 1.8 million instructions in 1.2 million cycles: limits hold also where a single schedule takes long, and
 * where there was no time for the first. The margin is that of a busy machine; a search for room cycle by
 * cycle takes minutes. */
static void test_limits_of_large_problems(void **state) {
    (void)state;
    struct makespan_problem problem =
        makespan_case_problem(&(struct makespan_case){"L30C30L30", 20000, {1, 1, 1, 1}, 0});
    struct makespan_settings settings = few_iterations(UINT32_MAX);
    settings.time_limit = 0.5;
    double start = clock_elapsed();
    struct makespan_result result = makespan_case_solve(&makespan_anneal, &problem, &settings, WB_ERR_LIMIT);
    assert_true(clock_elapsed() - start < 15);
    if (result.bound.cycles > 0) assert_int_equal(result.bound.cycles, result.witness.makespan);
    makespan_result_free(&result);

    uint32_t left = 2; /* less than the first schedule asks */
    const wb_watch watch = {poll_some, &left};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    settings.time_limit = 0;
    struct makespan_run run = {
        .problem = &problem, .settings = &settings, .watch = &watch, .diagnostics = diagnostics};
    settings.anneal_instances = 1;
    assert_int_equal(makespan_solve(&makespan_anneal, &run, &result), WB_ERR_LIMIT);
    assert_int_equal(left, 0);
    assert_int_equal(result.bound.cycles, 0);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "before it had a first schedule"));
    makespan_result_free(&result);
    wb_diagnostics_free(diagnostics);
    problem_free(&problem);
}

/* Nothing can be exchanged in the strings of one warp, or of one instruction. */
static void test_single_warp(void **state) {
    (void)state;
    static const char *const strings[] = {"L3C2", "C"};
    for (size_t i = 0; i < 2; i++) {
        struct makespan_problem problem =
            makespan_case_problem(&(struct makespan_case){strings[i], 1, {1, 4, 1, 1}, 0});
        struct makespan_settings settings = few_iterations(100);
        struct makespan_result result = makespan_case_solve(&makespan_anneal, &problem, &settings, WB_OK);
        assert_int_equal(result.bound.cycles, problem.instruction_count);
        makespan_result_free(&result);
        problem_free(&problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_round_robin_and_fixed_priority),
        cmocka_unit_test(test_most_pending),
        cmocka_unit_test(test_starts_of_groups),
        cmocka_unit_test(test_strings_are_schedules),
        cmocka_unit_test(test_rescheduling),
        cmocka_unit_test(test_rescheduling_of_long_schedules),
        cmocka_unit_test(test_against_every_schedule),
        cmocka_unit_test(test_finds_the_worst_case),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_stopped_rescheduling),
        cmocka_unit_test(test_limits_of_large_problems),
        cmocka_unit_test(test_single_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
