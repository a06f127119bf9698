#include "report/gpu/caches.h"

#include <inttypes.h>
#include <math.h>

#include "report/gpu/gpu.h"
#include "report/parts/bounds.h"
#include "report/parts/cover.h"
#include "report/write/json.h"
#include "warp/trace/grid.h"

const struct ptx_inst *cache_report_inst(const struct cache_report *report, uint32_t index,
                                         struct inst_place *place) {
    const struct ptx_inst *inst = grid_inst(report->timed->grid, index, NULL);
    *place = source_lines_place(&report->lines, inst);
    return inst;
}

/* The first-level caches as a table for people. */

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

/* The first-level caches as JSON; docs/json.md documents every key. */

/* A miss rate with six places, so that the text does not depend on the last bits of a division. */
static json_t *rate_json(const struct cache_counts *counts) {
    double percent = report_percent(counts->misses_estimated, counts->loads);
    return json_real(round(percent * 1e4) / 1e6);
}

/* A count, or null where it is not known. */
static json_t *known_json(uint64_t count, bool unknown) {
    return unknown ? json_null() : json_integer((json_int_t)count);
}

/* Adds what is known of covering paths under reordering. */
static void put_order(const struct cache_summary *summary, const struct cache_counts *counts,
                      json_t **object) {
    const bool known = summary->no_order == NULL;
    if (!summary->covering) return;
    json_put(object, "least_misses_reordered", known_json(counts->misses_estimated, !known));
    json_put(object, "most_misses_reordered", known_json(counts->most_estimated, !known));
}

static json_t *counts_json(const struct cache_summary *summary, const struct cache_counts *counts) {
    const bool covering = summary->covering;
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:o}", "accesses", (json_int_t)counts->accesses,
                  "requests", (json_int_t)counts->requests, "loads", (json_int_t)counts->loads,
                  "misses_estimated", known_json(counts->misses_estimated, covering), "miss_rate_estimated",
                  covering ? json_null() : rate_json(counts), "misses_simulated",
                  known_json(counts->misses_reordered, covering), "guaranteed_hits",
                  (json_int_t)counts->guaranteed_hits, "misses_simulated_default",
                  known_json(counts->misses_default, covering));
    put_order(summary, counts, &object);
    return object;
}

static json_t *instruction_json(const struct cache_report *report, uint32_t index) {
    struct inst_place place;
    const struct ptx_inst *inst = cache_report_inst(report, index, &place);
    json_t *object = counts_json(report->summary, &report->summary->instructions[index]);
    json_put(&object, "opcode", json_string(inst->form->text));
    json_put(&object, "line", json_integer((json_int_t)place.line));
    json_put_source(&object, place.source_file, place.source_line);
    return object;
}

wb_status report_cache_json(const struct cache_report *report, wb_diagnostics *diagnostics, char **text) {
    const struct cache_summary *summary = report->summary;
    json_t *root = report_gpu_heading_json(report->timed), *instructions = json_array();
    for (uint32_t i = 0; i < summary->instruction_count; i++)
        if (summary->instructions[i].accesses > 0) json_add(&instructions, instruction_json(report, i));
    json_put_all(&root, counts_json(summary, &summary->total));
    json_put(&root, "covering", json_boolean(summary->covering));
    if (summary->covering) json_put(&root, "no_order", json_text(summary->no_order));
    json_put(&root, "most_misses_default", json_integer((json_int_t)summary->most_misses));
    json_put(&root, "instructions", instructions);
    json_put(&root, "assumptions", report_assumed_json(report->timed->code.assumed));
    return report_take_json(root, diagnostics, text);
}

wb_status wb_cache_report(wb_gpu *gpu, wb_report_format format, const wb_watch *watch,
                          wb_diagnostics *diagnostics, char **text) {
    struct cache_summary summary;
    struct cache_report report = {.timed = &gpu->timed, .summary = &summary};
    wb_status status = cache_summary_make(gpu, watch, diagnostics, &summary);
    if (status == WB_OK && source_lines_open(gpu->timed.grid->kernel->module, &report.lines) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, "report");
    if (status == WB_OK)
        status = format == WB_REPORT_JSON ? report_cache_json(&report, diagnostics, text)
                                          : report_cache_text(&report, diagnostics, text);
    source_lines_close(&report.lines);
    cache_summary_free(&summary);
    return status;
}
