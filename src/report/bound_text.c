#include "report/bound_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

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
    const char *items[2 * WB_ASSUMPTIONS_MAX];
    size_t count;
};

/* The number of an assumption, new or old; 0 when the list is full. */
static size_t assumption_number(struct assumption_list *list, const char *assumption) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], assumption) == 0) return i + 1;
    if (list->count == sizeof list->items / sizeof *list->items) return 0;
    list->items[list->count++] = assumption;
    return list->count;
}

/* A line with the numbers of some assumptions. */
static void put_numbers(struct text *out, struct assumption_list *list, const char *const *assumptions,
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
        const char *texts[ASSUMED_COUNT];
        const size_t count = assumed_list(executed->assumed, texts);
        if (count == 0) continue;
        text_printf(out, "%s assume", executed->who);
        put_numbers(out, &list, texts, count);
    }
    for (size_t i = 0; i < list.count; i++)
        text_printf(out, "  %zu  %s\n", i + 1, list.items[i]);
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
