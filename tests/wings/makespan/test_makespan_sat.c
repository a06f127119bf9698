/* The method `sat`: its clauses, its answers against every schedule, and its texts for other solvers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "makespan_cases.h"
#include "wings/makespan/forms/cnf.h"
#include "wings/makespan/forms/sat_cadical.h"
#include "wings/makespan/forms/sat_encoding.h"
#include "wings/makespan/forms/sat_export.h"

static bool always(void *user) {
    (void)user;
    return true;
}

/* What a sum must be when its numbers are given: a + b + c, or no model when that is above the limit. */
static void check_sum(uint32_t a, uint32_t b, uint32_t c, uint32_t limit) {
    const uint32_t values[] = {a, b, c};
    const uint32_t counts[] = {2, 3, 1};
    struct cnf cnf = {0};
    struct arena arena = {0};
    struct unary numbers[3];
    for (size_t i = 0; i < 3; i++) {
        numbers[i] = unary_make(&cnf, &arena, counts[i]);
        for (uint32_t k = 1; k <= counts[i]; k++) {
            literal enough = unary_at_least(&numbers[i], k);
            CNF_CLAUSE(&cnf, k <= values[i] ? enough : -enough);
        }
    }
    struct unary sum = unary_sum(&cnf, &arena, numbers, 3, limit);
    assert_false(cnf.failed);
    struct sat_solver *solver = sat_solver_new(&cnf, MAKESPAN_MEMORY_DEFAULT, always, NULL);
    assert_non_null(solver);
    enum sat_answer answer = sat_solver_solve(solver, LITERAL_TRUE);
    assert_int_equal(answer, a + b + c <= limit ? SAT_SATISFIABLE : SAT_UNSATISFIABLE);
    for (uint32_t k = 0; answer == SAT_SATISFIABLE && k <= limit + 1; k++)
        assert_int_equal(sat_solver_true(solver, unary_at_least(&sum, k)), a + b + c >= k);
    sat_solver_free(solver);
    arena_free(&arena);
    cnf_free(&cnf);
}

static void test_unary_sums(void **state) {
    (void)state;
    for (uint32_t limit = 1; limit <= 7; limit++)
        for (uint32_t a = 0; a <= 2; a++)
            for (uint32_t b = 0; b <= 3; b++)
                for (uint32_t c = 0; c <= 1; c++)
                    check_sum(a, b, c, limit);
}

static void test_clauses_leave_constants_out(void **state) {
    (void)state;
    struct cnf cnf = {.limit = 6 * sizeof(int32_t)};
    literal a = cnf_variable(&cnf);
    literal b = cnf_variable(&cnf);
    CNF_CLAUSE(&cnf, a, LITERAL_FALSE, -b);
    CNF_CLAUSE(&cnf, a, LITERAL_TRUE);
    assert_int_equal(cnf.clause_count, 1);
    assert_int_equal(cnf.literals.count, 3);
    CNF_CLAUSE(&cnf, a, b);
    assert_false(cnf.failed);
    CNF_CLAUSE(&cnf, a);
    assert_true(cnf.failed);
    assert_int_equal(cnf.clause_count, 2);
    cnf_free(&cnf);
}

static const struct {
    struct makespan_case problem;
    uint64_t exact;
} known[] = {
    {{"LLC", 4, {1, 1, 1, 1}, 0}, 9},       {{"LCL", 4, {1, 1, 1, 1}, 0}, 9},
    {{"LCL", 16, {1, 1, 1, 1}, 0}, 33},     {{"C4", 16, {1, 4, 1, 1}, 0}, 19},
    {{"L6", 6, {3, 1, 1, 1}, 0}, 16},       {{"LLCLL", 6, {1, 1, 1, 1}, 0}, 25},
    {{"LLCLLCLL", 4, {1, 1, 1, 1}, 0}, 26}, {{"L5C9L2C9", 2, {1, 4, 1, 1}, 0}, 31},
    {{"LLCLL", 16, {1, 1, 1, 1}, 0}, 65},   {{"LLCLLCLL", 7, {1, 1, 1, 1}, 0}, 44},
    {{"C", 1, {1, 1, 1, 1}, 0}, 1},
};

/* makespan_solve has checked that the witness is a schedule, and of bound.lower cycles. */
static void check_exact(const struct makespan_problem *problem, uint64_t exact) {
    struct makespan_result result = makespan_case_solve(&makespan_sat, problem, NULL, WB_OK);
    if (result.bound.kind != WB_EXACT || result.bound.cycles != exact) {
        makespan_case_print(problem);
        fail_msg("sat %llu, exact %llu", (unsigned long long)result.bound.cycles, (unsigned long long)exact);
    }
    assert_non_null(result.witness.cycle);
    assert_int_equal(result.witness.makespan, exact);
    makespan_result_free(&result);
}

