#include "report/parts/bounds.h"

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

void report_put_parts(struct text *out, const wb_bound *bound, bool cycles) {
    for (size_t p = 0; p < bound->part_count; p++) {
        const wb_part *part = &bound->parts[p];
        const double percent = report_percent(part->cycles, bound->cycles);
        if (!cycles && percent < 0.5) break; /* the largest come first */
        text_printf(out, "%s%s%s%s", p > 0 ? ", " : "", wb_part_name(part->what),
                    part->unit != NULL ? " " : "", part->unit != NULL ? part->unit : "");
        if (cycles)
            text_printf(out, " %" PRIu64 " (%.0f %%)", part->cycles, percent);
        else
            text_printf(out, " %.0f %%", percent);
    }
}

void report_put_proof(struct text *out, const wb_bound *bound) {
    text_printf(out, ", proven by %s", bound->method);
    if (bound->form != NULL) text_printf(out, " (form %s)", bound->form);
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

void report_deadline_json(struct json *json, const wb_verdict *verdict) {
    json_put_count(json, "cycles", verdict->deadline);
    json_put_text(json, "of", wb_scope_name(verdict->scope));
    if (verdict->is_bounded)
        json_put_bool(json, "met", verdict->state == WB_MET);
    else
        json_put_null(json, "met");
    json_put_count_if(json, "bound", verdict->is_bounded, verdict->cycles);
}
