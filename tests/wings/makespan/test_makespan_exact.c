/* The exact method: known values, all schedules of random problems, and its limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "base/base.h"
#include "makespan_cases.h"
#include "wings/makespan/exact/exact.h"
#include "wings/makespan/states/multiset_rank.h"
#include "wings/makespan/states/row_max.h"

/* Values that other programs agree on; L5C9L2C9 is the Voronoi kernel of ETFA'13. */
static const struct {
    struct makespan_case problem;
    uint64_t exact;
} known[] = {
    {{"L5C9L2C9", 1, {1, 4, 1, 1}, 0}, 25},    {{"L5C9L2C9", 2, {1, 4, 1, 1}, 0}, 31},
    {{"L5C9L2C9", 3, {1, 4, 1, 1}, 0}, 37},    {{"L5C9L2C9", 4, {1, 4, 1, 1}, 0}, 45},
    {{"L5C9L2C9", 5, {1, 4, 1, 1}, 0}, 57},    {{"L5C9L2C9", 6, {1, 4, 1, 1}, 0}, 67},
    {{"L5C9L2C9", 7, {1, 4, 1, 1}, 0}, 77},    {{"L5C9L2C9", 8, {1, 4, 1, 1}, 0}, 86},
    {{"L5C9L2C9", 10, {1, 4, 1, 1}, 0}, 104},  {{"L5C9L2C9", 12, {1, 4, 1, 1}, 0}, 123},
    {{"L5C9L2C9", 4, {1, 4, 1, 1}, 4}, 45},    {{"L5C9L2C9", 5, {1, 4, 1, 1}, 4}, 65},
    {{"L5C9L2C9", 6, {1, 4, 1, 1}, 4}, 78},    {{"L5C9L2C9", 7, {1, 4, 1, 1}, 4}, 87},
    {{"L5C9L2C9", 8, {1, 4, 1, 1}, 4}, 98},    {{"L5C9L2C9", 12, {1, 4, 1, 1}, 4}, 141},
    {{"LCL", 2, {1, 1, 1, 1}, 0}, 4},          {{"LCL", 4, {1, 1, 1, 1}, 0}, 9},
    {{"LCL", 8, {1, 1, 1, 1}, 0}, 17},         {{"LCL", 16, {1, 1, 1, 1}, 0}, 33},
    {{"LLC", 4, {1, 1, 1, 1}, 0}, 9},          {{"C4", 16, {1, 4, 1, 1}, 0}, 19},
    {{"(LC)5", 8, {1, 1, 1, 1}, 0}, 45},       {{"LLCLL", 8, {1, 1, 1, 1}, 0}, 33},
    {{"L5C9L2C9", 64, {64, 64, 1, 1}, 0}, 25}, {{"LLCLL", 40, {1, 1, 1, 1}, 0}, 161},
};

static void test_known_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct makespan_problem problem = makespan_case_problem(&known[i].problem);
        struct makespan_result exact = makespan_case_solve(&makespan_exact, &problem, NULL, WB_OK);
        if (exact.bound.cycles != known[i].exact) makespan_case_print(&problem);
        assert_int_equal(exact.bound.cycles, known[i].exact);
        assert_int_equal(exact.bound.kind, WB_EXACT);
        assert_int_equal(exact.witness.makespan, known[i].exact);
        makespan_result_free(&exact);
        problem_free(&problem);
    }
}

/* The method with other limits, so that steps that are seldom needed have to do the work. */
static wb_status with_tail_of_one(const struct makespan_run *run, struct makespan_result *result) {
    struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
    limits.tail_warps = limits.tail_warps_later = 1;
    return exact_solve(run, &limits, result);
}

static wb_status without_table(const struct makespan_run *run, struct makespan_result *result) {
    struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
    limits.tail_warps = limits.tail_warps_later = 1;
    limits.table_cells = 0;
    limits.segments = false;
    return exact_solve(run, &limits, result);
}

