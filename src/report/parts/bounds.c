#include "report/parts/bounds.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/analysis/analysis.h"
#include "report/write/json.h"

/* Printed text that is worth writing. */
#define FLUSH_BYTES ((size_t)1 << 16)

void report_put_right(struct text *out, size_t column, const char *number) {
    size_t start = out->length;
    while (start > 0 && out->data[start - 1] != '\n')
        start--;
    size_t width = 0;
    while (number[width] != '\0')
        width++;
    size_t used = out->length - start;
    text_pad(out, column > width && column - width > used ? column - width : used + 1);
    text_string(out, number);
}

void report_put_count(struct text *out, size_t column, uint64_t number) {
    char digits[24];
    (void)text_format(digits, sizeof digits, "%" PRIu64, number);
    report_put_right(out, column, digits);
}

void report_format_time(double clock_mhz, uint64_t time, char *number, size_t size) {
    static const char *const units[] = {"ns", "us", "ms", "s "};
    double value = 1000.0 * (double)time / clock_mhz;
    size_t unit = 0;
    while (value >= 1000.0 && unit < 3) {
        value /= 1000.0;
        unit++;
    }
    (void)text_format(number, size, "%.2f %s", value, units[unit]);
}

void report_put_time(struct text *out, size_t column, double clock_mhz, uint64_t time) {
    char number[32];
    report_format_time(clock_mhz, time, number, sizeof number);
    report_put_right(out, column, number);
}

double report_percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

void report_put_percent(struct text *out, size_t column, uint64_t part, uint64_t whole) {
    char percent[32];
    (void)text_format(percent, sizeof percent, "%.2f %%", report_percent(part, whole));
    report_put_right(out, column, percent);
}

/* Distinct assumptions of all bounds, numbered from 1 in the order in which they are met. */
struct assumption_list {
    wb_assumption items[WB_ASSUMPTION_COUNT];
    size_t count;
};

/* The number of an assumption, new or old. */
static size_t assumption_number(struct assumption_list *list, wb_assumption assumption) {
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == assumption) return i + 1;
    assert(list->count < WB_ASSUMPTION_COUNT);
    list->items[list->count++] = assumption;
    return list->count;
}

/* A line with the numbers of some assumptions. */
static void put_numbers(struct text *out, struct assumption_list *list, const wb_assumption *assumptions,
                        size_t count) {
    for (size_t i = 0; i < count; i++)
        text_printf(out, " %zu", assumption_number(list, assumptions[i]));
    text_char(out, '\n');
}

void report_put_conditions(struct text *out, report_bound_at at, const void *owner,
                           const struct report_executed *executed) {
    struct assumption_list list = {.count = 0};
    for (size_t i = 0; at != NULL && at(owner, i) != NULL; i++)
        if (at(owner, i)->reason != NULL)
            text_printf(out, "%s%s: %s\n", at(owner, i)->method,
                        at(owner, i)->kind == WB_ESTIMATE ? " is not proven" : "", at(owner, i)->reason);
    for (size_t i = 0; at != NULL && at(owner, i) != NULL; i++) {
        const wb_bound *bound = at(owner, i);
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

wb_status report_take_text(struct text *out, wb_diagnostics *diagnostics, char **text) {
    char *taken = text_take(out);
    if (taken == NULL) return diagnose_out_of_memory(diagnostics, "report");
    *text = taken;
    return WB_OK;
}

wb_status report_flush(struct text *out, const wb_writer *writer, bool all) {
    if (out->failed) return WB_ERR_LIMIT;
    if (out->length == 0 || (!all && out->length < FLUSH_BYTES)) return WB_OK;
    if (!writer->write(writer->user, out->data, out->length)) return WB_ERR_INPUT;
    out->length = 0;
    return WB_OK;
}

wb_status report_written(wb_status status, wb_diagnostics *diagnostics) {
    if (status == WB_ERR_LIMIT) return diagnose_out_of_memory(diagnostics, "report");
    if (status == WB_ERR_INPUT)
        diagnose(diagnostics, SEVERITY_ERROR, "report",
                 "it cannot be written to its end: there is no room left, or nobody reads it");
    return status;
}

json_t *report_seconds_json(double seconds, const wb_report_options *options) {
    return options->timing ? json_real(seconds) : json_null();
}

static json_t *assumptions_json(const wb_assumption *assumptions, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_add(&array, json_string(wb_assumption_text(assumptions[i])));
    return array;
}

json_t *report_assumed_json(assumed_set assumed) {
    wb_assumption assumptions[WB_ASSUMPTION_COUNT];
    const size_t count = assumptions_of_execution(assumed, assumptions);
    return assumptions_json(assumptions, count);
}

json_t *report_bound_json(const wb_bound *bound, const wb_report_options *options) {
    bool proven = bound->kind == WB_UPPER || bound->kind == WB_EXACT;
    json_t *upper = proven ? json_integer((json_int_t)bound->cycles) : json_null();
    json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "method", bound->method, "kind",
                               wb_kind_name(bound->kind), "cycles", (json_int_t)bound->cycles, "lower",
                               (json_int_t)bound->lower, "upper", upper, "assumptions",
                               assumptions_json(bound->assumptions, bound->assumption_count), "seconds",
                               report_seconds_json(bound->seconds, options));
    if (bound->reason != NULL) json_put(&object, "reason", json_string(bound->reason));
    return object;
}

json_t *report_declined_json(const wb_declined *declined, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_add(&array, json_pack("{s:s, s:s, s:s}", "method", declined[i].method, "status",
                                   report_declined_name(declined[i].status), "reason", declined[i].reason));
    return array;
}

json_t *report_microseconds_json(double clock_mhz, uint64_t time) {
    return json_real(round((double)time / clock_mhz * 1000.0) / 1000.0);
}

json_t *report_deadline_json(const char *of, const uint64_t *proven, const wb_report_options *options) {
    json_t *met = proven != NULL ? json_boolean(*proven <= options->deadline) : json_null();
    json_t *bound = proven != NULL ? json_integer((json_int_t)*proven) : json_null();
    return json_pack("{s:I, s:s, s:o, s:o}", "cycles", (json_int_t)options->deadline, "of", of, "met", met,
                     "bound", bound);
}

wb_status report_take_json(json_t *root, wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    json_write(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12), &out);
    char *dumped = text_take(&out);
    if (dumped == NULL) return diagnose_out_of_memory(diagnostics, "report");
    *text = dumped;
    return WB_OK;
}
