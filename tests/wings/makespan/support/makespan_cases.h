/* Makespan problems for tests, written as a user writes them. */
#ifndef TEST_MAKESPAN_CASES_H
#define TEST_MAKESPAN_CASES_H

#include "base/containers.h"
#include "wings/makespan/analysis/makespan.h"

/* One group of warps: their string in the tool's notation. */
struct makespan_case {
    const char *string;
    uint32_t warps;
    uint32_t capacity[UNIT_TYPES]; /* L C S D */
    uint32_t issue;                /* 0: no limit */
};

/* Makes the problem of a case; fails the test when it cannot. Freed with problem_free. */
struct makespan_problem makespan_case_problem(const struct makespan_case *c);

/* A random problem: 2 to `units_max` unit types with capacities from 1 to 4, a limit of issues or none, one
 * to three groups with strings of at most `length_max` instructions, at most `warps_max` warps together. */
struct makespan_problem makespan_random_problem(struct random_state *random, uint32_t units_max,
                                                uint32_t length_max, uint32_t warps_max);

/* Runs a method with the settings (NULL: defaults); fails the test unless it returns `expected`. Freed with
 * makespan_result_free. */
struct makespan_result makespan_case_solve(const struct makespan_method *method,
                                           const struct makespan_problem *problem,
                                           const struct makespan_settings *settings, wb_status expected);

/* Prints the problem to standard error, for a failing test. */
void makespan_case_print(const struct makespan_problem *problem);

#endif
