#include "report/parts/parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "method/assumption.h"

double report_percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

void report_put_time(struct text *out, double clock_mhz, uint64_t time) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double value = 1000.0 * (double)time / clock_mhz;
    size_t unit = 0;
    for (; value >= 1000.0 && unit < 3; unit++)
        value /= 1000.0;
    text_printf(out, "%.2f %s", value, units[unit]);
}

void report_time_cell(struct sheet *table, double clock_mhz, uint64_t time) {
    struct text *cell = sheet_begin_cell(table);
    report_put_time(cell, clock_mhz, time);
    if (!cell->failed && cell->data[cell->length - 2] == ' ') text_char(cell, ' '); /* "s" stands over "us" */
    sheet_end_cell(table, false);
}

double report_microseconds(double clock_mhz, uint64_t time) {
    return round((double)time / clock_mhz * 1000.0) / 1000.0;
}

void report_put_part(struct text *out, const wb_part *part) {
    text_printf(out, "%s%s%s", wb_part_name(part->what), part->unit != NULL ? " " : "",
                part->unit != NULL ? part->unit : "");
}

void report_put_parts(struct text *out, const wb_bound *bound, bool in_cycles, double least) {
    for (size_t p = 0; p < bound->part_count; p++) {
        const wb_part *part = &bound->parts[p];
        const double percent = report_percent(part->cycles, bound->cycles);
        if (percent < least) break; /* the largest come first */
        text_string(out, p > 0 ? ", " : "");
        report_put_part(out, part);
        if (in_cycles)
            text_printf(out, " %" PRIu64 " (%.0f %%)", part->cycles, percent);
        else
            text_printf(out, " %.0f %%", percent);
    }
}

const char *report_declined_name(wb_status status) {
    if (status == WB_OK) return "left out";
    return status == WB_ERR_LIMIT ? "limit" : "declined";
}

void report_declined_json(struct json *json, const wb_declined *declined, size_t count) {
    json_open_array(json, "declined");
    for (size_t i = 0; i < count; i++) {
        json_put_object(json, NULL, "method %s, status %s, reason %s", declined[i].method,
                        report_declined_name(declined[i].status), declined[i].reason);
    }
    json_close(json);
}

static void put_assumptions(struct json *json, const wb_assumption *assumptions, size_t count) {
    json_open_array(json, "assumptions");
    for (size_t i = 0; i < count; i++)
        json_put_text(json, NULL, wb_assumption_text(assumptions[i]));
    json_close(json);
    json_open_array(json, "assumption_ids");
    for (size_t i = 0; i < count; i++)
        json_put_text(json, NULL, wb_assumption_id(assumptions[i]));
    json_close(json);
}

void report_assumed_json(struct json *json, assumed_set assumed) {
    wb_assumption assumptions[WB_ASSUMPTION_COUNT];
    put_assumptions(json, assumptions, assumptions_of_execution(assumed, assumptions));
}

void report_seconds_json(struct json *json, double seconds, const wb_report_options *options) {
    json_put(json, "seconds %*g", options->timing, seconds);
}

void report_certified_json(struct json *json, bool is_certified, uint64_t lower, uint64_t upper) {
    if (!json_open_known(json, "certified", is_certified)) return;
    json_put(json, "lower %" PRIu64 ", upper %" PRIu64, lower, upper);
    json_close(json);
}

void report_bound_json(struct json *json, const wb_bound *bound, const wb_report_options *options) {
    const bool is_proven = bound->kind == WB_UPPER || bound->kind == WB_EXACT;
    json_put(json, "method %s, kind %s, cycles %" PRIu64 ", lower %" PRIu64 ", upper %*" PRIu64,
             bound->method, wb_kind_name(bound->kind), bound->cycles, bound->lower, is_proven, bound->cycles);
    put_assumptions(json, bound->assumptions, bound->assumption_count);
    report_seconds_json(json, bound->seconds, options);
    if (bound->reason != NULL) json_put_text(json, "reason", bound->reason);
}

void report_deadline_json(struct json *json, const wb_verdict *verdict) {
    json_put(json, "cycles %" PRIu64 ", of %s", verdict->deadline, wb_scope_name(verdict->scope));
    json_put(json, "met %*d, bound %*" PRIu64, verdict->is_bounded, verdict->state == WB_MET,
             verdict->is_bounded, verdict->cycles);
}

/* ---- Assumptions ------------------------------------------------------------------------------------- */

/* Where ids and sentences stand. */
#define ID_COLUMN 13u
#define TEXT_COLUMN 17u

#define NUMBER_LAST 63u

void conditions_add(struct condition_list *conditions, const wb_assumption *assumptions, size_t count,
                    size_t number) {
    const uint64_t bit = UINT64_C(1) << (number < NUMBER_LAST ? number : NUMBER_LAST);
    for (size_t i = 0; i < count; i++) {
        const wb_assumption what = assumptions[i];
        if (conditions->of[what] == 0) conditions->items[conditions->count++] = what;
        conditions->of[what] |= bit;
    }
}

void conditions_add_bound(struct condition_list *conditions, const wb_bound *bound, size_t number) {
    conditions_add(conditions, bound->assumptions, bound->assumption_count, number);
}

