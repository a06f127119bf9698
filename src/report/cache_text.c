/* The first-level caches as a table for people. */
#include <inttypes.h>

#include "report/cache_report.h"
#include "report/cover_report.h"
#include "report/gpu_report.h"

/* Columns of the table, in characters: numbers end in front of each. */
enum { COLUMN_OPCODE = 7, COLUMN_FIRST = 24, COLUMN_WIDTH = 12, COLUMNS = 8 };

/* Where a column of numbers ends. */
static size_t column_end(size_t column) {
    return COLUMN_FIRST + (column + 1) * COLUMN_WIDTH;
}

/* Of covering paths: what is there at most, and what of it is guaranteed. */
static void put_covering_head(struct text *out) {
    static const char *const columns[] = {"accesses",     "requests",    "loads",
                                          "least misses", "most misses", "sure hits"};
    report_put_right(out, column_end(2), "at most");
    report_put_right(out, column_end(4), "with reordering");
    report_put_right(out, column_end(5), "without");
    text_string(out, "\nline");
    text_pad(out, COLUMN_OPCODE);
    text_string(out, "opcode");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        report_put_right(out, column_end(i), columns[i]);
    text_char(out, '\n');
}

static void put_head(struct text *out) {
    static const char *const columns[COLUMNS] = {"accesses",   "requests",  "loads",     "misses est.",
                                                 "in percent", "simulated", "sure hits", "sim. misses"};
    report_put_right(out, column_end(5), "with reordering");
    report_put_right(out, column_end(7), "without");
    text_string(out, "\nline");
    text_pad(out, COLUMN_OPCODE);
    text_string(out, "opcode");
    for (size_t i = 0; i < COLUMNS; i++)
        report_put_right(out, column_end(i), columns[i]);
    text_char(out, '\n');
}

/* Misses of covering paths under reordering, where they are known. */
static void put_misses(struct text *out, const struct cache_summary *summary, size_t end, uint64_t misses) {
    if (summary->no_order == NULL)
        report_put_count(out, end, misses);
    else
        report_put_right(out, end, "-");
}

static void put_counts(struct text *out, const struct cache_summary *summary,
                       const struct cache_counts *counts) {
    report_put_count(out, column_end(0), counts->accesses);
    report_put_count(out, column_end(1), counts->requests);
    report_put_count(out, column_end(2), counts->loads);
    if (summary->covering) {
        put_misses(out, summary, column_end(3), counts->misses_estimated);
        put_misses(out, summary, column_end(4), counts->most_estimated);
        report_put_count(out, column_end(5), counts->guaranteed_hits);
        text_char(out, '\n');
        return;
    }
    report_put_count(out, column_end(3), counts->misses_estimated);
    report_put_percent(out, column_end(4), counts->misses_estimated, counts->loads);
    report_put_count(out, column_end(5), counts->misses_reordered);
    report_put_count(out, column_end(6), counts->guaranteed_hits);
    report_put_count(out, column_end(7), counts->misses_default);
    text_char(out, '\n');
}

/* What holds in every order without reordering. */
static void put_guarantee(struct text *out, const struct cache_summary *summary, const struct wb_grid *grid) {
    if (!summary->covering) {
        text_printf(out,
                    "\nwithout reordering, in every order: at least %" PRIu64
                    " of the loads hit, at most %" PRIu64 " miss (docs/sure-hits.md)\n",
                    summary->total.loads - summary->most_misses, summary->most_misses);
        return;
    }
    text_printf(out,
                "\nwithout reordering, in every order and whatever the unknown values are: at most %" PRIu64
                " loads miss; sure hits hit whenever they are made (docs/sure-hits.md)\n",
                summary->most_misses);
    if (summary->no_order != NULL)
        text_printf(out, "with reordering nothing is known: %s\n", summary->no_order);
    text_printf(
        out,
        "that takes for granted: no data races and no invalid accesses; an address that is made from a "
        "pointer to a buffer or variable lies inside of it%s\n",
        grid->cover.facts.stated > 0 ? "; the flow facts are true" : "");
}

wb_status report_cache_text(const struct cache_report *report, wb_diagnostics *diagnostics, char **text) {
    const struct cache_summary *summary = report->summary;
    const struct wb_grid *grid = report->timed->grid;
    struct text out = {0};
    report_put_gpu(&out, report->timed);
    if (summary->covering) cover_put_heading(&out, grid->covering.items[0].block);
    text_char(&out, '\n');
    if (summary->covering)
        put_covering_head(&out);
    else
        put_head(&out);
    for (uint32_t i = 0; i < summary->instruction_count; i++) {
        struct inst_place place;
        if (summary->instructions[i].accesses == 0) continue;
        const struct ptx_inst *inst = cache_report_inst(report, i, &place);
        text_printf(&out, "%-6u %s", place.line, inst->form->text);
        put_counts(&out, summary, &summary->instructions[i]);
    }
    text_string(&out, "all");
    put_counts(&out, summary, &summary->total);
    put_guarantee(&out, summary, grid);
    const struct report_executed executed[] = {{"the counts", report->timed->code.assumed}, {NULL, 0}};
    report_put_conditions(&out, NULL, NULL, executed);
    return report_take_text(&out, diagnostics, text);
}
