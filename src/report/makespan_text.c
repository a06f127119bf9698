/* Reports of a makespan problem as a table for people. */
#include <inttypes.h>

#include "base/cycles.h"
#include "base/text.h"
#include "report/analysis_report.h"
#include "report/bound_text.h"
#include "report/makespan_report.h"

/* Columns of the table, in characters. */
enum { COLUMN_KIND = 16, COLUMN_VALUE = 42, COLUMN_SECONDS = 56 };

/* Strings with more letters are cut in headings. */
#define HEADING_LETTERS 400u

static void put_ratio(struct text *out, const struct ratio *ratio) {
    text_printf(out, "%u", ratio->numerator);
    if (ratio->denominator != 1) text_printf(out, "/%u", ratio->denominator);
}

static void put_groups(struct text *out, const struct makespan_problem *problem) {
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        uint32_t shown = group->length < HEADING_LETTERS ? group->length : HEADING_LETTERS;
        text_printf(out, "%s%u x ", g == 0 ? "warps    " : "         ", group->warps);
        notation_print(out, problem->unit + group->first, shown);
        text_printf(out, "%s (%u instruction%s)\n", shown < group->length ? "..." : "", group->length,
                    group->length == 1 ? "" : "s");
    }
}

static void put_units(struct text *out, const struct wb_makespan *makespan) {
    const struct makespan_problem *problem = &makespan->problem;
    text_string(out, "units   ");
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (makespan->transform.of[unit].used)
            text_printf(out, " %c=%u", UNIT_LETTERS[unit], problem->capacity[unit]);
    text_string(out, " warps a cycle");
    if (problem->issue_limit != ISSUE_UNLIMITED)
        text_printf(out, ", at most %u instructions issued a cycle", problem->issue_limit);
    text_string(out, "\n");
}

/* What the transformation did to one unit type. */
static void put_unit_transform(struct text *out, uint32_t unit, const struct unit_transform *t) {
    text_printf(out, "         %c: units for ", UNIT_LETTERS[unit]);
    put_ratio(out, &t->sigma);
    text_string(out, t->sigma.numerator == t->sigma.denominator ? " warp a cycle" : " warps a cycle");
    if (t->cycles > 1) text_printf(out, ", %u cycles an instruction", t->cycles);
    text_printf(out, " -> for %u", t->capacity);
    if (t->copies > 1) text_printf(out, ", each %c is %u letters", UNIT_LETTERS[unit], t->copies);
    if (t->sigma.numerator > t->sigma.denominator && t->sigma.denominator > 1)
        text_string(out, ", rounded down");
    text_char(out, '\n');
}

static void put_transform(struct text *out, const struct transform *transform) {
    if (!transform_changes(transform)) return;
    text_string(out,
                "after the transformation of fractional capacities and instructions of several cycles:\n");
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        const struct unit_transform *t = &transform->of[unit];
        if (t->used && (t->copies > 1 || t->sigma.denominator > 1)) put_unit_transform(out, unit, t);
    }
}

/* A value, or the interval that is proven. */
static void put_value(struct text *out, const wb_bound *bound) {
    char number[64];
    if (bound->kind == WB_UPPER && bound->lower > 0) {
        (void)text_format(number, sizeof number, "%" PRIu64 " .. %" PRIu64, bound->lower, bound->cycles);
    } else {
        (void)text_format(number, sizeof number, "%" PRIu64, bound->cycles);
    }
    report_put_right(out, COLUMN_VALUE, number);
}

static void put_bounds(struct text *out, const struct wb_makespan *makespan,
                       const wb_report_options *options) {
    text_string(out, "\nmethod");
    text_pad(out, COLUMN_KIND);
    text_string(out, "kind");
    report_put_right(out, COLUMN_VALUE, "cycles");
    if (options->timing) report_put_right(out, COLUMN_SECONDS, "elapsed");
    text_char(out, '\n');
    for (size_t i = 0; wb_makespan_bound(makespan, i) != NULL; i++) {
        const wb_bound *bound = wb_makespan_bound(makespan, i);
        text_string(out, bound->method);
        text_pad(out, COLUMN_KIND);
        text_string(out, wb_kind_name(bound->kind));
        put_value(out, bound);
        char seconds[32];
        (void)text_format(seconds, sizeof seconds, "%.3f s", bound->seconds);
        if (options->timing) report_put_right(out, COLUMN_SECONDS, seconds);
        text_char(out, '\n');
    }
}

/* Methods without a result, and why. */
static void put_declined(struct text *out, const struct wb_makespan *makespan) {
    size_t count;
    const wb_declined *declined = wb_makespan_declined(makespan, &count);
    for (size_t i = 0; i < count; i++) {
        text_string(out, declined[i].method);
        text_pad(out, COLUMN_KIND);
        text_printf(out, "%s: %s\n", report_declined_name(declined[i].status), declined[i].reason);
    }
}

static void put_interval(struct text *out, const struct wb_makespan *makespan) {
    struct makespan_interval interval = makespan_certain(makespan);
    if (interval.upper == CYCLES_SATURATED && interval.lower == 0) return;
    text_string(out, "\nworst case: ");
    if (interval.upper == CYCLES_SATURATED) {
        text_printf(out, "at least %" PRIu64 " cycles\n\n", interval.lower);
    } else if (interval.lower == interval.upper) {
        text_printf(out, "%" PRIu64 " cycles\n\n", interval.upper);
    } else if (interval.lower == 0) {
        text_printf(out, "at most %" PRIu64 " cycles\n\n", interval.upper);
    } else {
        text_printf(out, "between %" PRIu64 " and %" PRIu64 " cycles\n\n", interval.lower, interval.upper);
    }
}

static const wb_bound *bound_at(const void *owner, size_t index) {
    return wb_makespan_bound(owner, index);
}

wb_status report_makespan_text(const struct wb_makespan *makespan, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    put_groups(&out, &makespan->problem);
    put_units(&out, makespan);
    put_transform(&out, &makespan->transform);
    put_bounds(&out, makespan, options);
    put_declined(&out, makespan);
    put_interval(&out, makespan);
    report_put_conditions(&out, bound_at, makespan, NULL);
    return report_take_text(&out, diagnostics, text);
}
