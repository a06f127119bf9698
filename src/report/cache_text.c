/* The first-level caches as a table for people. */
#include <inttypes.h>
#include <stdio.h>

#include "report/cache_report.h"
#include "report/gpu_report.h"

/* Columns of the table, in characters: numbers end in front of each. */
enum { COLUMN_OPCODE = 7, COLUMN_FIRST = 24, COLUMN_WIDTH = 12, COLUMNS = 8 };

static void put_right(struct text *out, size_t column, const char *string) {
    report_put_right(out, COLUMN_FIRST + (column + 1) * COLUMN_WIDTH, string);
}

static void put_number(struct text *out, size_t column, uint64_t number) {
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, number);
    put_right(out, column, digits);
}

static void put_head(struct text *out) {
    static const char *const columns[COLUMNS] = {"accesses",   "requests",  "loads",     "misses est.",
                                                 "in percent", "simulated", "sure hits", "sim. misses"};
    report_put_right(out, COLUMN_FIRST + 6 * COLUMN_WIDTH, "with reordering");
    report_put_right(out, COLUMN_FIRST + 8 * COLUMN_WIDTH, "without");
    text_string(out, "\nline");
    text_pad(out, COLUMN_OPCODE);
    text_string(out, "opcode");
    for (size_t i = 0; i < COLUMNS; i++)
        put_right(out, i, columns[i]);
    text_char(out, '\n');
}

static void put_counts(struct text *out, const struct cache_counts *counts) {
    char percent[32];
    (void)snprintf(percent, sizeof percent, "%.2f %%",
                   cache_report_percent(counts->misses_estimated, counts->loads));
    put_number(out, 0, counts->accesses);
    put_number(out, 1, counts->requests);
    put_number(out, 2, counts->loads);
    put_number(out, 3, counts->misses_estimated);
    put_right(out, 4, percent);
    put_number(out, 5, counts->misses_reordered);
    put_number(out, 6, counts->guaranteed_hits);
    put_number(out, 7, counts->misses_default);
    text_char(out, '\n');
}

wb_status report_cache_text(const struct cache_report *report, wb_diagnostics *diagnostics, char **text) {
    const struct cache_summary *summary = report->summary;
    struct text out = {0};
    report_put_gpu(&out, report->timed);
    text_char(&out, '\n');
    put_head(&out);
    for (uint32_t i = 0; i < summary->instruction_count; i++) {
        struct inst_place place;
        if (summary->instructions[i].accesses == 0) continue;
        const struct ptx_inst *inst = cache_report_inst(report, i, &place);
        text_printf(&out, "%-6u %s", place.line, inst->form->text);
        put_counts(&out, &summary->instructions[i]);
    }
    text_string(&out, "all");
    put_counts(&out, &summary->total);
    text_printf(&out,
                "\nwithout reordering, in every order: at least %" PRIu64
                " of the loads hit, at most %" PRIu64 " miss (docs/sure-hits.md)\n",
                summary->total.loads - summary->most_misses, summary->most_misses);
    return report_take_text(&out, diagnostics, text);
}
