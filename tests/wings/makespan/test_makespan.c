/* Makespan problems whose worst case is known, on methods that are quick. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "makespan_cases.h"

/* Values of worked examples of ECRTS'12 and ETFA'13, and of problems that two other programs agreed on. */
static const struct {
    struct makespan_case problem;
    uint64_t exact;
} known[] = {
    {{"LLC", 4, {1, 1, 1, 1}, 0}, 9},    {{"LCL", 2, {1, 1, 1, 1}, 0}, 4},
    {{"LCL", 4, {1, 1, 1, 1}, 0}, 9},    {{"LCL", 8, {1, 1, 1, 1}, 0}, 17},
    {{"LCL", 16, {1, 1, 1, 1}, 0}, 33},  {{"C4", 16, {1, 4, 1, 1}, 0}, 19},
    {{"LL", 4, {2, 1, 1, 1}, 0}, 5},     {{"L6", 6, {3, 1, 1, 1}, 0}, 16},
    {{"LLCLL", 4, {1, 1, 1, 1}, 0}, 17}, {{"LLCLLCLL", 4, {1, 1, 1, 1}, 0}, 26},
};

static void test_known_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct makespan_problem problem = makespan_case_problem(&known[i].problem);
        struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
        struct makespan_result closed = makespan_case_solve(&makespan_closed, &problem, NULL, WB_OK);
        assert_int_equal(brute.bound.kind, WB_EXACT);
        assert_int_equal(brute.bound.cycles, known[i].exact);
        assert_int_equal(closed.bound.kind, WB_UPPER);
        assert_true(closed.bound.cycles >= brute.bound.cycles);
        makespan_result_free(&brute);
        makespan_result_free(&closed);
        problem_free(&problem);
    }
}

/* Bounds of kind upper against every schedule, on random problems. */
static void test_upper_bounds_hold(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, 6, 5);
        struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
        const struct makespan_method *const uppers[] = {&makespan_pessimistic, &makespan_closed};
        for (size_t i = 0; i < 2; i++) {
            struct makespan_result upper = makespan_case_solve(uppers[i], &problem, NULL, WB_OK);
            if (upper.bound.kind == WB_UPPER && upper.bound.cycles < brute.bound.cycles) {
                makespan_case_print(&problem);
                fail_msg("seed %llu: %s %llu < %llu", (unsigned long long)seed, uppers[i]->name,
                         (unsigned long long)upper.bound.cycles, (unsigned long long)brute.bound.cycles);
            }
            makespan_result_free(&upper);
        }
        makespan_result_free(&brute);
        problem_free(&problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_upper_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
