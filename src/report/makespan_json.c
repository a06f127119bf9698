/* Reports of a makespan problem as JSON; docs/json.md documents every key. */
#include <stdlib.h>

#include "base/cycles.h"
#include "report/bound_json.h"
#include "report/json_parts.h"
#include "report/makespan_report.h"

/* A string in the notation of runs; NULL when memory is exhausted. */
static json_t *string_json(const uint8_t *units, uint32_t length) {
    struct text out = {0};
    notation_print(&out, units, length);
    char *taken = text_take(&out);
    json_t *string = taken != NULL ? json_string(taken) : NULL;
    free(taken);
    return string;
}

static json_t *warps_json(const struct makespan_problem *problem) {
    json_t *array = json_array();
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        json_t *object = json_pack("{s:I, s:o, s:I}", "warps", (json_int_t)group->warps, "string",
                                   string_json(problem->unit + group->first, group->length), "instructions",
                                   (json_int_t)group->length);
        json_add(&array, object);
    }
    return array;
}

static json_t *ratio_json(const struct ratio *ratio) {
    if (ratio->denominator == 1) return json_integer((json_int_t)ratio->numerator);
    return json_sprintf("%u/%u", ratio->numerator, ratio->denominator);
}

/* Per unit type in use its capacity, and what it was before the transformation. */
static json_t *units_json(const struct transform *transform) {
    json_t *object = json_object();
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        const struct unit_transform *t = &transform->of[unit];
        if (!t->used) continue;
        const char letter[] = {UNIT_LETTERS[unit], '\0'};
        json_t *one = json_pack("{s:I, s:o, s:I, s:I}", "capacity", (json_int_t)t->capacity, "sigma",
                                ratio_json(&t->sigma), "cycles", (json_int_t)t->cycles, "letters",
                                (json_int_t)t->copies);
        json_put(&object, letter, one);
    }
    return object;
}

static json_t *problem_json(const struct wb_makespan *makespan) {
    const struct makespan_problem *problem = &makespan->problem;
    json_t *issue = problem->issue_limit == ISSUE_UNLIMITED ? json_null()
                                                            : json_integer((json_int_t)problem->issue_limit);
    return json_pack("{s:I, s:o, s:o, s:o}", "warps", (json_int_t)problem->warp_count, "groups",
                     warps_json(problem), "units", units_json(&makespan->transform), "issue_limit", issue);
}

static json_t *bounds_json(const struct wb_makespan *makespan, const wb_report_options *options) {
    json_t *array = json_array();
    for (size_t i = 0; wb_makespan_bound(makespan, i) != NULL; i++)
        json_add(&array, report_bound_json(wb_makespan_bound(makespan, i), options));
    return array;
}

static json_t *declined_json(const struct wb_makespan *makespan) {
    size_t count;
    const wb_declined *declined = wb_makespan_declined(makespan, &count);
    return report_declined_json(declined, count);
}

static json_t *certified_json(const struct wb_makespan *makespan) {
    struct makespan_interval interval = makespan_certain(makespan);
    if (interval.upper == CYCLES_SATURATED) return json_null();
    return json_pack("{s:I, s:I}", "lower", (json_int_t)interval.lower, "upper", (json_int_t)interval.upper);
}

wb_status report_makespan_json(const struct wb_makespan *makespan, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text) {
    json_t *root = json_pack("{s:s, s:o, s:o, s:o, s:o}", "warpbound", wb_version(), "problem",
                             problem_json(makespan), "bounds", bounds_json(makespan, options), "declined",
                             declined_json(makespan), "certified", certified_json(makespan));
    return report_take_json(root, diagnostics, text);
}
