/* Reports of analyses and streams as HTML (docs/html-report.md): one page for all. The JSON document stands
 * in it, and its script draws what a reader sees; without the script there is the verdict. */
#include "report/html/page.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "bound/analysis/stream.h"
#include "bound/analysis/verdict.h"
#include "report/analysis/analysis.h"
#include "report/parts/parts.h"
#include "report/write/xml.h"
#include "warp/interpret/execute.h"

/* ---- The code ---------------------------------------------------------------------------------------- */

wb_status html_code_open(const struct wb_analysis *analysis, struct html_code *code) {
    const struct sources sources = analysis_sources(analysis);
    *code = (struct html_code){.kernel = sources.kernel, .code_first = sources.code_first};
    return code->kernel != NULL ? source_lines_open(code->kernel->module, &code->lines) : WB_OK;
}

void html_code_close(struct html_code *code) {
    source_lines_close(&code->lines);
}

const struct ptx_inst *html_code_inst(const struct html_code *code, size_t index,
                                      const struct ptx_function **function) {
    return code_inst(code->kernel->module, code->code_first, (uint32_t)index, function);
}

void html_code_put(struct text *out, const struct html_code *code, size_t index) {
    const struct ptx_function *function;
    if (code->kernel == NULL) {
        text_printf(out, "instruction %zu", index);
        return;
    }
    const struct ptx_inst *inst = html_code_inst(code, index, &function);
    source_lines_put_inst(out, code->kernel->module, function, inst);
}

void html_code_put_place(struct text *out, const struct html_code *code, size_t index) {
    if (code->kernel == NULL) return;
    const struct inst_place place = source_lines_place(&code->lines, html_code_inst(code, index, NULL));
    source_lines_put_code(out, &place);
    if (place.source_file != NULL) text_printf(out, ", %s:%u", place.source_file, place.source_line);
}

/* Most instructions in the timelines of a report, some 40 bytes each; and most launches of a stream that have
 * sections of their own: beyond that a report would be too large for a phone. */
#define TIMELINE_ISSUES_MAX 12000u
#define LAUNCHES_SHOWN_MAX 24u

/* ---- The page ------------------------------------------------------------------------------------------ */

/* The style or the script. */
static const char *page_file(const char *name) {
    const struct embedded_file *file = embedded_html_page;
    while (file->name != NULL && strcmp(file->name, name) != 0)
        file++;
    assert(file->name != NULL);
    return file->text;
}

/* A parser of HTML looks for the end of a script, and for comments, before JSON is read: `<` stands in it as
 * JSON's own escape. */
static void put_json_inside(struct text *out, const struct text *json) {
    for (size_t i = 0; i < json->length; i++) {
        if (strchr("<>&", json->data[i]) != NULL)
            text_printf(out, "\\u%04x", (unsigned)json->data[i]);
        else
            text_char(out, json->data[i]);
    }
}

