/* The integer linear programs of makespans: their values, their text, and CBC in its child process. */
#include <Cbc_C_Interface.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "makespan_cases.h"
#include "wings/makespan/forms/ilp.h"
#include "wings/makespan/forms/ilp_cbc.h"
#include "wings/makespan/forms/ilp_program.h"

static const struct makespan_method *const methods[] = {&makespan_ilp_short, &makespan_ilp_long,
                                                        &makespan_ilp_cumulative};
static const struct ilp_form *const forms[] = {&ilp_form_short, &ilp_form_long, &ilp_form_cumulative};

/* More instructions of all warps take the paper's forms seconds. */
#define INSTRUCTIONS_MAX 9u

static void check_exact(const struct makespan_method *method, const struct makespan_problem *problem,
                        uint64_t expected) {
    struct makespan_result result = makespan_case_solve(method, problem, NULL, WB_OK);
    if (result.bound.kind != WB_EXACT || result.bound.cycles != expected) makespan_case_print(problem);
    assert_int_equal(result.bound.kind, WB_EXACT);
    assert_int_equal(result.bound.cycles, expected);
    assert_int_equal(result.bound.lower, expected);
    assert_non_null(result.witness.cycle); /* which makespan_solve has checked */
    assert_int_equal(result.witness.makespan, expected);
    makespan_result_free(&result);
}

/* With the middle terms of eqs. (33) to (37) left free, LLC would take 9 cycles and LC 4. */
static void test_known_values(void **state) {
    (void)state;
    static const struct {
        struct makespan_case problem;
        uint64_t exact;
    } known[] = {
        {{"LLC", 3, {1, 1, 1, 1}, 0}, 7},   {{"LC", 1, {1, 1, 1, 1}, 0}, 2}, {{"LC", 2, {1, 1, 1, 1}, 0}, 3},
        {{"LLCLL", 2, {1, 1, 1, 1}, 0}, 9}, {{"LL", 4, {2, 1, 1, 1}, 0}, 5}, {{"LCS", 3, {1, 1, 1, 1}, 1}, 9},
        {{"L", 1, {1, 1, 1, 1}, 0}, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct makespan_problem problem = makespan_case_problem(&known[i].problem);
        for (size_t m = 0; m < 3; m++)
            check_exact(methods[m], &problem, known[i].exact);
        problem_free(&problem);
    }
}

/* Two strings, of which the one with the smaller total can end last. */
static void test_groups(void **state) {
    (void)state;
    const uint8_t long_string[] = {0, 1, 1};
    const uint8_t short_string[] = {1, 0};
    const struct string_use uses[] = {{1, long_string, 3}, {2, short_string, 2}};
    const uint32_t capacity[UNIT_TYPES] = {1, 1, 1, 1};
    struct makespan_problem problem;
    assert_int_equal(problem_make(uses, 2, capacity, ISSUE_UNLIMITED, &problem), WB_OK);
    struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
    for (size_t m = 0; m < 3; m++)
        check_exact(methods[m], &problem, brute.bound.cycles);
    makespan_result_free(&brute);
    problem_free(&problem);
}

static void test_equals_brute_force(void **state) {
    (void)state;
    for (uint64_t seed = 1, made = 0; made < 60; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 3, 5, 4);
        if (problem.instruction_count <= INSTRUCTIONS_MAX) {
            struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
            for (size_t m = 0; m < 3; m++)
                check_exact(methods[m], &problem, brute.bound.cycles);
            makespan_result_free(&brute);
            made++;
        }
        problem_free(&problem);
    }
}

/* A program that is made for a test. */
struct program {
    struct makespan_run run;
    const struct ilp_form *form;
    uint32_t horizon;
    ilp_writer *write;
    struct text out;
};

static wb_status solve_short_horizon(void *context) {
    const struct program *program = context;
    struct ilp_instance instance;
    struct ilp_model model = {.arena = program->run.arena};
    struct ilp_solution solution;
    assert_int_equal(ilp_instance_make(program->run.problem, model.arena, &instance), WB_OK);
    assert_true(instance.horizon > program->horizon);
    instance.horizon = program->horizon;
    assert_int_equal(program->form->build(&instance, UINT64_C(1) << 30, &model), WB_OK);
    assert_int_equal(ilp_cbc_solve(&model, &program->run, program->form->name, &solution), WB_OK);
    assert_int_equal(solution.end, ILP_OPTIMAL);
    assert_true(solution.bound > 3.5 && solution.bound < 4.5);
    return WB_OK;
}

