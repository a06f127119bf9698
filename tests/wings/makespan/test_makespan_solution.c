/* Solutions of other solvers: the formats that are read, and what is wrong with files that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "makespan_cases.h"
#include "wings/makespan/forms/ilp_cbc.h"
#include "wings/makespan/forms/ilp_solution.h"

static const struct ilp_form *const forms[] = {&ilp_form_short, &ilp_form_long, &ilp_form_cumulative};

enum format { CBC, GLPK, SCIP, GUROBI, FORMATS };

static void write_heading(enum format format, struct text *out) {
    static const char *const headings[FORMATS] = {
        [CBC] = "Optimal - objective value 9.00000000\n",
        [GLPK] = "Problem:\nRows:       1\nStatus:     INTEGER OPTIMAL\n\n"
                 "   No.   Row name        Activity     Lower bound   Upper bound\n"
                 "------ ------------    ------------- ------------- -------------\n"
                 "     1 once_1_1                    1             1             =\n\n"
                 "   No. Column name       Activity     Lower bound   Upper bound\n"
                 "------ ------------    ------------- ------------- -------------\n",
        [SCIP] = "solution status: optimal solution found\nobjective value:           9\n",
        [GUROBI] = "# Objective value = 9\n",
    };
    text_string(out, headings[format]);
}

/* A column as the solver writes it; CBC and SCIP leave out those that are 0. */
static void write_value(enum format format, size_t column, const char *name, int value, struct text *out) {
    switch (format) {
    case CBC:
        if (value != 0) text_printf(out, "%7zu %-20s %15d %15g\n", column, name, value, 0.5);
        break;
    case GLPK:
        if (strlen(name) > 12)
            text_printf(out, "%6zu %s\n%20s* %13d %13d %13d\n", column, name, "", value, 0, 1);
        else
            text_printf(out, "%6zu %-12s * %13d %13d %13d\n", column, name, value, 0, 1);
        break;
    case SCIP:
        if (value != 0) text_printf(out, "%-20s %20.10f \t(obj:0)\n", name, value + 0.0000001);
        break;
    default: text_printf(out, "%s %d\r\n", name, value);
    }
}

static void write_solution(enum format format, const struct ilp_model *model, const int *value,
                           struct text *out) {
    write_heading(format, out);
    for (size_t c = 0; c < model->columns.count; c++) {
        struct text name = {0};
        ilp_name_write(&model->columns.items[c].name, &name);
        write_value(format, c, name.data, value[c], out);
        text_free(&name);
    }
    if (format == GLPK) text_string(out, "\nInteger feasibility conditions:\n\nEnd of output\n");
}

/* A text that is read, in arenas that are protected meanwhile. */
struct reading {
    struct makespan_run run;
    struct source source;
    struct arena arena;
    struct schedule schedule;
};

static wb_status read_back(void *context) {
    struct reading *reading = context;
    return ilp_read_back(&reading->run, &reading->source, reading->run.arena, &reading->schedule);
}

/* The schedule goes with reading->arena. */
static wb_status read_text(const struct makespan_problem *problem, const char *text, size_t size,
                           wb_diagnostics *diagnostics, struct reading *reading) {
    static const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    *reading = (struct reading){.run = {.problem = problem,
                                        .settings = &settings,
                                        .diagnostics = diagnostics,
                                        .arena = &reading->arena},
                                .source = {.name = "file", .text = text, .size = size}};
    return makespan_with_memory(&reading->run, &reading->arena, read_back, reading);
}

/* A value that is changed makes the file wrong, or leaves it a schedule: nothing else is let through. */
static void check_changed(const struct makespan_problem *problem, const struct ilp_model *model, int *value,
                          uint64_t worst, struct random_state *random) {
    const size_t changed = random_below(random, model->columns.count);
    struct text out = {0};
    struct reading reading;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    value[changed] = value[changed] == 0;
    write_solution(GUROBI, model, value, &out);
    wb_status status = read_text(problem, out.data, out.length, diagnostics, &reading);
    assert_true(status == WB_OK || status == WB_ERR_INPUT);
    assert_int_equal(status == WB_OK, wb_diagnostics_errors(diagnostics) == 0);
    if (status == WB_OK) {
        assert_int_equal(schedule_check(problem, &reading.schedule, "changed", diagnostics), WB_OK);
        assert_true(reading.schedule.makespan <= worst);
    }
    value[changed] = value[changed] == 0;
    arena_free(&reading.arena);
    wb_diagnostics_free(diagnostics);
    text_free(&out);
}

/* A form whose solution is to be read back from every format as the same schedule. */
struct form_check {
    struct makespan_run run;
    const struct ilp_form *form;
    uint64_t worst;
    struct random_state *random;
};

static wb_status solve_and_read(void *context) {
    const struct form_check *check = context;
    const struct makespan_problem *problem = check->run.problem;
    wb_diagnostics *diagnostics = check->run.diagnostics;
    struct ilp_instance instance;
    struct ilp_model model;
    struct ilp_solution solution;
    assert_int_equal(ilp_make(&check->run, check->form, &instance, &model), WB_OK);
    assert_int_equal(ilp_cbc_solve(&model, &check->run, check->form->name, &solution), WB_OK);
    int *value = arena_array(check->run.arena, model.columns.count, sizeof *value);
    for (size_t c = 0; c < model.columns.count; c++) /* the one number that is not binary is the makespan */
        value[c] = model.columns.items[c].upper == 1 ? solution.one[c] : (int)check->worst;
    for (enum format format = 0; format < FORMATS; format++) {
        struct text out = {0};
        struct reading reading;
        write_solution(format, &model, value, &out);
        if (read_text(problem, out.data, out.length, diagnostics, &reading) != WB_OK)
            fail_msg("%s, format %d: %s\n%s", check->form->name, (int)format,
                     wb_diagnostics_text(diagnostics), out.data);
        assert_int_equal(reading.schedule.makespan, check->worst);
        arena_free(&reading.arena);
        text_free(&out);
    }
    for (int i = 0; i < 10; i++)
        check_changed(problem, &model, value, check->worst, check->random);
    return WB_OK;
}