void html_begin(struct text *out, const char *title, wb_state state, const struct text *line) {
    const size_t word = strcspn(line->data, ":") + 1;
    text_string(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>");
    xml_text(out, title);
    text_printf(out, " \xe2\x80\x93 Warpbound</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n",
                page_file("style"));
    text_string(out, "<header><p class=\"product\">Warpbound</p><h1>");
    xml_text(out, title);
    text_printf(out,
                "</h1></header>\n<section id=\"verdict\">\n<div class=\"verdict %s\">\n"
                "<p class=\"word\"><strong>%.*s</strong>",
                wb_state_name(state), (int)word, line->data);
    xml_text(out, line->data + word);
    text_string(out, "</p>\n</div>\n");
}

void html_end(struct text *out, const struct text *document) {
    text_string(out, "</section>\n</main>\n<footer>Warpbound ");
    xml_text(out, wb_version());
    text_string(out, "</footer>\n<script type=\"application/json\" id=\"document\">\n");
    put_json_inside(out, document);
    text_string(out, "</script>\n");
}

/* The page of a document, which is freed, with the line of its verdict. */
static void put_page(struct text *out, const char *title, const wb_verdict *verdict,
                     const struct html_page *page) {
    html_begin(out, title, verdict->state, &page->line);
    text_string(out, "<noscript><p class=\"note\">Pictures and code need JavaScript. The report as "
                     "text:</p>\n<pre>");
    xml_text(out, page->text);
    text_string(out, "</pre></noscript>\n");
    if (page->asked.picture != NULL) text_printf(out, "<figure>%s</figure>\n", page->asked.picture);
    html_end(out, page->json.out);
    text_printf(out, "<script>\n%s</script>\n</body>\n</html>\n", page_file("page"));
}

/* Hands the page over; everything is freed. */
static wb_status finish(struct html_page *page, const char *name, const wb_verdict *verdict,
                        const wb_writer *writer) {
    struct text out = {0}, *document = page->json.out;
    char *readable = demangle(name);
    json_close(&page->json);
    out.failed = page->line.failed || document->failed;
    if (!out.failed && page->status == WB_OK)
        put_page(&out, readable != NULL ? readable : name, verdict, page);
    const wb_status status = page->status != WB_OK
                                 ? page->status
                                 : report_written(report_flush(&out, writer, true), page->diagnostics);
    free(readable);
    free(page->text);
    text_free(&page->line);
    text_free(document);
    text_free(&out);
    return status;
}

/* ---- Notes for readers -----------------------------------------------------------------------------------
 * */

/* The meaning of a state, where the line does not give it. */
static const char *meaning_of(const wb_verdict *verdict) {
    switch (verdict->state) {
    case WB_MET:
        return verdict->model == WB_MODEL_NONE
                   ? "Proven: no execution takes longer than the deadline."
                   : "Proven in the model alone, which was accepted as what the deadline is about.";
    case WB_MODEL_ONLY: return "Nothing is proven of the code that runs: only a model meets the deadline.";
    case WB_CONTRADICTION:
        return verdict->contradiction.found.kind == WB_MEASURED
                   ? "The machine is not the GPU that was measured. Nothing here is a bound."
                   : "One of the two numbers is wrong. Nothing here is a bound.";
    case WB_MISSED: return "Refuted: an execution was found that takes longer than the deadline.";
    case WB_OPEN:
        return "Neither proven nor refuted: no execution that is known to be possible takes longer.";
    case WB_BLOCK_ONLY: return "The deadline is of the kernel, and only a block of it was bounded.";
    case WB_BOUNDED:
    case WB_UNPROVEN: break;
    }
    return NULL;
}

static void sentence_json(struct json *json, const wb_verdict *verdict, const char *about,
                          void put(struct text *out, const wb_verdict *verdict)) {
    struct text words = {0};
    text_printf(&words, "%s: ", about);
    put(&words, verdict);
    json_take_text(json, NULL, &words);
}

/* The line of the verdict, and the sentences below it. */
static void verdict_words_json(struct html_page *page, const wb_verdict *verdict, const wb_machine *machine) {
    const struct verdict_words words = {machine, page->options.unit, true, false};
    struct json *json = &page->json;
    struct text scope = {0};
    text_free(&page->line); /* of a launch */
    verdict_put_line(&page->line, verdict, &words);
    json_put_text(json, "line", page->line.failed ? NULL : page->line.data);
    json->out->failed |= page->line.failed;
    json_open_array(json, "sentences");
    if (meaning_of(verdict) != NULL) json_put_text(json, NULL, meaning_of(verdict));
    if (verdict_model(verdict->model) != NULL) {
        text_printf(&scope, "Scope: %s.", verdict_model(verdict->model));
        json_take_text(json, NULL, &scope);
    }
    if (verdict->first_blocks.cycles > 0) sentence_json(json, verdict, "A part", verdict_put_first_blocks);
    if (verdict->stalls != NULL) sentence_json(json, verdict, "Machine code", verdict_put_stalls);
    if (verdict->code.cycles > 0 || verdict->code_bound != NULL)
        sentence_json(json, verdict, "Machine code", verdict_put_code);
    if (verdict->judged != NULL && verdict->refuted != NULL)
        sentence_json(json, verdict, "Refuted", verdict_put_refuted);
    json_close(json);
}

void page_reason_json(struct html_page *page, const char *key, const char *what,
                      const wb_diagnostics *messages) {
    const char *text = wb_diagnostics_text(messages), *start = strstr(text, "error: ");
    struct text words = {0};
    start = start != NULL ? start + strlen("error: ") : text;
    const int length = (int)strcspn(start, "\n");
    text_printf(&words, "%s%s%.*s.", what, length > 0 ? ": " : "", length, start);
    json_take_text(&page->json, key, &words);
}

/* All that cycles can be spent on, as the reports name it, in an order that gives each its colour. */
static void causes_json(struct json *json, const wb_machine *machine) {
    json_open_array(json, "causes");
    for (size_t part = 0; part < WB_PART_COUNT; part++)
        if (part != WB_PART_UNIT) json_put_text(json, NULL, wb_part_name((wb_part_kind)part));
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        struct text name = {0};
        text_printf(&name, "%s %s", wb_part_name(WB_PART_UNIT), machine->units[u].name);
        json_take_text(json, NULL, &name);
    }
    json_close(json);
}

/* What the whole page needs once: the group of each assumption, the causes, and the command. */
static void common_json(struct html_page *page, const wb_machine *machine) {
    struct json *json = &page->json;
    json_open_object(json, "groups");
    for (int a = 0; a < (int)WB_ASSUMPTION_COUNT; a++)
        json_put_text(json, wb_assumption_id((wb_assumption)a), wb_assumption_group((wb_assumption)a));
    json_close(json);
    causes_json(json, machine);
    json_put_text(json, "command", page->asked.command);
}