/* Which of `numbers` numbers an assumption is of, unless it is of all. */
static void put_numbers(struct text *words, uint64_t of, size_t numbers) {
    const size_t known = numbers < NUMBER_LAST ? numbers : NUMBER_LAST;
    if (numbers == 0 || (size_t)__builtin_popcountll(of) >= known) return;
    text_printf(words, " (launch%s", __builtin_popcountll(of) == 1 ? "" : "es");
    const char *separator = " ";
    for (size_t n = 0; n < known; n++) {
        if ((of >> n & 1) == 0) continue;
        text_printf(words, "%s%zu", separator, n + 1);
        separator = ", ";
    }
    text_char(words, ')');
}

void conditions_put(struct text *out, const struct layout *layout, struct condition_list *conditions,
                    size_t numbers) {
    const char *before = "";
    assumptions_sort(conditions->items, conditions->count);
    for (size_t i = 0; i < conditions->count; i++) {
        const wb_assumption what = conditions->items[i];
        const char *group = wb_assumption_group(what);
        const size_t start = out->length;
        text_printf(out, "  %s", strcmp(group, before) != 0 ? group : "");
        text_pad(out, ID_COLUMN);
        text_string(out, wb_assumption_id(what));
        text_pad(out, TEXT_COLUMN);
        text_string(out, wb_assumption_text(what));
        put_numbers(out, conditions->of[what], numbers);
        layout_wrap(out, layout, start, 0, TEXT_COLUMN);
        before = group;
    }
}

/* Appends their ids by groups, and which option says what they mean. */
static void list_ids(struct text *words, struct condition_list *conditions) {
    const char *group = "";
    assumptions_sort(conditions->items, conditions->count);
    for (size_t i = 0; i < conditions->count; i++) {
        const char *next = wb_assumption_group(conditions->items[i]);
        if (strcmp(group, next) != 0) text_printf(words, "%s%s", i == 0 ? "" : ", ", next);
        group = next;
        text_printf(words, " %s", wb_assumption_id(conditions->items[i]));
    }
    text_string(words, " (--all says them in words)");
}

void conditions_put_brief(struct text *out, const struct layout *layout, const char *title,
                          struct condition_list *conditions) {
    size_t start = verdict_begin_detail(out, title), put = 0;
    assumptions_sort(conditions->items, conditions->count);
    for (size_t i = 0; i < conditions->count; i++) {
        const wb_assumption what = conditions->items[i];
        if (!assumption_is_of_launch(what)) continue;
        text_printf(out, "%s%s (%s)", put++ > 0 ? "; " : "", wb_assumption_text(what),
                    wb_assumption_id(what));
    }
    if (put < conditions->count)
        text_printf(out, "%swhat is published or promised holds:", put > 0 ? "; " : "");
    for (size_t i = 0; i < conditions->count; i++)
        if (!assumption_is_of_launch(conditions->items[i]))
            text_printf(out, " %s", wb_assumption_id(conditions->items[i]));
    if (put < conditions->count) text_string(out, " (--all says them in words)");
    verdict_end_detail(out, layout, start);
}

void conditions_put_titled(struct text *out, const struct layout *layout, const char *title,
                           struct condition_list *conditions, size_t numbers, bool in_words) {
    if (conditions->count == 0) return;
    if (!in_words) {
        const size_t start = verdict_begin_detail(out, title);
        list_ids(out, conditions);
        verdict_end_detail(out, layout, start);
        return;
    }
    layout_styled(out, layout, STYLE_BOLD, title);
    text_char(out, '\n');
    conditions_put(out, layout, conditions, numbers);
    text_char(out, '\n');
}

/* A line with the ids of some assumptions, which the conditions get. */
static void put_ids(struct text *out, const struct layout *layout, const char *who, const char *verb,
                    struct condition_list *conditions, const wb_assumption *assumptions, size_t count) {
    wb_assumption sorted[WB_ASSUMPTION_COUNT];
    const size_t start = out->length;
    if (count == 0) return;
    memcpy(sorted, assumptions, count * sizeof *sorted);
    assumptions_sort(sorted, count);
    text_printf(out, "%s %s", who, verb);
    for (size_t i = 0; i < count; i++)
        text_printf(out, " %s", wb_assumption_id(sorted[i]));
    conditions_add(conditions, sorted, count, 0);
    layout_wrap(out, layout, start, 0, 2);
}

void report_put_conditions(struct text *out, const struct layout *layout, report_bound_at at,
                           const void *owner, const struct report_executed *executed) {
    struct condition_list conditions = {0};
    const wb_bound *bound;
    for (size_t i = 0; at != NULL && (bound = at(owner, i)) != NULL; i++)
        put_ids(out, layout, bound->method, "assumes", &conditions, bound->assumptions,
                bound->assumption_count);
    for (; executed != NULL && executed->who != NULL; executed++) {
        wb_assumption assumptions[WB_ASSUMPTION_COUNT];
        const size_t count = assumptions_of_execution(executed->assumed, assumptions);
        put_ids(out, layout, executed->who, "assume", &conditions, assumptions, count);
    }
    conditions_put(out, layout, &conditions, 0);
}

void report_put_reason(struct text *out, const struct layout *layout, const wb_bound *bound) {
    if (bound->reason == NULL) return;
    layout_printf(out, layout, 2, "%s%s: %s", bound->method,
                  bound->kind == WB_ESTIMATE ? " is not proven" : "", bound->reason);
}
