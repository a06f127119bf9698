/* Reports of an analysis, as tables for people and as JSON. */
#include "report/analysis/analysis.h"

#include <assert.h>
#include <inttypes.h>

#include "bound/analysis/verdict.h"
#include "report/costs/costs_shown.h"
#include "report/gate/gate.h"
#include "report/parts/parts.h"
#include "warp/interpret/execute.h"

/* ---- JSON --------------------------------------------------------------------------------------------- */

/* The launch; null for a handwritten block. */
static void launch_json(struct json *json, const struct wb_analysis *analysis) {
    const struct wb_block *block = analysis->block;
    if (!json_open_known(json, "launch", block != NULL)) return;
    assert(block != NULL);
    const struct block_demand demand = block_demand_of(block);
    json_put_counts(json, "grid", block->grid, 3);
    json_put_counts(json, "block", block->size, 3);
    json_put_count(json, "shared_bytes", block->shared_bytes);
    json_put_counts(json, "block_index", block->index, 3);
    json_put(json, "warps %u, warp_instructions %" PRIu64 ", covering %d", block->warp_count,
             report_count_instructions(block), block->covering);
    heading_launch_json(json, &block->inputs, analysis->machine, &demand);
    json_close(json);
}

/* Version, kernel, file, machine and launch: of a block, or of a grid with its scheme. */
static void heading_json(struct json *json, const struct wb_analysis *analysis) {
    if (analysis->timed == NULL && analysis->kind != SUBJECT_OF_WING) {
        heading_gpu_json(json, &analysis->grid_times);
        json_put_text(json, "scheme", analysis->scheme->name);
        return;
    }
    if (analysis->kind == SUBJECT_OF_WING) {
        json_put_text(json, "kernel", analysis->name);
        json_put_null(json, "file");
    } else {
        heading_kernel_json(json, analysis->block != NULL ? analysis->block->kernel : NULL);
    }
    heading_machine_json(json, analysis->machine, false);
    launch_json(json, analysis);
}

/* Whether the deadline is met, and by what: by nothing where its scope was not analysed. */
static void deadline_json(struct json *json, const wb_verdict *verdict, const wb_report_options *options) {
    uint64_t of_block;
    json_open_object(json, "deadline");
    report_deadline_json(json, verdict);
    assert(!verdict->is_bounded || verdict->bound != NULL);
    json_put_text(json, "method", verdict->is_bounded ? verdict->bound->method : NULL);
    if (verdict->state == WB_BLOCK_ONLY && wb_analysis_proven(verdict->judged, &of_block))
        json_put_bool(json, "block_met", of_block <= options->deadline);
    json_close(json);
}

/* The whole kernel, beside its block that takes longest. */
static void kernel_json(struct json *json, const struct wb_analysis *analysis,
                        const wb_report_options *options) {
    const bool is_contradicted = analysis_contradiction(analysis).found.cycles > 0;
    const wb_bound *best = is_contradicted ? NULL : wb_analysis_best(analysis);
    json_open_object(json, "grid");
    kernel_heading_json(json, analysis);
    results_json(json, analysis, options);
    json_put_count_if(json, "best_upper", best != NULL, best != NULL ? best->cycles : 0);
    results_given_json(json, analysis, options);
    json_put_text(json, "best_method", best != NULL ? best->method : NULL);
    json_put(json, "best_upper_microseconds %*g, best_upper_with_launch %*" PRIu64, best != NULL,
             report_microseconds(analysis->machine->clock_mhz, best != NULL ? best->cycles : 0), best != NULL,
             best != NULL ? cycles_add(best->cycles, analysis_overhead(analysis)) : 0);
    kernel_dominant_json(json, best);
    json_close(json);
}

/* Takes the phases of one path: the section that is open is the last one so far. */
struct sections_json {
    struct json *json;
    uint64_t opened; /* sections so far, the last of which is open */
};

/* Writes one phase into the section it belongs to, which is the last one so far or one behind it. */
static wb_status phase_json(void *user, uint64_t section, const struct phase *phase) {
    struct sections_json *sections = user;
    struct json *json = sections->json;
    for (; sections->opened <= section; sections->opened++) {
        if (sections->opened > 0) json_close(json);
        json_open_array(json, NULL);
    }
    json_put_object(json, NULL, "kind %s, start %" PRIu64 ", end %" PRIu64, phase->idle ? "idle" : "exec",
                    phase->start, phase->end);
    return json->out->failed ? WB_ERR_LIMIT : WB_OK;
}

