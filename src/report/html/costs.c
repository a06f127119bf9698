/* Where cycles go, as the script shows it: costs by line, as --lines has them, and what stands behind them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/costs/costs_shown.h"
#include "report/html/page.h"
#include "report/write/output.h"

/* Most instructions that are listed; most lines of a file, and those around the ones with cycles. */
#define INSTRUCTIONS_LISTED_MAX ((size_t)3000)
#define LINES_LISTED_MAX 4000u
#define LINES_AROUND 2u

static void instruction_json(struct json *json, const struct html_code *code, const wb_cost *row) {
    const wb_cost_place *place = &row->place;
    struct text words = {0};
    html_code_put(&words, code, row->instruction);
    json_open_object(json, NULL);
    json_put_count(json, "index", row->instruction);
    json_take_text(json, "text", &words);
    json_put_text(json, "function", place->function);
    if (place->source_file != NULL && place->source_line > 0) {
        json_put(json, "source_file %s, source_line %u", place->source_file, place->source_line);
    }
    json_put_count(json, "code_line", place->code_line);
    if (place->is_machine) json_put_count(json, "address", place->code_address);
    json_put(json,
             "unit %s, executions %" PRIu64 ", issue %" PRIu64 ", busy %" PRIu64 ", requests %" PRIu64
             ", conflicts %" PRIu64 ", cycles %" PRIu64,
             row->unit, row->executions, row->issue, row->busy, row->requests, row->conflicts, row->cycles);
    json_open_object(json, "share");
    for (size_t what = 0; what < WB_PART_COUNT; what++)
        if (row->share[what] > 0) json_put_count(json, wb_part_name((wb_part_kind)what), row->share[what]);
    json_close(json);
    json_close(json);
}

/* Those with most cycles. */
static void instructions_json(struct json *json, const struct costs_shown *shown,
                              const struct html_code *code) {
    const struct shown_row *rows = shown->instructions.items.items;
    const size_t count = shown->instructions.items.count;
    const size_t listed = count < INSTRUCTIONS_LISTED_MAX ? count : INSTRUCTIONS_LISTED_MAX;
    json_open_array(json, "instructions");
    for (size_t i = 0; i < listed; i++)
        instruction_json(json, code, rows[i].cost);
    json_close(json);
    json_put(json, "left_out %zu, least %" PRIu64, count - listed,
             listed > 0 ? rows[listed - 1].cost->cycles : 0);
}

/* ---- Source -------------------------------------------------------------------------------------------- */

/* The file and the line of the source that a row is listed at; NULL where it is of none. */
static const char *file_of(const wb_cost *row, uint32_t *line) {
    *line = row->place.source_line;
    return row->about == NULL && *line > 0 ? row->place.source_file : NULL;
}

/* The lines of a file from `first` to `last`, as far as there are such. */
static void source_json(struct json *json, struct source_texts *texts, const char *file, uint32_t first,
                        uint32_t last) {
    const char *line;
    size_t length;
    json_open_object(json, NULL);
    json_put(json, "file %s, first %u", file, first);
    json_open_array(json, "lines");
    for (; first <= last && (line = source_texts_line(texts, file, first, &length)) != NULL; first++) {
        struct text words = {0};
        text_append(&words, line, length);
        json_take_text(json, NULL, &words);
    }
    json_close(json);
    json_close(json);
}