static wb_status without_beams(const struct makespan_run *run, struct makespan_result *result) {
    struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
    limits.tail_warps = 1;
    limits.tail_warps_later = 3;
    limits.width = 0;
    return exact_solve(run, &limits, result);
}

static wb_status without_search(const struct makespan_run *run, struct makespan_result *result) {
    struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
    limits.tail_warps = limits.tail_warps_later = 1;
    limits.width = 4;
    limits.search_work = 0;
    return exact_solve(run, &limits, result);
}

static const struct {
    struct makespan_method method;
    bool closes; /* whether it must find the exact value */
} variants[] = {
    {{.name = "tail of one", .run = with_tail_of_one}, true},
    {{.name = "without table", .run = without_table}, true},
    {{.name = "without beams", .run = without_beams}, true},
    {{.name = "without search", .run = without_search}, false},
};

/* Whether the interval is right for a worst case of `exact` cycles. */
static bool interval_holds(const wb_bound *bound, uint64_t exact, bool closes) {
    if (bound->lower > exact || bound->cycles < exact) return false;
    if ((bound->kind == WB_EXACT) != (bound->lower == bound->cycles)) return false;
    return !closes || bound->kind == WB_EXACT;
}

static void check_problem(const struct makespan_problem *problem, uint64_t seed,
                          const struct makespan_method *method, bool closes, uint64_t exact) {
    struct makespan_result result = makespan_case_solve(method, problem, NULL, WB_OK);
    if (!interval_holds(&result.bound, exact, closes)) {
        makespan_case_print(problem);
        fail_msg("seed %llu: %s: [%llu, %llu], exact %llu", (unsigned long long)seed, method->name,
                 (unsigned long long)result.bound.lower, (unsigned long long)result.bound.cycles,
                 (unsigned long long)exact);
    }
    makespan_result_free(&result);
}

/* Sanitizers look at a part of the problems. */
#define PROBLEMS (ADDRESS_SANITIZER ? 250u : 2000u)

static void test_all_schedules(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, 10, 5);
        struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
        check_problem(&problem, seed, &makespan_exact, true, brute.bound.cycles);
        size_t variant = seed % (sizeof variants / sizeof *variants);
        check_problem(&problem, seed, &variants[variant].method, variants[variant].closes,
                      brute.bound.cycles);
        makespan_result_free(&brute);
        problem_free(&problem);
    }
}