/* Eq. (5), which the paper takes for the horizon, makes the program forget the worst schedule of LL. */
static void test_horizon_of_the_paper_is_too_short(void **state) {
    (void)state;
    const struct makespan_case c = {"LL", 4, {2, 1, 1, 1}, 0};
    const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    struct makespan_problem problem = makespan_case_problem(&c);
    struct makespan_result pessimistic = makespan_case_solve(&makespan_pessimistic, &problem, NULL, WB_OK);
    assert_int_equal(pessimistic.bound.cycles, 4);
    for (size_t f = 0; f < 3; f++) {
        struct arena arena = {0};
        struct program program = {.run = {.problem = &problem, .settings = &settings, .arena = &arena},
                                  .form = forms[f],
                                  .horizon = (uint32_t)pessimistic.bound.cycles};
        assert_int_equal(makespan_with_memory(&program.run, &arena, solve_short_horizon, &program), WB_OK);
        arena_free(&arena);
    }
    makespan_result_free(&pessimistic);
    problem_free(&problem);
}

static wb_status write_program(void *context) {
    struct program *program = context;
    return ilp_write(&program->run, program->form, program->write, &program->out);
}

/* The text of a program. */
static struct text text_of(const struct makespan_problem *problem, const struct ilp_form *form,
                           ilp_writer *write) {
    const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct arena arena = {0};
    struct program program = {
        .run = {.problem = problem, .settings = &settings, .diagnostics = diagnostics, .arena = &arena},
        .form = form,
        .write = write};
    assert_int_equal(makespan_with_memory(&program.run, &arena, write_program, &program), WB_OK);
    arena_free(&arena);
    wb_diagnostics_free(diagnostics);
    return program.out;
}

static void check_lp(const struct makespan_case *c, const struct ilp_form *form, const char *expected) {
    struct makespan_problem problem = makespan_case_problem(c);
    struct text out = text_of(&problem, form, ilp_lp_write);
    assert_string_equal(out.data, expected);
    text_free(&out);
    problem_free(&problem);
}

