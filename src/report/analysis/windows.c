#include "report/analysis/windows.h"

#include <inttypes.h>

#include "report/parts/bounds.h"
#include "report/write/json.h"

/* Most rows of a table. */
#define ROWS_MAX 40u

/* Columns, in characters: where each ends. */
enum {
    COLUMN_WARPS = 18,
    COLUMN_INSTRUCTIONS = 26,
    COLUMN_BARRIER = 35,
    COLUMN_STALLS = 43,
    COLUMN_SHIFTS = 51,
    COLUMN_CYCLES = 61,
    COLUMN_APART = 68,
    COLUMN_LEAST = 77,
    COLUMN_INTERLEAVINGS = 92
};

static void put_names(struct text *out, bool interleaved) {
    text_string(out, "  windows");
    report_put_right(out, COLUMN_WARPS, "warps");
    report_put_right(out, COLUMN_INSTRUCTIONS, "T_instr");
    report_put_right(out, COLUMN_BARRIER, "barrier");
    report_put_right(out, COLUMN_STALLS, "stalls");
    report_put_right(out, COLUMN_SHIFTS, "shift");
    report_put_right(out, COLUMN_CYCLES, "cycles");
    report_put_right(out, COLUMN_APART, "apart");
    if (interleaved) {
        report_put_right(out, COLUMN_LEAST, "least");
        report_put_right(out, COLUMN_INTERLEAVINGS, "interleavings");
    }
    text_char(out, '\n');
}

/* A row: "  5", or "  5-8" for windows that are alike. */
static void put_row(struct text *out, const wb_window *window, uint64_t first) {
    struct text row = {0};
    text_printf(&row, "  %" PRIu64, first);
    if (window->count > 1) text_printf(&row, "-%" PRIu64, first + window->count - 1);
    report_put_count(&row, COLUMN_WARPS, window->warps);
    report_put_count(&row, COLUMN_INSTRUCTIONS, window->instructions);
    report_put_count(&row, COLUMN_BARRIER, window->barrier);
    report_put_count(&row, COLUMN_STALLS, window->stalls);
    report_put_count(&row, COLUMN_SHIFTS, window->shifts);
    report_put_count(&row, COLUMN_CYCLES, window->cycles);
    report_put_count(&row, COLUMN_APART, window->apart);
    if (window->interleavings > 0) {
        report_put_count(&row, COLUMN_LEAST, window->least);
        report_put_count(&row, COLUMN_INTERLEAVINGS, window->interleavings);
    }
    if (row.failed)
        out->failed = true;
    else
        text_printf(out, "%s\n", row.data);
    text_free(&row);
}

/* Windows that are not in the table. */
static uint64_t count_rest(const wb_bound *bound) {
    uint64_t rest = bound->windows_left_out;
    for (size_t i = ROWS_MAX; i < bound->window_count; i++)
        rest += bound->windows[i].count;
    return rest;
}

static void put_table(struct text *out, const wb_bound *bound) {
    uint64_t first = 1;
    text_printf(out, "\n%s, window by window:\n", bound->method);
    put_names(out, bound->windows[0].interleavings > 0);
    for (size_t i = 0; i < bound->window_count && i < ROWS_MAX; i++) {
        put_row(out, &bound->windows[i], first);
        first += bound->windows[i].count;
    }
    const uint64_t rest = count_rest(bound);
    if (rest > 0) text_printf(out, "  and %" PRIu64 " more\n", rest);
}

void report_put_windows(struct text *out, const struct wb_analysis *analysis) {
    bool put = false;
    for (size_t i = 0; i < analysis->bounds.count; i++) {
        if (analysis->bounds.items[i].window_count == 0) continue;
        put_table(out, &analysis->bounds.items[i]);
        put = true;
    }
    if (put)
        text_string(out, "  apart: the analysis window, the most cycles of T_instr that divergence can have "
                         "put between two warps when they come to the barrier; none are left behind it\n");
}

json_t *report_windows_json(const wb_bound *bound) {
    json_t *array = json_array();
    for (size_t i = 0; i < bound->window_count; i++) {
        const wb_window *w = &bound->windows[i];
        json_add(&array, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "count",
                                   (json_int_t)w->count, "warps", (json_int_t)w->warps, "arriving",
                                   (json_int_t)w->arriving, "cycles", (json_int_t)w->cycles, "instructions",
                                   (json_int_t)w->instructions, "barrier", (json_int_t)w->barrier, "stalls",
                                   (json_int_t)w->stalls, "shifts", (json_int_t)w->shifts, "apart",
                                   (json_int_t)w->apart, "least", (json_int_t)w->least, "interleavings",
                                   (json_int_t)w->interleavings));
    }
    return array;
}