static void check_form(const struct makespan_problem *problem, const struct ilp_form *form, uint64_t worst,
                       struct random_state *random) {
    const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    struct arena arena = {0};
    struct form_check check = {.run = {.problem = problem,
                                       .settings = &settings,
                                       .diagnostics = wb_diagnostics_new(),
                                       .arena = &arena},
                               .form = form,
                               .worst = worst,
                               .random = random};
    assert_int_equal(makespan_with_memory(&check.run, &arena, solve_and_read, &check), WB_OK);
    wb_diagnostics_free(check.run.diagnostics);
    arena_free(&arena);
}

static void test_solutions_are_read_back(void **state) {
    (void)state;
    for (uint64_t seed = 1, made = 0; made < 12; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 3, 4, 3);
        if (problem.instruction_count <= 9) {
            struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
            for (size_t f = 0; f < 3; f++)
                check_form(&problem, forms[f], brute.bound.cycles, &random);
            makespan_result_free(&brute);
            made++;
        }
        problem_free(&problem);
    }
}

/* Two warps of LC: the second follows the first by a cycle. */
#define EXECUTED "LS_1_1_1 1\nCC_1_2_2 1\nLS_2_1_2 1\n"
#define FULL "full_L_1 1\nfull_L_2 1\nfull_C_2 1\nfull_C_3 1\n"

static void test_what_is_wrong_is_shown(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "file:1:1: error: the file contains no solution"},
        {"\n \n", "file:1:1: error: the file contains no solution"},
        {"# a comment\nLS_1_1_1\n", "file:2:1: error: expected a variable and its value, or"},
        {"LS_1_1_1 1 2\n", "file:1:1: error: expected a variable and its value, or"},
        {"LS_1_1_1 x\n", "file:1:10: error: expected the value of a variable, got 'x'"},
        {"LS_1_1_1 nan\n", "file:1:10: error: expected the value"},
        {"LS_1_1_1 0.5\n", "file:1:10: error: the value 0.5 is not a whole number"},
        {"LS_1_1_1 inf\n", "file:1:10: error: the value inf is not a whole number"},
        {"LS_1_1_1 1e300\n", "file:1:10: error: the value 1e300 is not a whole number"},
        {"LS_1_1_1 2\n", "file:1:1: error: LS_1_1_1 is 2: expected 0 to 1"},
        {"LS_1_1_1 -1\n", "file:1:1: error: LS_1_1_1 is -1: expected 0 to 1"},
        {"LS_1_1_1 1\nLS_1_1_1 1\n", "file:2:1: error: LS_1_1_1 already has a value"},
        {"LS_1_1_1 1\nLS_9_1_1 1\n",
         "file:2:1: error: 'LS_9_1_1' is not a variable of the program ilp-short"},
        {"busy_1 1\nLS_1_1_1 1\n",
         "file:2:1: error: 'LS_1_1_1' is not a variable of the program ilp-cumulative"},
        {"Optimal - objective value 3\n 0 LS_1_1_1\n", "file:2:1: error: expected a variable and its value"},
        {"Infeasible - objective value 0\n ** 0 x 1 0\n", "file:2:7: error: 'x' is not a variable"},
        {"solution status: infeasible\nno solution available\n", "file:2:1: error: the solver found no"},
        {"Problem:\n  1 LS_1_1_1 * 1\n", "error: expected a table of columns"},
        {"Problem:\n No. Column name\n---\n 1 LS_1_1_1\n", "file:4:1: error: expected the value of the"},
        {"Problem:\n No. Column name\n---\n 1\n", "file:4:1: error: expected a variable and its value"},
        {EXECUTED FULL,
         "file:2:1: error: the values violate the row order_1 of ilp-short: its sum is 2, expected "
         "at most 0 (variables without a value are 0)"},
        {EXECUTED "CC_2_2_4 1\n" FULL, "the values violate the row"},
        {EXECUTED "CC_2_2_2 1\n" FULL, "the values violate the row"},
    };
    const struct makespan_case two = {"LC", 2, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&two);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct reading reading;
        wb_status status = read_text(&problem, cases[i].text, strlen(cases[i].text), diagnostics, &reading);
        if (status != WB_ERR_INPUT || strstr(wb_diagnostics_text(diagnostics), cases[i].message) == NULL)
            fail_msg("'%s': %s", cases[i].text, wb_diagnostics_text(diagnostics));
        assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
        arena_free(&reading.arena);
        wb_diagnostics_free(diagnostics);
    }
    problem_free(&problem);
}

/* The same schedule with its last instruction in its cycle is one. */
static void test_right_values_are_taken(void **state) {
    (void)state;
    static const char text[] = EXECUTED "CC_2_2_3 1\n" FULL;
    const struct makespan_case two = {"LC", 2, {1, 1, 1, 1}, 0};
    struct makespan_problem problem = makespan_case_problem(&two);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct reading reading;
    if (read_text(&problem, text, sizeof text - 1, diagnostics, &reading) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    assert_int_equal(reading.schedule.makespan, 3);
    arena_free(&reading.arena);
    wb_diagnostics_free(diagnostics);
    problem_free(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solutions_are_read_back),
        cmocka_unit_test(test_what_is_wrong_is_shown),
        cmocka_unit_test(test_right_values_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