static void test_lp_text(void **state) {
    (void)state;
    const struct makespan_case two_loads = {"L", 2, {1, 1, 1, 1}, 0};
    const struct makespan_case one_warp = {"LL", 1, {1, 1, 1, 1}, 0};
    check_lp(&two_loads, ilp_form_find("ilp-short", 9),
             "\\ ilp-short, schedules of at most 2 cycles; obj is the makespan\n"
             "Maximize\n"
             " obj: + LS_2_1_1 + 2 LS_2_1_2\n"
             "Subject To\n"
             " order_1: + LS_1_1_1 + 2 LS_1_1_2 - LS_2_1_1 - 2 LS_2_1_2 <= 0\n"
             " capacity_1_1: + LS_1_1_1 + LS_2_1_1 <= 1\n"
             " full_if_1_1: + LS_1_1_1 + LS_2_1_1 - full_L_1 <= 0\n"
             " full_only_if_1_1: + LS_1_1_1 + LS_2_1_1 - full_L_1 >= 0\n"
             " capacity_1_2: + LS_1_1_2 + LS_2_1_2 <= 1\n"
             " full_if_1_2: + LS_1_1_2 + LS_2_1_2 - full_L_2 <= 0\n"
             " full_only_if_1_2: + LS_1_1_2 + LS_2_1_2 - full_L_2 >= 0\n"
             " once_1_1: + LS_1_1_1 + LS_1_1_2 = 1\n"
             " once_2_1: + LS_2_1_1 + LS_2_1_2 = 1\n"
             " conserve_1_1_1: + LS_1_1_1 + full_L_1 >= 1\n"
             " conserve_1_1_2: + LS_1_1_1 + LS_1_1_2 + full_L_2 >= 1\n"
             " conserve_2_1_1: + LS_2_1_1 + full_L_1 >= 1\n"
             " conserve_2_1_2: + LS_2_1_1 + LS_2_1_2 + full_L_2 >= 1\n"
             "Binaries\n"
             " LS_1_1_1 LS_1_1_2 LS_2_1_1 LS_2_1_2 full_L_1 full_L_2\n"
             "End\n");
    check_lp(&one_warp, ilp_form_find("ilp-long", 8),
             "\\ ilp-long, schedules of at most 2 cycles; obj is the makespan\n"
             "Maximize\n"
             " obj: + LS_1_2_1 + 2 LS_1_2_2\n"
             "Subject To\n"
             " capacity_1_1: + LS_1_1_1 + LS_1_2_1 <= 1\n"
             " full_if_1_1: + LS_1_1_1 + LS_1_2_1 - full_L_1 <= 0\n"
             " full_only_if_1_1: + LS_1_1_1 + LS_1_2_1 - full_L_1 >= 0\n"
             " capacity_1_2: + LS_1_1_2 + LS_1_2_2 <= 1\n"
             " full_if_1_2: + LS_1_1_2 + LS_1_2_2 - full_L_2 <= 0\n"
             " full_only_if_1_2: + LS_1_1_2 + LS_1_2_2 - full_L_2 >= 0\n"
             " once_1_1: + LS_1_1_1 + LS_1_1_2 = 1\n"
             " once_1_2: + LS_1_2_1 + LS_1_2_2 = 1\n"
             " before_1_2: + LS_1_1_1 + 2 LS_1_1_2 - LS_1_2_1 - 2 LS_1_2_2 <= -1\n"
             " one_use_1_1_1: + LS_1_1_1 + LS_1_2_1 <= 1\n"
             " one_use_1_1_2: + LS_1_1_2 + LS_1_2_2 <= 1\n"
             " conserve_1_1_1: + 2 LS_1_1_1 + LS_1_1_2 + LS_1_2_1 + 2 full_L_1 >= 2\n"
             " conserve_1_1_2: + LS_1_1_1 + 2 LS_1_1_2 + LS_1_2_1 + LS_1_2_2 + 2 full_L_2 >= 2\n"
             "Binaries\n"
             " LS_1_1_1 LS_1_1_2 LS_1_2_1 LS_1_2_2 full_L_1 full_L_2\n"
             "End\n");
    check_lp(&two_loads, ilp_form_find("ilp-cumulative", 14),
             "\\ ilp-cumulative, schedules of at most 2 cycles; obj is the makespan\n"
             "Maximize\n"
             " obj: + busy_1 + busy_2\n"
             "Subject To\n"
             " busy_if_1: + busy_1 = 1\n"
             " capacity_1_1: + done_1_1_1 + done_2_1_1 <= 1\n"
             " full_only_if_1_1: + done_1_1_1 + done_2_1_1 - full_L_1 >= 0\n"
             " conserve_1_1_1: + done_1_1_1 + full_L_1 >= 1\n"
             " order_1_1_1: + done_1_1_1 - done_2_1_1 >= 0\n"
             " conserve_2_1_1: + done_2_1_1 + full_L_1 >= 1\n"
             " busy_if_2: + busy_2 + done_2_1_1 = 1\n"
             " capacity_1_2: - done_1_1_1 - done_2_1_1 <= -1\n"
             " full_only_if_1_2: - done_1_1_1 - done_2_1_1 - full_L_2 >= -2\n"
             "Binaries\n"
             " done_1_1_1 done_2_1_1 busy_1 busy_2 full_L_1 full_L_2\n"
             "End\n");
    assert_null(ilp_form_find("ilp", 3));
}

/* What CBC finds of a program in a file of that format, as a minimum; in a process of its own, as it prints.
 */
static double solve_file(const char *path, int (*read_program)(Cbc_Model *, const char *)) {
    int ends[2];
    double value = 0;
    assert_int_equal(pipe(ends), 0);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        Cbc_Model *cbc = Cbc_newModel();
        Cbc_setLogLevel(cbc, 0);
        const bool solved = freopen("/dev/null", "w", stdout) != NULL && read_program(cbc, path) == 0 &&
                            Cbc_solve(cbc) == 0 && Cbc_isProvenOptimal(cbc);
        value = solved ? Cbc_getObjValue(cbc) : 0;
        _exit(write(ends[1], &value, sizeof value) == sizeof value ? 0 : 1);
    }
    (void)close(ends[1]);
    assert_true(child > 0 && read(ends[0], &value, sizeof value) == sizeof value);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(ends[0]);
    return value;
}

/* Both files of every program, read back by CBC, have the makespan that a search has found. */
static void check_files(const struct makespan_problem *problem, const struct ilp_form *form,
                        uint64_t expected) {
    static const struct {
        ilp_writer *write;
        int (*read)(Cbc_Model *, const char *);
        int sign;
    } formats[] = {{ilp_lp_write, Cbc_readLp, 1}, {ilp_mps_write, Cbc_readMps, -1}};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (size_t i = 0; i < 2; i++) {
        char path[] = "/tmp/warpbound_ilp_XXXXXX.lp";
        struct text out = text_of(problem, form, formats[i].write);
        (void)close(mkstemps(path, 3));
        assert_int_equal(wb_file_write(path, out.data, diagnostics), WB_OK);
        if (llround(solve_file(path, formats[i].read)) != formats[i].sign * (long long)expected)
            fail_msg("%s, format %zu: %f, not %llu\n%s", form->name, i, solve_file(path, formats[i].read),
                     (unsigned long long)expected, out.data);
        assert_int_equal(unlink(path), 0);
        text_free(&out);
    }
    wb_diagnostics_free(diagnostics);
}