static void test_known_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct makespan_problem problem = makespan_case_problem(&known[i].problem);
        check_exact(&problem, known[i].exact);
        problem_free(&problem);
    }
}

static void test_random_problems(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 160; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem =
            makespan_random_problem(&random, 4, seed % 2 == 0 ? 8 : 5, seed % 2 == 0 ? 4 : 6);
        struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
        check_exact(&problem, brute.bound.cycles); /* prints the problem when it fails */
        makespan_result_free(&brute);
        problem_free(&problem);
    }
}

/* Where the limit of issues is tighter than a unit type that all instructions of a cycle are on. */
static void test_issue_limit_below_one_unit_type(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct random_state random = random_seeded(seed);
        uint8_t units[3][8];
        struct string_use uses[3];
        const uint32_t groups = 1 + (uint32_t)random_below(&random, 3);
        const uint32_t capacity[UNIT_TYPES] = {1, 1, 3 + (uint32_t)random_below(&random, 2), 1};
        for (uint32_t g = 0; g < groups; g++) {
            const uint32_t length = 1 + (uint32_t)random_below(&random, 4);
            for (uint32_t i = 0; i < length; i++)
                units[g][i] = random_below(&random, 4) == 0 ? 1 : 2;
            uses[g] = (struct string_use){1 + (uint32_t)random_below(&random, 2), units[g], length};
        }
        struct makespan_problem problem;
        const uint32_t issue = 1 + (uint32_t)random_below(&random, 3);
        assert_int_equal(problem_make(uses, groups, capacity, issue, &problem), WB_OK);
        struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
        struct makespan_result exact = makespan_case_solve(&makespan_exact, &problem, NULL, WB_OK);
        if (exact.bound.cycles != brute.bound.cycles) {
            makespan_case_print(&problem);
            fail_msg("seed %llu: exact %llu, brute %llu", (unsigned long long)seed,
                     (unsigned long long)exact.bound.cycles, (unsigned long long)brute.bound.cycles);
        }
        check_exact(&problem, brute.bound.cycles);
        makespan_result_free(&exact);
        makespan_result_free(&brute);
        problem_free(&problem);
    }
}

/* Too large for the time and memory of these tests. */
static const struct makespan_case large = {"L5C9L2C9", 6, {1, 4, 1, 1}, 0};
#define LARGE_EXACT 67
#define LARGE_CLOSED 82

static void check_interval(const struct makespan_result *result) {
    assert_in_range(result->bound.lower, 1, LARGE_EXACT);
    assert_in_range(result->bound.cycles, LARGE_EXACT, LARGE_CLOSED);
    assert_int_not_equal(result->bound.lower, result->bound.cycles);
    assert_int_equal(result->bound.kind, WB_UPPER);
}

static void test_limits_leave_an_interval(void **state) {
    (void)state;
    const struct makespan_settings limits[] = {
        {.time_limit = 1e-6}, {.time_limit = 0.1}, {.processor_limit = 0.1}, {.memory = 100000}};
    struct makespan_problem problem = makespan_case_problem(&large);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct makespan_result result =
            makespan_case_solve(&makespan_sat, &problem, &limits[i], WB_ERR_LIMIT);
        check_interval(&result);
        makespan_result_free(&result);
    }
    problem_free(&problem);
}

/* The solver's process is gone. */
static void expect_no_child(void) {
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* A user who ends the run: when asked for the n-th time, or once the interval has become smaller. The run
 * asks once for each cycle whose clauses are made, then before each answer of the solver and while it works.
 */
struct impatient {
    uint64_t lower, upper; /* first seen of the interval; 0: not yet */
    uint32_t polls_left;
    bool until_progress;
    bool ended;
};

static bool poll_some(void *user, const char *stage, uint64_t done, uint64_t total) {
    struct impatient *impatient = user;
    assert_true(done <= total);
    assert_false(impatient->ended); /* nobody asks again */
    if (impatient->until_progress) {
        if (strncmp(stage, "sat: longest", 12) != 0) return true;
        if (impatient->upper == 0) impatient->lower = done;
        if (impatient->upper == 0) impatient->upper = total;
        impatient->ended = done > impatient->lower || total < impatient->upper;
    } else {
        impatient->ended = --impatient->polls_left == 0;
    }
    return !impatient->ended;
}

static void test_user_stops(void **state) {
    (void)state;
    struct makespan_problem problem = makespan_case_problem(&large);
    const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    const struct impatient users[] = {{.polls_left = 1},
                                      {.polls_left = LARGE_CLOSED / 2},
                                      {.polls_left = LARGE_CLOSED + 1},
                                      {.polls_left = LARGE_CLOSED + 2},
                                      {.until_progress = true}};
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        struct impatient user = users[i];
        const wb_watch watch = {poll_some, &user};
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct makespan_run run = {
            .problem = &problem, .settings = &settings, .watch = &watch, .diagnostics = diagnostics};
        struct makespan_result result;
        assert_int_equal(makespan_solve(&makespan_sat, &run, &result), WB_ERR_LIMIT);
        assert_true(user.ended);
        check_interval(&result);
        if (user.until_progress) {
            assert_non_null(result.witness.cycle);
            assert_true(result.bound.lower > user.lower || result.bound.cycles < user.upper);
        }
        expect_no_child();
        makespan_result_free(&result);
        wb_diagnostics_free(diagnostics);
    }
    problem_free(&problem);
}

