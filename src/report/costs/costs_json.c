/* Costs as JSON: docs/json.md says what the members are. */
#include "report/costs/costs_shown.h"
#include "report/parts/bounds.h"

static void place_json(struct json *json, const wb_cost *row) {
    const wb_cost_place *place = &row->place;
    json_put_text(json, "about", row->about);
    json_put_text(json, "function", place->function);
    json_put_text(json, "instruction", place->text);
    json_put_text(json, "code_file", place->code_file);
    json_put_count_if(json, "code_line", place->code_line > 0, place->code_line);
    if (place->is_machine) json_put_count(json, "address", place->code_address);
    json_put_text(json, "source_file", place->source_file);
    json_put_count_if(json, "source_line", place->source_line > 0, place->source_line);
}

static void row_json(struct json *json, struct costs_shown *shown, const struct shown_row *row) {
    const wb_cost *cost = row->cost;
    struct text source = {0};
    json_open_object(json, NULL);
    place_json(json, cost);
    costs_put_source(&source, shown, cost, 200);
    json_put_text(json, "text", source.length > 0 ? source.data : NULL);
    json->out->failed |= source.failed;
    text_free(&source);
    json_put_count(json, "instructions", cost->instructions);
    json_put_count(json, "executions", cost->executions);
    json_put_count(json, "issue", cost->issue);
    json_put_count(json, "busy", cost->busy);
    json_put_count(json, "requests", cost->requests);
    json_put_count(json, "conflicts", cost->conflicts);
    json_open_object(json, "share");
    for (size_t what = 0; what < WB_PART_COUNT; what++)
        if (cost->share[what] > 0) json_put_count(json, wb_part_name((wb_part_kind)what), cost->share[what]);
    json_close(json);
    json_put_count(json, "cycles", cost->cycles);
    json_put_count(json, "cycles_with_inner", cost->with_inner);
    json_put_count_if(json, "simulated", shown->beside != NULL, row->simulated);
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
        json_put_text(json, "text", hints[h].text);
        json_put_count(json, "cycles", hints[h].cycles);
        json_put_count_if(json, "up_to", hints[h].up_to > 0, hints[h].up_to);
        json_close(json);
    }
    json_close(json);
}

void costs_json(struct json *json, struct costs_shown *shown) {
    json_open_object(json, "costs");
    json_put_text(json, "of", shown->name);
    json_put_text(json, "kind", wb_kind_name(shown->bound != NULL ? shown->bound->kind : WB_SIMULATED));
    json_put_text(json, "scope", wb_scope_name(wb_analysis_scope(shown->analysis)));
    json_put_count(json, "cycles", shown->total);
    json_put_text(json, "not_attributed", shown->not_shown);
    json_put_text(json, "simulation", shown->beside);
    json_put_count_if(json, "simulated", shown->beside != NULL, shown->simulated);
    rows_json(json, "lines", shown, &shown->lines);
    rows_json(json, "loops", shown, &shown->loops);
    rows_json(json, "functions", shown, &shown->functions);
    hints_json(json, shown);
    json_close(json);
}
