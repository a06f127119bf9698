/* The loads of a grid at the first-level caches, as a table for people and as JSON. */
#include <inttypes.h>

#include "report/parts/parts.h"
#include "sim/gpu/gpu.h"

/* The tables: of the given data, or of covering paths. */
enum { GIVEN = 1, COVERING = 2 };
enum { AT_OPCODE = 7, AT_NUMBERS = 24 };

/* Whether counts of the given data are known, and those under reordering (context: the summary). */
static bool is_given(const void *context) {
    return !((const struct cache_summary *)context)->covering;
}

static bool is_ordered(const void *context) {
    return ((const struct cache_summary *)context)->no_order == NULL;
}

static struct value miss_rate(const void *record, const void *context) {
    const struct cache_counts *counts = record;
    if (!is_given(context)) return (struct value){0};
    return (struct value){VALUE_PERCENT,
                          {.percent = report_percent(counts->misses_estimated, counts->loads)}};
}

#define COUNT_OF(key, heading, tables, member, is_known)                                                     \
    { key, heading, tables, 0, RECORD_U64, offsetof(struct cache_counts, member), NULL, is_known }
#define COUNT(key, heading, member) COUNT_OF(key, heading, GIVEN | COVERING, member, NULL)

static const struct record_field count_fields[] = {
    COUNT("accesses", "accesses", accesses),
    COUNT("requests", "requests", requests),
    COUNT("loads", "loads", loads),
    COUNT_OF("misses_estimated", "misses est.", GIVEN, misses_estimated, is_given),
    RECORD_FIELD_MADE("miss_rate_estimated", "in percent", GIVEN, 0, miss_rate),
    COUNT_OF("misses_simulated", "simulated", GIVEN, misses_reordered, is_given),
    COUNT_OF(NULL, "min. misses", COVERING, misses_estimated, is_ordered),
    COUNT_OF(NULL, "max. misses", COVERING, most_estimated, is_ordered),
    COUNT("guaranteed_hits", "must hits", guaranteed_hits),
    COUNT_OF("misses_simulated_default", "sim. misses", GIVEN, misses_default, is_given),
    {0}};

/* Fields of covering paths under reordering. */
static const struct record_field order_fields[] = {
    COUNT_OF("least_misses_reordered", NULL, 0, misses_estimated, is_ordered),
    COUNT_OF("most_misses_reordered", NULL, 0, most_estimated, is_ordered),
    {0}};

/* A line above the headings: what some of the columns are of, each text at the end of the last of its
 * columns. */
static void put_above(struct sheet *table, bool covering) {
    struct above {
        uint32_t column;
        const char *text;
    };
    static const struct above given[] = {{7, "with reordering"}, {9, "without"}, {0}},
                              any[] = {{4, "at most"}, {6, "with reordering"}, {7, "without"}, {0}};
    for (const struct above *above = covering ? any : given; above->text != NULL; above++) {
        while (table->column < above->column)
            sheet_skip(table);
        sheet_span(table, "%s", above->text);
    }
    sheet_end_row(table);
}

static void put_counts(struct sheet *table, const struct cache_summary *summary,
                       const struct cache_counts *counts) {
    record_row(table, count_fields, summary->covering ? COVERING : GIVEN, counts, summary);
    sheet_end_row(table);
}

/* The content of the report, and the places of instructions. */
struct cache_report {
    const struct timed_grid *timed;
    const struct cache_summary *summary;
    struct source_lines lines;
};

/* An instruction that makes requests, from *index on, and where it stands; NULL behind the last. */
static const struct ptx_inst *next_inst(const struct cache_report *report, uint32_t *index,
                                        struct inst_place *place) {
    const struct cache_summary *summary = report->summary;
    while (*index < summary->instruction_count && summary->instructions[*index].accesses == 0)
        ++*index;
    if (*index == summary->instruction_count) return NULL;
    const struct ptx_inst *inst = grid_inst(report->timed->grid, *index, NULL);
    *place = source_lines_place(&report->lines, inst);
    return inst;
}