/* ---- CaDiCaL without memory ends its process, which is not ours ---------------------------------------- */

static void test_solver_without_memory(void **state) {
    (void)state;
    if (ADDRESS_SANITIZER) skip(); /* its runtime waits for itself for ever when it is refused memory */
    struct makespan_problem problem = makespan_case_problem(&large);
    const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    struct arena arena = {0};
    const struct makespan_run run = {.problem = &problem, .settings = &settings, .arena = &arena};
    struct sat_encoding encoding;
    assert_int_equal(sat_encode(&run, LARGE_CLOSED, SAT_COUNTING_CLAUSES, &encoding), WB_OK);
    struct sat_solver *solver = sat_solver_new(&encoding.cnf, 100000, always, NULL);
    assert_non_null(solver);
    assert_int_equal(sat_solver_solve(solver, LITERAL_TRUE), SAT_FAILED);
    sat_solver_fix(solver, 1); /* to nobody: no signal ends this process */
    assert_int_equal(sat_solver_solve(solver, LITERAL_TRUE), SAT_FAILED);
    sat_solver_free(solver);
    expect_no_child();
    cnf_free(&encoding.cnf);
    arena_free(&arena);
    problem_free(&problem);
}

static const wb_bound *expect_bound(const wb_makespan *makespan, const char *method) {
    for (size_t i = 0; wb_makespan_bound(makespan, i) != NULL; i++)
        if (strcmp(wb_makespan_bound(makespan, i)->method, method) == 0)
            return wb_makespan_bound(makespan, i);
    fail_msg("no bound %s", method);
    return NULL;
}

/* The clauses fit, their solver does not: the method is one that a limit stopped, the others have results.
 * The first test, as memory that others have freed would be there for the solver beyond what it is allowed.
 */
static void test_method_without_memory(void **state) {
    (void)state;
    if (ADDRESS_SANITIZER) skip();
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_makespan *makespan = wb_makespan_new();
    assert_int_equal(wb_makespan_add_warps(makespan, "6:L5C9L2C9", diagnostics), WB_OK);
    assert_int_equal(wb_makespan_set(makespan, "units", "L=1,C=4", diagnostics), WB_OK);
    assert_int_equal(wb_makespan_set(makespan, "memory", "16M", diagnostics), WB_OK);
    assert_int_equal(wb_makespan_solve(makespan, "closed,sat,exact", NULL, diagnostics), WB_ERR_LIMIT);
    assert_int_equal(expect_bound(makespan, "closed")->cycles, LARGE_CLOSED);
    const wb_bound *sat = expect_bound(makespan, "sat");
    assert_int_equal(sat->kind, WB_UPPER);
    assert_in_range(sat->lower, 1, LARGE_EXACT);
    assert_in_range(sat->cycles, LARGE_EXACT, LARGE_CLOSED);
    assert_int_equal(expect_bound(makespan, "exact")->cycles, LARGE_EXACT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "CaDiCaL ended without an answer"));
    expect_no_child();
    wb_makespan_free(makespan);
    wb_diagnostics_free(diagnostics);
}

static void test_all_takes_small_problems(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct makespan_problem small = makespan_case_problem(&known[1].problem);
    struct makespan_problem not_small = makespan_case_problem(&large);
    assert_true(makespan_sat.fits(&small, diagnostics));
    assert_false(makespan_sat.fits(&not_small, diagnostics));
    problem_free(&small);
    problem_free(&not_small);
    wb_diagnostics_free(diagnostics);
}

/* The text of an export of "LC" for two warps; all that a reader of the format may rely on is in it. */
static void check_text(wb_status (*export)(const struct makespan_run *run, struct text *out),
                       const char *expected) {
    const struct makespan_case lc = {"LC", 2, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&lc);
    const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct arena arena = {0};
    struct makespan_run run = {
        .problem = &problem, .settings = &settings, .diagnostics = diagnostics, .arena = &arena};
    struct text out = {0};
    assert_int_equal(export(&run, &out), WB_OK);
    assert_string_equal(out.data, expected);
    arena_free(&arena);
    text_free(&out);
    wb_diagnostics_free(diagnostics);
    problem_free(&problem);
}

