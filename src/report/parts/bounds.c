#include "report/parts/bounds.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

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

void report_time_json(struct json *json, const char *key, double clock_mhz, uint64_t time) {
    json_put_real(json, key, round((double)time / clock_mhz * 1000.0) / 1000.0);
}

/* Distinct assumptions of all bounds, numbered from 1 in the order in which they are met. */
struct assumption_list {
    wb_assumption items[WB_ASSUMPTION_COUNT];
    size_t count;
};

/* A line with the numbers of some assumptions. */
static void put_numbers(struct text *out, struct assumption_list *list, const wb_assumption *assumptions,
                        size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t number = 0;
        while (number < list->count && list->items[number] != assumptions[i])
            number++;
        assert(number < WB_ASSUMPTION_COUNT);
        if (number == list->count) list->items[list->count++] = assumptions[i];
        text_printf(out, " %zu", number + 1);
    }
    text_char(out, '\n');
}

void report_put_conditions(struct text *out, report_bound_at at, const void *owner,
                           const struct report_executed *executed) {
    struct assumption_list list = {0};
    const wb_bound *bound;
    for (size_t i = 0; at != NULL && (bound = at(owner, i)) != NULL; i++)
        if (bound->reason != NULL)
            text_printf(out, "%s%s: %s\n", bound->method, bound->kind == WB_ESTIMATE ? " is not proven" : "",
                        bound->reason);
    for (size_t i = 0; at != NULL && (bound = at(owner, i)) != NULL; i++) {
        if (bound->assumption_count == 0) continue;
        text_printf(out, "%s assumes", bound->method);
        put_numbers(out, &list, bound->assumptions, bound->assumption_count);
    }
    for (; executed != NULL && executed->who != NULL; executed++) {
        wb_assumption assumptions[WB_ASSUMPTION_COUNT];
        const size_t count = assumptions_of_execution(executed->assumed, assumptions);
        if (count == 0) continue;
        text_printf(out, "%s assume", executed->who);
        put_numbers(out, &list, assumptions, count);
    }
    for (size_t i = 0; i < list.count; i++)
        text_printf(out, "  %zu  %s\n", i + 1, wb_assumption_text(list.items[i]));
}

const char *report_declined_name(wb_status status) {
    if (status == WB_OK) return "left out";
    return status == WB_ERR_LIMIT ? "limit" : "declined";
}

void report_declined_json(struct json *json, const wb_declined *declined, size_t count) {
    json_open_array(json, "declined");
    for (size_t i = 0; i < count; i++) {
        json_open_object(json, NULL);
        json_put_text(json, "method", declined[i].method);
        json_put_text(json, "status", report_declined_name(declined[i].status));
        json_put_text(json, "reason", declined[i].reason);
        json_close(json);
    }
    json_close(json);
}

static void put_assumptions(struct json *json, const wb_assumption *assumptions, size_t count) {
    json_open_array(json, "assumptions");
    for (size_t i = 0; i < count; i++)
        json_put_text(json, NULL, wb_assumption_text(assumptions[i]));
    json_close(json);
}

void report_assumed_json(struct json *json, assumed_set assumed) {
    wb_assumption assumptions[WB_ASSUMPTION_COUNT];
    put_assumptions(json, assumptions, assumptions_of_execution(assumed, assumptions));
}

void report_seconds_json(struct json *json, double seconds, const wb_report_options *options) {
    if (options->timing)
        json_put_real(json, "seconds", seconds);
    else
        json_put_null(json, "seconds");
}

void report_certified_json(struct json *json, bool is_certified, uint64_t lower, uint64_t upper) {
    if (!is_certified) {
        json_put_null(json, "certified");
        return;
    }
    json_open_object(json, "certified");
    json_put_count(json, "lower", lower);
    json_put_count(json, "upper", upper);
    json_close(json);
}

void report_bound_json(struct json *json, const wb_bound *bound, const wb_report_options *options) {
    const bool is_proven = bound->kind == WB_UPPER || bound->kind == WB_EXACT;
    json_put_text(json, "method", bound->method);
    json_put_text(json, "kind", wb_kind_name(bound->kind));
    json_put_count(json, "cycles", bound->cycles);
    json_put_count(json, "lower", bound->lower);
    json_put_count_if(json, "upper", is_proven, bound->cycles);
    put_assumptions(json, bound->assumptions, bound->assumption_count);
    report_seconds_json(json, bound->seconds, options);
    if (bound->reason != NULL) json_put_text(json, "reason", bound->reason);
}

void report_deadline_json(struct json *json, const char *of, const uint64_t *proven,
                          const wb_report_options *options) {
    json_put_count(json, "cycles", options->deadline);
    json_put_text(json, "of", of);
    if (proven != NULL)
        json_put_bool(json, "met", *proven <= options->deadline);
    else
        json_put_null(json, "met");
    json_put_count_if(json, "bound", proven != NULL, proven != NULL ? *proven : 0);
}