/* The name of what an analysis is of. */
static const char *name_of(const struct wb_analysis *analysis) {
    const struct wb_kernel *kernel = analysis_sources(analysis).kernel;
    return kernel != NULL ? wb_kernel_name(kernel) : analysis->name;
}

/* How many blocks an SM holds, and why no more; nothing where the machine says nothing of that. */
static void occupancy_json(struct json *json, const struct wb_analysis *analysis) {
    const struct wb_block *block = analysis->block;
    const struct wb_grid *grid = block == NULL ? analysis->grid_times.grid : NULL;
    if (block == NULL && (grid == NULL || grid->kernel == NULL)) return;
    const struct block_demand demand = block != NULL ? block_demand_of(block) : grid_block_demand(grid);
    wb_occupancy occupancy = {0};
    machine_occupancy(analysis->machine, &demand, &occupancy);
    if (occupancy.blocks_most == WB_UNLIMITED) return;
    json_open_object(json, "occupancy");
    occupancy_members_json(json, &occupancy);
    json_close(json);
}

/* The members of an analysis. */
static void analysis_json(struct html_page *page, const struct wb_analysis *analysis) {
    const wb_verdict verdict = verdict_of(analysis, &page->options);
    struct text heading = {0};
    char *readable = demangle(name_of(analysis));
    json_put_text(&page->json, "name", readable != NULL ? readable : name_of(analysis));
    free(readable);
    verdict_words_json(page, &verdict, analysis->machine);
    report_heading_put(&heading, analysis, true);
    json_take_text(&page->json, "heading", &heading);
    json_put_bool(&page->json, "work_conserving", analysis->scheme->policy->work_conserving);
    occupancy_json(&page->json, analysis);
    page_costs_json(page, analysis);
    page_executions_json(page, analysis);
}

/* ---- The two reports ----------------------------------------------------------------------------------- */

static wb_status open_page(const wb_report_options *options, const wb_html_options *html,
                           wb_diagnostics *diagnostics, struct text *document, struct html_page *page) {
    *page = (struct html_page){.json = json_begin(document, JSON_ONE_LINE),
                               .issues_most = TIMELINE_ISSUES_MAX,
                               .diagnostics = diagnostics};
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &page->options, diagnostics));
    page->options.lines = 0; /* the page has costs of its own */
    page->options.phases = false;
    return OPTIONS_TAKE(wb_html_options, html, &page->asked, diagnostics);
}

wb_status wb_html_report(const wb_analysis *analysis, const wb_report_options *options,
                         const wb_html_options *html, const wb_writer *writer, wb_diagnostics *diagnostics) {
    struct text document = {0};
    struct html_page page;
    WB_TRY(open_page(options, html, diagnostics, &document, &page));
    const wb_verdict verdict = verdict_of(analysis, &page.options);
    (void)report_analysis_document(&page.json, analysis, &page.options, diagnostics);
    json_open_object(&page.json, "page");
    analysis_json(&page, analysis);
    common_json(&page, analysis->machine);
    json_close(&page.json);
    page.status = wb_report(analysis, WB_REPORT_TEXT, &page.options, diagnostics, &page.text);
    return finish(&page, name_of(analysis), &verdict, writer);
}

/* Member "page" of a launch. */
static void launch_json(void *user, struct json *json, size_t number, const struct wb_analysis *kernel) {
    struct html_page *page = user;
    if (number >= page->launches) return;
    page->json = *json;
    json_open_object(&page->json, "page");
    analysis_json(page, kernel);
    json_close(&page->json);
    *json = page->json;
}

wb_status wb_stream_html_report(const wb_stream *stream, const wb_report_options *options,
                                const wb_html_options *html, const wb_writer *writer,
                                wb_diagnostics *diagnostics) {
    const size_t count = stream->kernels.count;
    struct text document = {0};
    struct html_page page;
    WB_TRY(open_page(options, html, diagnostics, &document, &page));
    const wb_report_options of_stream = page.options;
    const wb_verdict verdict = wb_stream_judge(stream, of_stream.has_deadline ? &of_stream.deadline : NULL);
    struct json json = page.json;
    page.launches = count < LAUNCHES_SHOWN_MAX ? count : LAUNCHES_SHOWN_MAX;
    if (count > 0) page.issues_most /= page.launches;
    page.options.has_deadline = false; /* it is of all kernels together */
    report_stream_document(&json, stream, &of_stream, launch_json, &page);
    page.json = json;
    json_open_object(&page.json, "page");
    json_put_text(&page.json, "name", "Stream of kernels");
    verdict_words_json(&page, &verdict, stream->machine);
    common_json(&page, stream->machine);
    json_close(&page.json);
    page.status = wb_stream_report(stream, WB_REPORT_TEXT, &of_stream, diagnostics, &page.text);
    return finish(&page, "Stream of kernels", &verdict, writer);
}