/* Of each file the lines between the first and the last that have cycles, and some around them. */
static void sources_json(struct json *json, struct costs_shown *shown) {
    const struct shown_row *rows = shown->lines.items.items;
    uint32_t line;
    json_open_array(json, "sources");
    for (size_t i = 0; i < shown->lines.items.count; i++) {
        const char *file = file_of(rows[i].cost, &line);
        uint32_t first = UINT32_MAX, last = 0;
        for (size_t j = 0; file != NULL && j < shown->lines.items.count; j++) {
            const char *other = file_of(rows[j].cost, &line);
            if (other == NULL || strcmp(other, file) != 0) continue;
            if (j < i) file = NULL; /* it was listed */
            if (line < first) first = line;
            if (line > last) last = line;
        }
        if (file == NULL) continue;
        first = first > LINES_AROUND ? first - LINES_AROUND : 1;
        if (last - first > LINES_LISTED_MAX) last = first + LINES_LISTED_MAX;
        source_json(json, &shown->sources, file, first, last + LINES_AROUND);
    }
    json_close(json);
    json->out->failed |= shown->sources.failed;
}

/* ---- The costs ----------------------------------------------------------------------------------------- */

/* What functions are called in their source, by their names in the code. */
static void functions_json(struct json *json, const struct wb_module *module) {
    json_open_object(json, "functions");
    for (size_t f = 0; f < module->function_count; f++) {
        char *readable = demangle(module->functions[f].name);
        if (readable != NULL) json_put_text(json, module->functions[f].name, readable);
        free(readable);
    }
    json_close(json);
}

/* [caller, callee, executions] of each call that is executed; no callee: it is read from a register. */
static void calls_json(struct json *json, const struct costs_shown *shown, const struct html_code *code) {
    const struct wb_module *module = code->kernel->module;
    json_open_array(json, "calls");
    for (size_t i = 0; i < shown->instructions.items.count; i++) {
        const wb_cost *row = shown->instructions.items.items[i].cost;
        const struct ptx_function *function;
        const struct ptx_inst *inst = html_code_inst(code, row->instruction, &function);
        if (inst->form->op != PTX_OP_CALL) continue;
        const struct ptx_operand *callee = &ptx_operands(function, inst)[1];
        json_open_array(json, NULL);
        json_put_text(json, NULL, function->name);
        json_put_text(json, NULL,
                      callee->kind == PTX_OPERAND_FUNCTION
                          ? module->functions[ptx_callee(module, callee->index)].name
                          : NULL);
        json_put_count(json, NULL, row->executions);
        json_close(json);
    }
    json_close(json);
}

static void costs_of_code_json(struct html_page *page, struct costs_shown *shown) {
    struct html_code code;
    if (html_code_open(shown->analysis, &code) != WB_OK) page->json.out->failed = true;
    if (code.kernel != NULL && !page->json.out->failed) {
        instructions_json(&page->json, shown, &code);
        functions_json(&page->json, code.kernel->module);
        calls_json(&page->json, shown, &code);
        sources_json(&page->json, shown);
        page_flow_json(page, shown->costs, &code);
    }
    html_code_close(&code);
}

/* Opens the costs of a bound of the kernel, or else of its longest block. */
static wb_status open_costs(struct html_page *page, const struct wb_analysis *analysis,
                            wb_diagnostics *messages, struct costs_shown *shown) {
    wb_report_options options = page->options;
    options.lines_of = NULL;
    wb_status status = costs_shown_open(analysis, &options, messages, shown);
    if (analysis->longest == NULL || (status == WB_OK && shown->bound != NULL)) return status;
    costs_shown_close(shown);
    status = costs_shown_open(analysis->longest, &options, messages, shown);
    if (status == WB_OK && shown->bound != NULL) return status;
    costs_shown_close(shown);
    return costs_shown_open(analysis, &options, messages, shown);
}

void page_costs_json(struct html_page *page, const struct wb_analysis *analysis) {
    struct costs_shown shown = {0};
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) {
        page->json.out->failed = true;
        return;
    }
    if (open_costs(page, analysis, messages, &shown) == WB_OK) {
        costs_json(&page->json, &shown);
        costs_of_code_json(page, &shown);
    } else {
        page_reason_json(page, "no_costs", "No bound is attributed to instructions", messages);
    }
    page->json.out->failed |= messages->no_memory || messages->rendered.failed;
    costs_shown_close(&shown);
    wb_diagnostics_free(messages);
}