static void test_files_have_the_same_optimum(void **state) {
    (void)state;
    for (uint64_t seed = 1, made = 0; made < 4; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 3, 4, 3);
        if (problem.instruction_count <= INSTRUCTIONS_MAX && problem.warp_count > 1) {
            struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
            for (size_t f = 0; f < 3; f++)
                check_files(&problem, forms[f], brute.bound.cycles);
            makespan_result_free(&brute);
            made++;
        }
        problem_free(&problem);
    }
}

static bool refuse(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)done;
    (void)total;
    assert_non_null(strstr(stage, "ilp-"));
    ++*(unsigned *)user;
    return false;
}

/* Runs a method on a problem that takes it long, with limits; the worst case is 25. */
static void check_stopped(const struct makespan_method *method, const struct makespan_settings *settings,
                          const wb_watch *watch, const char *message) {
    const struct makespan_case c = {"LLCLL", 6, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&c);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct makespan_result result;
    struct makespan_run run = {
        .problem = &problem, .settings = settings, .watch = watch, .diagnostics = diagnostics};
    assert_int_equal(makespan_solve(method, &run, &result), WB_ERR_LIMIT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), message));
    assert_int_equal(result.bound.kind, WB_UPPER);
    assert_in_range(result.bound.lower, 5, 25);
    assert_in_range(result.bound.cycles, 25, 30);
    assert_int_equal(result.witness.makespan, result.bound.lower);
    makespan_result_free(&result);
    wb_diagnostics_free(diagnostics);
    problem_free(&problem);
}

static void test_stopped_run_keeps_its_interval(void **state) {
    (void)state;
    unsigned asked = 0;
    const wb_watch watch = {.poll = refuse, .user = &asked};
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    for (size_t m = 0; m < 3; m++)
        check_stopped(methods[m], &settings, &watch, "stopped");
    assert_int_equal(asked, 3);
    settings.time_limit = 0.2;
    for (size_t m = 0; m < 3; m++)
        check_stopped(methods[m], &settings, NULL, "stopped");
    settings.time_limit = 0;
    settings.processor_limit = 0.2;
    for (size_t m = 0; m < 3; m++)
        check_stopped(methods[m], &settings, NULL, "stopped");
}

static void test_memory_limit(void **state) {
    (void)state;
    struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    const struct makespan_case c = {"LLCLL", 6, {1, 1, 1, 1}, 0};
    settings.memory = 4000000; /* enough for the program, too little to solve it */
    /* The sanitizer's runtime waits for itself for ever when it is refused memory in CBC's process. */
    if (!ADDRESS_SANITIZER) check_stopped(&makespan_ilp_cumulative, &settings, NULL, "no memory left");
    struct makespan_problem problem = makespan_case_problem(&c);
    struct makespan_result result =
        makespan_case_solve(&makespan_ilp_short, &problem, &settings, WB_ERR_LIMIT);
    assert_int_equal(result.bound.cycles, 0);
    makespan_result_free(&result);
    problem_free(&problem);
}

/* The library prints nothing, and CBC prints much. */
static void test_nothing_is_printed(void **state) {
    (void)state;
    const struct makespan_case c = {"LLC", 2, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&c);
    FILE *printed = tmpfile();
    assert_non_null(printed);
    (void)fflush(NULL);
    int out = dup(STDOUT_FILENO);
    int err = dup(STDERR_FILENO);
    assert_true(dup2(fileno(printed), STDOUT_FILENO) >= 0 && dup2(fileno(printed), STDERR_FILENO) >= 0);
    struct makespan_result result = makespan_case_solve(&makespan_ilp_cumulative, &problem, NULL, WB_OK);
    (void)fflush(NULL);
    struct stat size;
    assert_int_equal(fstat(fileno(printed), &size), 0);
    assert_true(dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0);
    assert_int_equal(size.st_size, 0);
    (void)close(out);
    (void)close(err);
    (void)fclose(printed);
    makespan_result_free(&result);
    problem_free(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_equals_brute_force),
        cmocka_unit_test(test_horizon_of_the_paper_is_too_short),
        cmocka_unit_test(test_lp_text),
        cmocka_unit_test(test_files_have_the_same_optimum),
        cmocka_unit_test(test_stopped_run_keeps_its_interval),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
