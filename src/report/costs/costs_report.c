/* Costs in reports: the lines with most cycles, or the whole source with its costs in front. */
#include "report/costs/costs_shown.h"

#include <inttypes.h>

#include "base/base.h"
#include "report/parts/parts.h"
#include "report/write/output.h"

wb_status costs_report(struct text *out, struct json *json, const struct wb_analysis *analysis,
                       const wb_report_options *options, wb_diagnostics *diagnostics) {
    struct costs_shown shown = {0};
    if (options->lines == 0) return WB_OK;
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_status status =
        messages == NULL ? WB_ERR_LIMIT : costs_shown_open(analysis, options, messages, &shown);
    if (status == WB_OK && json != NULL)
        costs_json(json, &shown);
    else if (status == WB_OK)
        costs_put_lines(out, &shown, options->lines);
    else if (json != NULL)
        json_put_null(json, "costs");
    if (status == WB_ERR_DECLINED && options->lines_of == NULL) {
        wb_diagnostics_warning(diagnostics, "lines",
                               "of nothing that was computed the cycles are attributed to lines");
        status = WB_OK;
    } else if (status != WB_OK && messages != NULL) {
        wb_diagnostics_append(diagnostics, messages);
    }
    costs_shown_close(&shown);
    wb_diagnostics_free(messages);
    return status;
}

wb_status wb_annotate(const wb_analysis *analysis, const wb_report_options *options,
                      wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    struct costs_shown shown = {0};
    struct text out = {0};
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    wb_status status = costs_shown_open(analysis, &asked, diagnostics, &shown);
    if (status == WB_OK) costs_put_annotated(&out, &shown);
    costs_shown_close(&shown);
    return report_take(status, &out, diagnostics, text);
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static void place_json(struct json *json, const wb_cost *row) {
    const wb_cost_place *place = &row->place;
    json_put_text(json, "about", row->about);
    json_put_text(json, "function", place->function);
    json_put_text(json, "instruction", place->text);
    json_put_text(json, "code_file", place->code_file);
    json_put_count_if(json, "code_line", place->code_line > 0, place->code_line);
    if (place->is_machine) json_put_count(json, "address", place->code_address);
    json_put(json, "source_file %s, source_line %*u", place->source_file, place->source_line > 0,
             place->source_line);
}

static void row_json(struct json *json, struct costs_shown *shown, const struct shown_row *row) {
    const wb_cost *cost = row->cost;
    struct text source = {0};
    json_open_object(json, NULL);
    place_json(json, cost);
    costs_put_source(&source, shown, cost, 200);
    json_take_text(json, "text", &source);
    json_put(json,
             "instructions %zu, executions %" PRIu64 ", issue %" PRIu64 ", busy %" PRIu64
             ", requests %" PRIu64 ", conflicts %" PRIu64,
             cost->instructions, cost->executions, cost->issue, cost->busy, cost->requests, cost->conflicts);
    json_open_object(json, "share");
    for (size_t what = 0; what < WB_PART_COUNT; what++)
        if (cost->share[what] > 0) json_put_count(json, wb_part_name((wb_part_kind)what), cost->share[what]);
    json_close(json);
    json_put(json, "cycles %" PRIu64 ", cycles_with_inner %" PRIu64 ", simulated %*" PRIu64, cost->cycles,
             cost->with_inner, shown->beside != NULL, row->simulated);
    json_close(json);
}

static void rows_json(struct json *json, const char *key, struct costs_shown *shown,
                      const struct shown_rows *rows) {
    json_open_array(json, key);
    for (size_t r = 0; r < rows->items.count; r++)
        row_json(json, shown, &rows->items.items[r]);
    json_close(json);
}

static void hints_json(struct json *json, const struct costs_shown *shown) {
    size_t count;
    const wb_hint *hints = wb_hints_list(shown->hints, &count);
    json_open_array(json, "hints");
    for (size_t h = 0; h < count; h++) {
        const wb_cost row = {.place = hints[h].place};
        json_open_object(json, NULL);
        json_put_text(json, "hint", wb_hint_name(hints[h].kind));
        place_json(json, &row);
        json_put(json, "text %s, cycles %" PRIu64 ", up_to %*" PRIu64, hints[h].text, hints[h].cycles,
                 hints[h].up_to > 0, hints[h].up_to);
        json_close(json);
    }
    json_close(json);
}

void costs_json(struct json *json, struct costs_shown *shown) {
    json_open_object(json, "costs");
    json_put(json,
             "of %s, kind %s, scope %s, cycles %" PRIu64
             ", not_attributed %s, simulation %s, simulated %*" PRIu64,
             shown->name, wb_kind_name(shown->bound != NULL ? shown->bound->kind : WB_SIMULATED),
             wb_scope_name(wb_analysis_scope(shown->analysis)), shown->total, shown->not_shown, shown->beside,
             shown->beside != NULL, shown->simulated);
    rows_json(json, "lines", shown, &shown->lines);
    rows_json(json, "loops", shown, &shown->loops);
    rows_json(json, "functions", shown, &shown->functions);
    hints_json(json, shown);
    json_close(json);
}