/* Per distinct path its sections, each an array of phases; null for those of a path with very many phases. */
static wb_status paths_json(struct json *json, const struct wb_analysis *analysis,
                            wb_diagnostics *diagnostics) {
    json_open_array(json, "paths");
    for (uint32_t path = 0; path < analysis->timed->path_count; path++) {
        struct sections_json sections = {.json = json};
        struct phase_sink sink = {.phase = phase_json, .user = &sections};
        json_open_object(json, NULL);
        if (analysis->timed->paths[path].length > PHASES_LISTED_MAX) {
            json_put_null(json, "sections");
        } else {
            json_open_array(json, "sections");
            WB_TRY(phases_of_path(analysis->timed, path, &sink, diagnostics));
            if (sections.opened > 0) json_close(json);
            json_close(json);
        }
        json_close(json);
    }
    json_close(json);
    return WB_OK;
}

/* Per warp the path it takes and what each method says of it. */
static void warps_json(struct json *json, const struct wb_analysis *analysis) {
    json_open_array(json, "warps");
    for (uint32_t warp = 0; warp < analysis->timed->warp_count; warp++) {
        json_open_object(json, NULL);
        json_put_count(json, "path", analysis->timed->warp_path[warp]);
        json_open_object(json, "wub");
        for (size_t method = 0; bound_method_at(method) != NULL; method++) {
            cycles value;
            if (analysis_warp_bound(analysis, method, warp, &value))
                json_put_count(json, bound_method_at(method)->name, value);
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

/* The given options that change what is computed; null where omitted. */
static void asked_json(struct json *json, const struct analysis_asked *asked) {
    static const char *const inputs[] = {[WB_INPUTS_GIVEN] = "given", [WB_INPUTS_ANY] = "any"};
    json_open_object(json, "options");
    json_put_text(json, "inputs", asked->inputs == WB_INPUTS_USUAL ? NULL : inputs[asked->inputs]);
    if (asked->one_block)
        json_put_counts(json, "block_index", asked->block, 3);
    else
        json_put_null(json, "block_index");
    json_put(json, "scheme %s, method %s, policy %s, states %*" PRIu64, asked->scheme, asked->methods,
             asked->policies, asked->state_limit != 0, asked->state_limit);
    json_close(json);
}

void report_analysis_json(struct json *json, const struct wb_analysis *analysis,
                          const wb_report_options *options) {
    const struct wb_analysis *block = report_block_of(analysis);
    const struct sources sources = analysis_sources(analysis);
    const wb_verdict verdict = verdict_of(analysis, options);
    verdict_json(json, &verdict, analysis->machine);
    heading_json(json, block);
    inputs_json(json, &sources);
    asked_json(json, &analysis->asked);
    results_json(json, block, options);
    /* A block's bound never stands for a kernel. */
    json_put(json, "scope %s, best_upper %*" PRIu64, wb_scope_name(verdict.scope), verdict.bound != NULL,
             verdict.bound != NULL ? verdict.bound->cycles : 0);
    if (options->has_deadline) deadline_json(json, &verdict, options);
    if (wb_analysis_is_covering(block)) cover_json(json, report_covering_block(block));
    results_given_json(json, block, options);
    if (analysis->longest != NULL) kernel_json(json, analysis, options);
    shares_json(json, analysis, options);
}

wb_status report_analysis_document(struct json *json, const struct wb_analysis *analysis,
                                   const wb_report_options *options, wb_diagnostics *diagnostics) {
    const struct wb_analysis *block = report_block_of(analysis);
    document_open(json, "warpbound-analyze", 1);
    report_analysis_json(json, analysis, options);
    WB_TRY(costs_report(NULL, json, analysis, options, diagnostics));
    if (!options->phases || block->timed == NULL) return WB_OK;
    warps_json(json, block);
    return paths_json(json, block, diagnostics);
}

/* ---- The report -----------------------------------------------------------------------------------------
 */

wb_status wb_report(const wb_analysis *analysis, wb_report_format format, const wb_report_options *options,
                    wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    struct text out = {0};
    struct json json = json_begin(&out, JSON_LINES);
    wb_status status = WB_OK;
    switch (format) {
    case WB_REPORT_TEXT: status = report_analysis_text(&out, analysis, &asked, diagnostics); break;
    case WB_REPORT_JSON:
        status = report_analysis_document(&json, analysis, &asked, diagnostics);
        if (status == WB_OK) json_close(&json);
        break;
    case WB_REPORT_JUNIT:
    case WB_REPORT_SARIF: gate_put(&out, format, analysis, NULL, &asked, diagnostics); break;
    default:
        diagnose(diagnostics, SEVERITY_ERROR, "report", "unknown format %d", (int)format);
        status = WB_ERR_INPUT;
    }
    return report_take(status, &out, diagnostics, text);
}