static void put_table(struct text *out, const struct cache_report *report) {
    const struct cache_summary *summary = report->summary;
    const struct ptx_inst *inst;
    struct inst_place place;
    struct sheet table = {0};
    sheet_column(&table, SHEET_LEFT, 0, "line");
    sheet_column(&table, SHEET_LEFT, AT_OPCODE, "opcode");
    record_columns(&table, count_fields, summary->covering ? COVERING : GIVEN, AT_NUMBERS);
    put_above(&table, summary->covering);
    sheet_headings(&table);
    for (uint32_t i = 0; (inst = next_inst(report, &i, &place)) != NULL; i++) {
        source_lines_cell(&table, &place);
        sheet_text(&table, inst->form->name);
        put_counts(&table, summary, &summary->instructions[i]);
    }
    sheet_text(&table, "all");
    sheet_skip(&table);
    put_counts(&table, summary, &summary->total);
    sheet_close(&table, out);
}

/* Guarantees for every order without reordering. */
static void put_guarantee(struct text *out, const struct cache_summary *summary, const struct wb_grid *grid) {
    if (!summary->covering) {
        text_printf(out,
                    "\nwithout reordering, in every order: at least %" PRIu64
                    " of the loads hit, at most %" PRIu64 " miss (docs/must-hits.md)\n",
                    summary->total.loads - summary->most_misses, summary->most_misses);
        return;
    }
    text_printf(out,
                "\nwithout reordering, in every order and whatever the unknown values are: at most %" PRIu64
                " loads miss; must hits hit whenever they are made (docs/must-hits.md)\n",
                summary->most_misses);
    if (summary->no_order != NULL)
        text_printf(out, "with reordering nothing is known: %s\n", summary->no_order);
    text_printf(
        out,
        "that takes for granted: no data races and no invalid accesses; an address that is made from a "
        "pointer to a buffer or variable lies inside of it%s\n",
        grid->cover.facts.stated > 0 ? "; the flow facts are true" : "");
}

static void put_text(struct text *out, const struct cache_report *report) {
    const struct wb_grid *grid = report->timed->grid;
    const struct report_executed executed[] = {{"the counts", report->timed->code.assumed}, {NULL, 0}};
    heading_put_gpu(out, report->timed);
    if (report->summary->covering) cover_put_heading(out, grid->covering.items[0].block);
    text_char(out, '\n');
    put_table(out, report);
    put_guarantee(out, report->summary, grid);
    report_put_conditions(out, &layout_unlimited, NULL, NULL, executed);
}

static void counts_json(struct json *json, const struct cache_summary *summary,
                        const struct cache_counts *counts) {
    record_json(json, count_fields, counts, summary);
    if (summary->covering) record_json(json, order_fields, counts, summary);
}

static void put_json(struct text *out, const struct cache_report *report) {
    const struct cache_summary *summary = report->summary;
    const struct ptx_inst *inst;
    struct inst_place place;
    struct json json = json_begin(out, JSON_LINES);
    document_open(&json, "warpbound-cache", 1);
    heading_gpu_json(&json, report->timed);
    heading_gpu_inputs_json(&json, report->timed);
    counts_json(&json, summary, &summary->total);
    json_put_bool(&json, "covering", summary->covering);
    if (summary->covering) json_put_text(&json, "no_order", summary->no_order);
    json_put_count(&json, "most_misses_default", summary->most_misses);
    json_open_array(&json, "instructions");
    for (uint32_t i = 0; (inst = next_inst(report, &i, &place)) != NULL; i++) {
        json_open_object(&json, NULL);
        counts_json(&json, summary, &summary->instructions[i]);
        json_put(&json, "opcode %s, line %u", inst->form->name, place.line);
        source_lines_json(&json, &place);
        json_close(&json);
    }
    json_close(&json);
    report_assumed_json(&json, report->timed->code.assumed);
    json_close(&json);
}

wb_status wb_cache_report(wb_gpu *gpu, wb_report_format format, const wb_watch *watch,
                          wb_diagnostics *diagnostics, char **text) {
    struct cache_summary summary;
    struct cache_report report = {.timed = &gpu->timed, .summary = &summary};
    struct text out = {0};
    wb_status status = cache_summary_make(gpu, watch, diagnostics, &summary);
    if (status == WB_OK && source_lines_open(gpu->timed.grid->kernel->module, &report.lines) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, "report");
    if (status == WB_OK && format == WB_REPORT_JSON)
        put_json(&out, &report);
    else if (status == WB_OK)
        put_text(&out, &report);
    status = report_take(status, &out, diagnostics, text);
    source_lines_close(&report.lines);
    cache_summary_free(&summary);
    return status;
}
