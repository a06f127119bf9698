#include "makespan_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "wings/makespan/strings/notation.h"

struct makespan_problem makespan_case_problem(const struct makespan_case *c) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_non_null(diagnostics);
    struct unit_string string = {0};
    const struct subject subject = {.where = c->string};
    assert_int_equal(notation_parse(c->string, strlen(c->string), &subject, diagnostics, &string), WB_OK);
    const struct string_use use = {c->warps, string.units.items, (uint32_t)string.units.count};
    struct makespan_problem problem;
    uint32_t issue = c->issue == 0 ? ISSUE_UNLIMITED : c->issue;
    assert_int_equal(problem_make(&use, 1, c->capacity, issue, &problem), WB_OK);
    unit_string_free(&string);
    wb_diagnostics_free(diagnostics);
    return problem;
}

struct makespan_problem makespan_random_problem(struct random_state *random, uint32_t units_max,
                                                uint32_t length_max, uint32_t warps_max) {
    uint8_t units[3][64];
    struct string_use uses[3];
    uint32_t unit_count = 2 + (uint32_t)random_below(random, units_max - 1);
    uint32_t use_count = random_below(random, 3) == 0 ? 1 + (uint32_t)random_below(random, 3) : 1;
    uint32_t warps_left = warps_max;
    uint32_t capacity[UNIT_TYPES];
    for (uint32_t u = 0; u < UNIT_TYPES; u++)
        capacity[u] =
            1 + (uint32_t)(random_below(random, 3) == 0 ? random_below(random, 4) : random_below(random, 2));
    uint32_t made = 0;
    for (; made < use_count && warps_left > 0; made++) {
        uint32_t length = 1 + (uint32_t)random_below(random, length_max);
        for (uint32_t i = 0; i < length; i++)
            units[made][i] = (uint8_t)random_below(random, unit_count);
        uses[made] = (struct string_use){1 + (uint32_t)random_below(random, warps_left), units[made], length};
        warps_left -= uses[made].warps;
    }
    uint32_t issue = random_below(random, 2) == 0 ? ISSUE_UNLIMITED : 1 + (uint32_t)random_below(random, 4);
    struct makespan_problem problem;
    assert_int_equal(problem_make(uses, made, capacity, issue, &problem), WB_OK);
    return problem;
}

struct makespan_result makespan_case_solve(const struct makespan_method *method,
                                           const struct makespan_problem *problem,
                                           const struct makespan_settings *settings, wb_status expected) {
    static const struct makespan_settings defaults = MAKESPAN_SETTINGS_DEFAULTS;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_non_null(diagnostics);
    struct makespan_run run = {
        .problem = problem, .settings = settings != NULL ? settings : &defaults, .diagnostics = diagnostics};
    struct makespan_result result;
    wb_status status = makespan_solve(method, &run, &result);
    if (status != expected) {
        fprintf(stderr, "%s: status %d\n%s", method->name, status, wb_diagnostics_text(diagnostics));
        makespan_case_print(problem);
    }
    assert_int_equal(status, expected);
    wb_diagnostics_free(diagnostics);
    return result;
}

void makespan_case_print(const struct makespan_problem *problem) {
    struct text out = {0};
    for (uint32_t g = 0; g < problem->group_count; g++) {
        text_printf(&out, "%u:", problem->groups[g].warps);
        notation_print(&out, problem->unit + problem->groups[g].first, problem->groups[g].length);
        text_char(&out, ' ');
    }
    fprintf(stderr, "problem: %s L=%u,C=%u,S=%u,D=%u issue %u\n", out.data, problem->capacity[0],
            problem->capacity[1], problem->capacity[2], problem->capacity[3], problem->issue_limit);
    text_free(&out);
}