static wb_status export_four_cycles(const struct makespan_run *run, struct text *out) {
    return sat_export_dimacs(run, 4, out);
}

static void test_dimacs(void **state) {
    (void)state;
    check_text(export_four_cycles,
               "c Models are the work-conserving schedules of at least 4 cycles.\n"
               "c warps 2:LC\n"
               "c units L=1 C=1\n"
               "c done(p, r, t): at least r warps of the group have executed position p by the end of\n"
               "c cycle t. Positions count from 1 through all strings. It is false for t < a, true for\n"
               "c t >= b, and in between variable v + t - a:\n"
               "c      p      r      a      b      v\n"
               "c      1      1      1      1\n"
               "c      1      2      2      2\n"
               "c      2      1      2      3      1\n"
               "c      2      2      3      4      2\n"
               "c Literals of cycle t. u: a warp is unfinished when it starts; L, C, S, D: the unit type\n"
               "c is full; i: no more can issue:\n"
               "c      t      u      L      C      S      D      i\n"
               "c      1   true      3  false  false  false  false\n"
               "c      2   true      4      5  false  false  false\n"
               "c      3   true  false      6  false  false  false\n"
               "c      4     -2  false      7  false  false  false\n"
               "c Further variables count warps.\n"
               "p cnf 7 18\n"
               "3 0\n"
               "3 0\n"
               "4 0\n"
               "-1 5 0\n"
               "1 -5 0\n"
               "-5 1 0\n"
               "1 5 0\n"
               "1 6 0\n"
               "-2 6 0\n"
               "-1 2 -6 0\n"
               "1 -2 0\n"
               "-6 -1 2 0\n"
               "1 -2 0\n"
               "2 6 0\n"
               "2 7 0\n"
               "-2 -7 0\n"
               "-7 -2 0\n"
               "-2 0\n");
}

static void test_opb(void **state) {
    (void)state;
    check_text(sat_export_opb,
               "* #variable= 10 #constraint= 14\n"
               "* Solutions are the work-conserving schedules; the longest makespan is 4 minus the least\n"
               "* objective.\n"
               "* warps 2:LC\n"
               "* units L=1 C=1\n"
               "* done(p, r, t): at least r warps of the group have executed position p by the end of\n"
               "* cycle t. Positions count from 1 through all strings. It is false for t < a, true for\n"
               "* t >= b, and in between variable v + t - a:\n"
               "*      p      r      a      b      v\n"
               "*      1      1      1      1\n"
               "*      1      2      2      2\n"
               "*      2      1      2      3      1\n"
               "*      2      2      3      4      2\n"
               "* Literals of cycle t. u: a warp is unfinished when it starts; L, C, S, D: the unit type\n"
               "* is full; i: no more can issue:\n"
               "*      t      u      L      C      S      D      i\n"
               "*      1   true      3      4  false  false  false\n"
               "*      2   true      5      6  false  false  false\n"
               "*      3   true      7      8  false  false  false\n"
               "*      4     -2      9     10  false  false  false\n"
               "min: +1 x2 ;\n"
               "+1 x3 >= 1 ;\n"
               "+1 x1 +1 x6 >= 1 ;\n"
               "+1 x2 +1 x8 >= 1 ;\n"
               "-1 x3 >= -1 ;\n"
               "-1 x4 >= 0 ;\n"
               "-1 x5 >= -1 ;\n"
               "-1 x1 >= -1 ;\n"
               "+1 x1 -1 x6 >= 0 ;\n"
               "-1 x7 >= 0 ;\n"
               "+1 x1 -1 x2 >= 0 ;\n"
               "-1 x1 +1 x2 -1 x8 >= -1 ;\n"
               "-1 x9 >= 0 ;\n"
               "+1 x2 >= 0 ;\n"
               "-1 x2 -1 x10 >= -1 ;\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_method_without_memory),
        cmocka_unit_test(test_unary_sums),
        cmocka_unit_test(test_clauses_leave_constants_out),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_random_problems),
        cmocka_unit_test(test_issue_limit_below_one_unit_type),
        cmocka_unit_test(test_limits_leave_an_interval),
        cmocka_unit_test(test_user_stops),
        cmocka_unit_test(test_solver_without_memory),
        cmocka_unit_test(test_all_takes_small_problems),
        cmocka_unit_test(test_dimacs),
        cmocka_unit_test(test_opb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