/* What was found before a limit is an interval around the worst case. */
static void test_limits(void **state) {
    (void)state;
    static const struct makespan_case voronoi = {"L5C9L2C9", 16, {1, 4, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&voronoi);
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    settings.memory = 1 << 20;
    struct makespan_result result = makespan_case_solve(&makespan_exact, &problem, &settings, WB_ERR_LIMIT);
    assert_true(interval_holds(&result.bound, 160, false));
    makespan_result_free(&result);
    settings.memory = 1; /* not even for a tail of one warp */
    result = makespan_case_solve(&makespan_exact, &problem, &settings, WB_ERR_LIMIT);
    assert_true(interval_holds(&result.bound, 160, false));
    makespan_result_free(&result);
    settings.memory = 0;
    settings.time_limit = 1e-9;
    result = makespan_case_solve(&makespan_exact, &problem, &settings, WB_ERR_LIMIT);
    assert_true(interval_holds(&result.bound, 160, false));
    makespan_result_free(&result);
    problem_free(&problem);
}

/* Forty million compositions, as many as make a layout take seconds: it is asked on the way, too. */
static void test_time_limit_holds_while_tables_are_laid_out(void **state) {
    (void)state;
    static const struct makespan_case many = {
        "L7C15LC3LC3LCLC2L2C5LC19LC4L2CL2C3LC3LC4L2CL2C3LC4LC4L2CL2C3LC6LC4L2CL2C3LC6", 6, {1, 4, 1, 1}, 0};
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    settings.time_limit = 0.5;
    settings.threads = 1;
    struct makespan_problem problem = makespan_case_problem(&many);
    const double start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    struct makespan_result result = makespan_case_solve(&makespan_exact, &problem, &settings, WB_ERR_LIMIT);
    const double took = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    assert_int_equal(result.bound.kind, WB_UPPER);
    if (!ADDRESS_SANITIZER && took > 3) fail_msg("%f seconds", took);
    makespan_result_free(&result);
    problem_free(&problem);
}

/* Where only some levels of the run table fit the memory at a time, estimates guide the search. */
static void test_rolling_table(void **state) {
    (void)state;
    static const struct makespan_case voronoi = {"L5C9L2C9", 11, {1, 4, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&voronoi);
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    settings.memory = 8000000; /* the table takes 9.7 million bytes */
    struct makespan_result result = makespan_case_solve(&makespan_exact, &problem, &settings, WB_OK);
    assert_int_equal(result.bound.lower, 114);
    assert_int_equal(result.bound.cycles, 114);
    makespan_result_free(&result);
    problem_free(&problem);
}

/* The result does not depend on the number of threads. */
static void test_threads(void **state) {
    (void)state;
    static const struct makespan_case voronoi = {"L5C9L2C9", 10, {1, 4, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&voronoi);
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    settings.threads = 1;
    struct makespan_result one = makespan_case_solve(&makespan_exact, &problem, &settings, WB_OK);
    settings.threads = 3;
    struct makespan_result three = makespan_case_solve(&makespan_exact, &problem, &settings, WB_OK);
    assert_memory_equal(one.witness.cycle, three.witness.cycle,
                        problem.instruction_count * sizeof *one.witness.cycle);
    makespan_result_free(&one);
    makespan_result_free(&three);
    problem_free(&problem);
}

/* Numbers of multisets have no gaps, and fall by the steps when items move. */
static void test_multiset_numbers(void **state) {
    (void)state;
    for (uint32_t kinds = 1; kinds <= 5; kinds++) {
        struct arena arena = {0};
        struct multiset_rank rank;
        multiset_rank_make(kinds, 4, &arena, &rank);
        uint32_t counts[5] = {0};
        uint32_t rest = 4;
        uint64_t number = 0;
        do {
            uint32_t again[5];
            multiset_at(&rank, number, again);
            assert_memory_equal(again, counts, kinds * sizeof *counts);
            assert_int_equal(multiset_number(&rank, counts), number);
            number++;
        } while (multiset_next(&rank, counts, &rest));
        assert_int_equal(number, rank.count);
        assert_int_equal(number, multiset_count(kinds, 4));
        arena_free(&arena);
    }
    assert_int_equal(multiset_count(4, 2), 15);
    assert_true(multiset_count(200, 200) == UINT64_MAX);
}

/* The fast inner loop against one number at a time, at all lengths and steps. */
static void test_row_max(void **state) {
    (void)state;
    static int16_t from[4096];
    static int16_t to[2048];
    static int16_t expected[2048];
    struct random_state random = random_seeded(1);
    for (uint32_t columns = 1; columns <= 150; columns++) {
        for (uint32_t step = 1; step <= 2; step++) {
            for (size_t i = 0; i < 4096; i++)
                from[i] = (int16_t)random_below(&random, 1000);
            for (size_t i = 0; i < 2048; i++)
                expected[i] = to[i] = (int16_t)random_below(&random, 1000);
            const struct number_box box = {from + 1, 301, step, 3, columns};
            for (uint32_t i = 0; i < 3 * columns; i++) {
                int16_t *at = &expected[i / columns * 151 + i % columns + 5];
                int16_t number = from[1 + i / columns * 301 + i % columns * step];
                if (number > *at) *at = number;
            }
            int16_t plain[2048];
            memcpy(plain, to, sizeof plain);
            row_max_plain(plain + 5, 151, &box);
            assert_memory_equal(plain, expected, sizeof plain);
            row_max_best()(to + 5, 151, &box);
            assert_memory_equal(to, expected, sizeof to);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_all_schedules),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_time_limit_holds_while_tables_are_laid_out),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_rolling_table),
        cmocka_unit_test(test_multiset_numbers),
        cmocka_unit_test(test_row_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
