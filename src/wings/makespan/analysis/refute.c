/* The smallest problem on which a published formula lies below the worst case: by instructions of all warps,
 * then by warps, then by string and capacities. */
#include <string.h>

#include "base/base.h"
#include "wings/makespan/analysis/makespan.h"

/* Strings up to this length over L and C, problems of up to so many instructions, capacities up to this. */
#define REFUTE_LENGTH_MAX 12u
#define REFUTE_INSTRUCTIONS_MAX 24u
#define REFUTE_CAPACITY_MAX 3u

struct refuter {
    struct makespan_run run;
    const struct makespan_method *method;
    uint64_t tried;
};

/* Letter i of string number `number`: its bits from the first letter on. */
static uint8_t letter_of(uint32_t number, uint32_t length, uint32_t i) {
    return (uint8_t)(number >> (length - 1 - i) & 1);
}

/* Whether the method's value is below the worst case of the problem. */
static wb_status is_refuted(struct refuter *refuter, const struct makespan_problem *problem, bool *refuted) {
    struct makespan_result claimed;
    struct makespan_result exact = {0};
    refuter->run.problem = problem;
    wb_status status = makespan_solve(refuter->method, &refuter->run, &claimed);
    if (status == WB_OK) status = makespan_solve(&makespan_brute, &refuter->run, &exact);
    *refuted = status == WB_OK && claimed.bound.cycles < exact.bound.cycles;
    makespan_result_free(&claimed);
    makespan_result_free(&exact);
    return status;
}

/* Tries one problem; when it is refuted *found is it, as a user would have written it. */
static wb_status try_problem(struct refuter *refuter, const struct string_use *use, const uint32_t capacity[],
                             wb_makespan **found) {
    struct makespan_problem problem;
    bool refuted = false;
    wb_status status = problem_make(use, 1, capacity, ISSUE_UNLIMITED, &problem);
    if (status == WB_OK) status = is_refuted(refuter, &problem, &refuted);
    problem_free(&problem);
    if (status != WB_OK || !refuted) return status;
    char text[64];
    size_t length = (size_t)text_format(text, sizeof text, "%u:", use->warps);
    for (uint32_t i = 0; i < use->length; i++)
        text[length++] = UNIT_LETTERS[use->units[i]];
    text[length] = '\0';
    char units[32];
    (void)text_format(units, sizeof units, "L=%u,C=%u", capacity[0], capacity[1]);
    wb_makespan *made = wb_makespan_new();
    if (made == NULL) return makespan_no_memory(&refuter->run);
    status = wb_makespan_add_warps(made, text, refuter->run.diagnostics);
    if (status == WB_OK) status = wb_makespan_set(made, "units", units, refuter->run.diagnostics);
    *found = made;
    return status;
}

/* All strings of one length and all capacities. */
static wb_status try_strings(struct refuter *refuter, uint32_t warps, uint32_t length, wb_makespan **found) {
    for (uint32_t number = 0; number < UINT32_C(1) << length; number++) {
        uint8_t units[REFUTE_LENGTH_MAX];
        for (uint32_t i = 0; i < length; i++)
            units[i] = letter_of(number, length, i);
        const struct string_use use = {warps, units, length};
        for (uint32_t c = 0; c < REFUTE_CAPACITY_MAX * REFUTE_CAPACITY_MAX; c++) {
            uint32_t capacity[UNIT_TYPES] = {1 + c / REFUTE_CAPACITY_MAX, 1 + c % REFUTE_CAPACITY_MAX, 1, 1};
            if (!makespan_goes_on(&refuter->run, "refute: problems", ++refuter->tried, 0))
                return WB_ERR_LIMIT;
            WB_TRY(try_problem(refuter, &use, capacity, found));
            if (*found != NULL) return WB_OK;
        }
    }
    return WB_OK;
}

static wb_status search(struct refuter *refuter, wb_makespan **found) {
    for (uint32_t total = 2; total <= REFUTE_INSTRUCTIONS_MAX; total++) {
        for (uint32_t warps = 2; warps <= total; warps++) {
            uint32_t length = total / warps;
            if (length * warps != total || length > REFUTE_LENGTH_MAX) continue;
            WB_TRY(try_strings(refuter, warps, length, found));
            if (*found != NULL) return WB_OK;
        }
    }
    return WB_OK;
}

wb_status wb_makespan_refute(const char *method, const wb_watch *watch, wb_diagnostics *diagnostics,
                             wb_makespan **counterexample) {
    static const struct makespan_settings settings = MAKESPAN_SETTINGS_DEFAULTS;
    struct refuter refuter = {.run = {.settings = &settings, .watch = watch, .diagnostics = diagnostics}};
    if (strcmp(method, makespan_pessimistic.name) == 0) refuter.method = &makespan_pessimistic;
    if (strcmp(method, makespan_extrapolate.name) == 0) refuter.method = &makespan_extrapolate;
    if (refuter.method == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "refute", "expected pessimistic or extrapolate, got '%.40s'",
                 method);
        return WB_ERR_INPUT;
    }
    wb_makespan *found = NULL;
    wb_status status = search(&refuter, &found);
    if (status == WB_OK && found == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "refute", "no problem of up to %u instructions refutes it",
                 REFUTE_INSTRUCTIONS_MAX);
        status = WB_ERR_LIMIT;
    }
    if (status == WB_OK) {
        *counterexample = found;
    } else {
        wb_makespan_free(found);
    }
    return status;
}
