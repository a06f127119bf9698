/* Reports of an analysis, as tables for people and as JSON. */
#include "report/analysis/analysis.h"

#include <inttypes.h>

#include "base/options.h"
#include "base/text.h"
#include "bound/analysis/verdict.h"
#include "launch/launch.h"
#include "report/analysis/kernel.h"
#include "report/analysis/results.h"
#include "report/gate/gate.h"
#include "report/papers/windows.h"
#include "report/parts/bounds.h"
#include "report/parts/cover.h"
#include "report/parts/document.h"
#include "report/parts/heading.h"
#include "report/parts/inputs.h"
#include "report/parts/verdict.h"
#include "report/write/json.h"
#include "report/write/output.h"
#include "warp/interpret/launch_demand.h"

/* Instructions that all warps of the block execute together. */
static uint64_t count_instructions(const struct wb_block *block) {
    uint64_t instructions = 0;
    for (uint32_t warp = 0; warp < block->warp_count; warp++)
        instructions = cycles_add(instructions, wb_block_warp_instructions(block, warp));
    return instructions;
}

/* The block of covering paths that an analysis is of; of a grid its first one. */
static const struct wb_block *covering_block(const struct wb_analysis *analysis) {
    if (analysis->block != NULL) return analysis->block;
    return analysis->grid_times.grid->covering.items[0].block;
}

/* Of a kernel its block that takes longest; else what is analysed. */
static const struct wb_analysis *block_of(const struct wb_analysis *analysis) {
    return analysis->longest != NULL ? analysis->longest : analysis;
}

/* ---- Text: the verdict ----------------------------------------------------------------------------------
 */

static void put_verdict(struct text *out, const struct wb_analysis *analysis,
                        const wb_report_options *options) {
    const wb_verdict verdict = verdict_of(analysis, options);
    const struct verdict_words words = {analysis->machine->clock_mhz, options->unit};
    verdict_put_line(out, &verdict, &words);
    text_char(out, '\n');
    verdict_put_details(out, &verdict, &words);
    text_char(out, '\n');
}

/* ---- Text: the heading -------------------------------------------------------------------------------- */

/* The block that was traced from PTX: nothing for one written by hand. */
static void put_block(struct text *out, const struct wb_block *block, const struct wb_machine *machine) {
    if (block == NULL) return;
    heading_put_kernel(out, "kernel   ", block->kernel);
    text_printf(out, "block    (%u,%u,%u) of grid %ux%ux%u, %ux%ux%u threads: ", block->index[0],
                block->index[1], block->index[2], block->grid[0], block->grid[1], block->grid[2],
                block->size[0], block->size[1], block->size[2]);
    text_printf(out, "%u warp%s, %zu distinct path%s, %" PRIu64 " warp instructions\n", block->warp_count,
                plural(block->warp_count), block->paths.count, plural(block->paths.count),
                count_instructions(block));
    const struct block_demand demand = block_demand_of(block);
    heading_put_launch(out, &block->inputs, machine, &demand);
}

static void put_grid_launch(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_grid *grid = analysis->grid_times.grid;
    const struct block_demand demand = grid_block_demand(grid);
    if (grid->kernel != NULL) heading_put_launch(out, &grid->inputs, analysis->machine, &demand);
}

void report_heading_put(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_machine *machine = analysis->machine;
    if (analysis->kind == SUBJECT_ABSTRACT_WARPS) {
        text_printf(out, "abstract %s: %u warps\nmachine  %s at %g MHz\n\n", analysis->abstract.name,
                    analysis->abstract.cta.warp_count, machine->name, machine->clock_mhz);
        return;
    }
    if (analysis->longest != NULL) {
        kernel_put_heading(out, analysis);
        return;
    }
    if (analysis->timed == NULL) {
        heading_put_gpu(out, &analysis->grid_times);
        put_grid_launch(out, analysis);
        if (wb_analysis_is_covering(analysis)) cover_put_heading(out, covering_block(analysis));
        text_printf(out, "scheme   %s\n\n", analysis->memory.scheme->name);
        return;
    }
    put_block(out, analysis->block, machine);
    if (wb_analysis_is_covering(analysis)) cover_put_heading(out, analysis->block);
    text_printf(out, "machine  %s at %g MHz, global memory latency %u, dispatch depth ", machine->name,
                machine->clock_mhz, machine->mem_latency);
    if (machine->dispatch_depth == DEPTH_UNLIMITED) {
        text_string(out, "unlimited");
    } else {
        text_printf(out, "%u", machine->dispatch_depth);
    }
    if (analysis->block != NULL) text_printf(out, ", requests %s", memory_requests_name(&machine->memory));
    heading_put_fetch(out, &machine->fetch);
    text_string(out, "\n\n");
}

/* ---- Text: what stands under the tables --------------------------------------------------------------- */

/* Writes one phase on the line of its section. */
struct phase_lines {
    struct text *out;
    uint64_t section; /* being written */
    bool open;
};

static wb_status put_phase(void *user, uint64_t section, const struct phase *phase) {
    struct phase_lines *lines = user;
    if (!lines->open || lines->section != section) {
        text_printf(lines->out, "%s    section %" PRIu64 ":", lines->open ? "\n" : "", section);
        lines->section = section;
        lines->open = true;
    }
    text_printf(lines->out, " %s[%" PRIu64 ",%" PRIu64 ")", phase->idle ? "idle" : "exec", phase->start,
                phase->end);
    return lines->out->failed ? WB_ERR_LIMIT : WB_OK;
}

/* What each method says of one warp, and the path it takes. */
static void put_warp(struct text *out, const struct wb_analysis *analysis, uint32_t warp) {
    text_printf(out, "  warp %u: path %u", warp, analysis->timed->warp_path[warp]);
    for (size_t method = 0; bound_method_at(method) != NULL; method++) {
        cycles value;
        if (analysis_warp_bound(analysis, method, warp, &value))
            text_printf(out, ", %s %" PRIu64, bound_method_at(method)->name, value);
    }
    text_char(out, '\n');
}

static wb_status put_phases(struct text *out, const struct wb_analysis *analysis,
                            wb_diagnostics *diagnostics) {
    text_string(out, "\nbounds of single warps, all sections summed:\n");
    for (uint32_t warp = 0; warp < analysis->timed->warp_count; warp++)
        put_warp(out, analysis, warp);
    text_string(out, "\nphases of a warp alone, cycles from the start of each section between barriers:\n");
    for (uint32_t path = 0; path < analysis->timed->path_count; path++) {
        struct phase_lines lines = {.out = out};
        struct phase_sink sink = {.phase = put_phase, .user = &lines};
        const uint64_t length = analysis->timed->paths[path].length;
        text_printf(out, "  path %u\n", path);
        if (length > PHASES_LISTED_MAX) {
            text_printf(out, "    too many to be listed: %" PRIu64 " steps\n", length);
            continue;
        }
        WB_TRY(phases_of_path(analysis->timed, path, &sink, diagnostics));
        text_char(out, '\n');
    }
    return WB_OK;
}

/* The bounds of an analysis; of a kernel those of its longest block first. */
static const wb_bound *bound_at(const void *owner, size_t index) {
    const struct wb_analysis *analysis = owner;
    size_t count;
    if (analysis->longest != NULL) {
        const wb_bound *of_block = wb_analysis_bounds(analysis->longest, &count);
        if (index < count) return &of_block[index];
        index -= count;
    }
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    return index < count ? &bounds[index] : NULL;
}

/* Which block classes the bounds are the largest of, and which of them the simulations are of. */
static void put_kinds_asked(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_block *block = analysis->longest->block;
    const uint32_t kind = analysis->blocks.items[0].class;
    uint32_t index[3];
    text_printf(out, " (bounds: the largest of %zu block classes", analysis->work.classes.count);
    if (analysis->blocks.count < analysis->work.classes.count)
        text_printf(out, ", %zu of them analysed", analysis->blocks.count);
    if (report_slowest(analysis->longest) > 0) {
        grid_block_index(analysis->grid_times.grid, analysis->work.classes.items[kind].first, index);
        text_printf(out, "; simulated: (%u,%u,%u)", index[0], index[1], index[2]);
        if (block != NULL)
            text_printf(out, ", with %" PRIu64 " warp instructions", count_instructions(block));
    }
    text_char(out, ')');
}

/* Of a kernel, what is known of the block that takes longest. */
static void put_longest(struct text *out, const struct wb_analysis *analysis,
                        const wb_report_options *options) {
    if (analysis->longest == NULL) return;
    const struct wb_block *block = analysis->longest->block;
    const size_t classes = analysis->work.classes.count;
    if (analysis->kind != SUBJECT_KERNEL)
        text_string(out, "the block with the most initiations");
    else
        text_string(out, "the block that takes longest");
    if (block != NULL && classes < 2)
        text_printf(out, ", (%u,%u,%u), with %" PRIu64 " warp instructions", block->index[0], block->index[1],
                    block->index[2], count_instructions(block));
    text_string(out, ", alone");
    if (classes > 1) put_kinds_asked(out, analysis);
    text_string(out, analysis->kind == SUBJECT_KERNEL ? ":\n" : "; others may take longer:\n");
    results_put(out, analysis->longest, options);
    size_t count;
    (void)wb_analysis_bounds(analysis->longest, &count);
    text_printf(out, "%sthe kernel, all blocks:\n", count > 0 ? "" : "\n");
}

/* What the bounds assume, and what simulations do; beside covering paths the launch with its data is another
 * execution. */
static void put_conditions(struct text *out, const struct wb_analysis *analysis) {
    const struct wb_analysis *block = block_of(analysis);
    const bool simulated = analysis->simulations.count > 0 || block->simulations.count > 0;
    const struct report_executed executed[] = {
        {"simulations", simulated ? analysis_assumed(analysis) : 0},
        {"the numbers with the data that the launch gives",
         analysis->given != NULL ? analysis_assumed(analysis->given) : 0},
        {NULL, 0}};
    if (bound_at(analysis, 0) == NULL && executed[0].assumed != 0) text_char(out, '\n');
    report_put_conditions(out, bound_at, analysis, executed);
}

static wb_status put_text(struct text *out, const struct wb_analysis *analysis,
                          const wb_report_options *options, wb_diagnostics *diagnostics) {
    const struct wb_analysis *block = block_of(analysis);
    put_verdict(out, analysis, options);
    report_heading_put(out, analysis);
    put_longest(out, analysis, options);
    results_put(out, analysis, options);
    kernel_put_parts(out, analysis);
    kernel_put_overhead(out, analysis);
    put_conditions(out, analysis);
    if (wb_analysis_is_covering(analysis)) cover_put_causes(out, covering_block(block));
    report_put_windows(out, block);
    return options->phases && block->timed != NULL ? put_phases(out, block, diagnostics) : WB_OK;
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

/* What was launched, null for a block written by hand. */
static void launch_json(struct json *json, const struct wb_analysis *analysis) {
    const struct wb_block *block = analysis->block;
    if (block == NULL) {
        json_put_null(json, "launch");
        return;
    }
    const struct block_demand demand = block_demand_of(block);
    json_open_object(json, "launch");
    json_put_counts(json, "grid", block->grid, 3);
    json_put_counts(json, "block", block->size, 3);
    json_put_count(json, "shared_bytes", block->shared_bytes);
    json_put_counts(json, "block_index", block->index, 3);
    json_put_count(json, "warps", block->warp_count);
    json_put_count(json, "warp_instructions", count_instructions(block));
    json_put_bool(json, "covering", block->covering);
    heading_launch_json(json, &block->inputs, analysis->machine, &demand);
    json_close(json);
}

/* Version, kernel, file, machine and launch: of a block, or of a grid with its scheme. */
static void heading_json(struct json *json, const struct wb_analysis *analysis) {
    if (analysis->timed == NULL && analysis->kind != SUBJECT_ABSTRACT_WARPS) {
        heading_gpu_json(json, &analysis->grid_times);
        json_put_text(json, "scheme", analysis->memory.scheme->name);
        return;
    }
    if (analysis->kind == SUBJECT_ABSTRACT_WARPS) {
        json_put_text(json, "kernel", analysis->abstract.name);
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
    report_deadline_json(json, wb_scope_name(verdict->scope), verdict->is_bounded ? &verdict->cycles : NULL,
                         options);
    json_put_text(json, "method", verdict->is_bounded ? verdict->bound->method : NULL);
    if (verdict->state == WB_BLOCK_ONLY && wb_analysis_proven(verdict->judged, &of_block))
        json_put_bool(json, "block_met", of_block <= options->deadline);
    json_close(json);
}

static void best_json(struct json *json, const wb_bound *best) {
    json_put_count_if(json, "best_upper", best != NULL, best != NULL ? best->cycles : 0);
}

/* What the report is about, and the least proven bound of that: never of a block where a kernel is meant. */
static void scope_json(struct json *json, const wb_verdict *verdict) {
    json_put_text(json, "scope", wb_scope_name(verdict->scope));
    best_json(json, verdict->bound);
}

/* The whole kernel, beside its block that takes longest. */
static void kernel_json(struct json *json, const struct wb_analysis *analysis,
                        const wb_report_options *options) {
    const wb_bound *best = wb_analysis_best(analysis);
    uint64_t proven = 0;
    const bool is_proven = wb_analysis_proven(analysis, &proven);
    json_open_object(json, "grid");
    kernel_heading_json(json, analysis);
    results_json(json, analysis, options);
    best_json(json, best);
    results_given_json(json, analysis, options);
    json_put_text(json, "best_method", best != NULL ? best->method : NULL);
    if (best != NULL)
        report_time_json(json, "best_upper_microseconds", analysis->machine->clock_mhz, best->cycles);
    else
        json_put_null(json, "best_upper_microseconds");
    json_put_count_if(json, "best_upper_with_launch", is_proven, proven);
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
    json_open_object(json, NULL);
    json_put_text(json, "kind", phase->idle ? "idle" : "exec");
    json_put_count(json, "start", phase->start);
    json_put_count(json, "end", phase->end);
    json_close(json);
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

/* The options that change what is computed, as they were given: null where they were left out. */
static void asked_json(struct json *json, const struct analysis_asked *asked) {
    static const char *const inputs[] = {[WB_INPUTS_GIVEN] = "given", [WB_INPUTS_ANY] = "any"};
    json_open_object(json, "options");
    json_put_text(json, "inputs", asked->inputs == WB_INPUTS_USUAL ? NULL : inputs[asked->inputs]);
    if (asked->one_block)
        json_put_counts(json, "block_index", asked->block, 3);
    else
        json_put_null(json, "block_index");
    json_put_text(json, "scheme", asked->scheme);
    json_put_text(json, "method", asked->methods);
    json_put_text(json, "policy", asked->policies);
    json_put_count_if(json, "states", asked->state_limit != 0, asked->state_limit);
    json_close(json);
}

void report_analysis_json(struct json *json, const struct wb_analysis *analysis,
                          const wb_report_options *options) {
    const struct wb_analysis *block = block_of(analysis);
    const struct sources sources = analysis_sources(analysis);
    const wb_verdict verdict = verdict_of(analysis, options);
    verdict_json(json, &verdict, analysis->machine->clock_mhz);
    heading_json(json, block);
    inputs_json(json, &sources);
    asked_json(json, &analysis->asked);
    results_json(json, block, options);
    scope_json(json, &verdict);
    if (options->has_deadline) deadline_json(json, &verdict, options);
    if (wb_analysis_is_covering(block)) cover_json(json, covering_block(block));
    results_given_json(json, block, options);
    if (analysis->longest != NULL) kernel_json(json, analysis, options);
}

static wb_status put_json(struct text *out, const struct wb_analysis *analysis,
                          const wb_report_options *options, wb_diagnostics *diagnostics) {
    const struct wb_analysis *block = block_of(analysis);
    struct json json = json_begin(out, JSON_LINES);
    document_open(&json, DOCUMENT_ANALYZE);
    report_analysis_json(&json, analysis, options);
    if (options->phases && block->timed != NULL) {
        warps_json(&json, block);
        WB_TRY(paths_json(&json, block, diagnostics));
    }
    json_close(&json);
    return WB_OK;
}

/* ---- For gates ------------------------------------------------------------------------------------------
 */

static const wb_input *input_at(const void *owner, size_t index) {
    return wb_analysis_input(owner, index);
}

/* What of the analysis is of interest to a gate; `put` writes it. */
static void put_gate(struct text *out, const struct wb_analysis *analysis, const wb_report_options *options,
                     const wb_diagnostics *messages, void (*put)(struct text *out, const struct gate *gate)) {
    const wb_verdict verdict = verdict_of(analysis, options);
    const struct sources sources = analysis_sources(analysis);
    const char *by_hand = sources.by_hand != NULL ? sources.by_hand->path : NULL;
    const struct gate gate = {
        .verdict = &verdict,
        .words = {analysis->machine->clock_mhz, options->unit},
        .name = sources.kernel != NULL ? wb_kernel_name(sources.kernel)
                : by_hand != NULL      ? by_hand
                                       : "block",
        .file = sources.kernel != NULL ? sources.kernel->module->source.name : by_hand,
        .kernel = sources.kernel,
        .input_at = input_at,
        .owner = analysis,
        .messages = messages,
    };
    put(out, &gate);
}

wb_status wb_report(const wb_analysis *analysis, wb_report_format format, const wb_report_options *options,
                    wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    struct text out = {0};
    wb_status status = WB_OK;
    switch (format) {
    case WB_REPORT_TEXT: status = put_text(&out, analysis, &asked, diagnostics); break;
    case WB_REPORT_JSON: status = put_json(&out, analysis, &asked, diagnostics); break;
    case WB_REPORT_JUNIT: put_gate(&out, analysis, &asked, diagnostics, gate_put_junit); break;
    case WB_REPORT_SARIF: put_gate(&out, analysis, &asked, diagnostics, gate_put_sarif); break;
    default:
        diagnose(diagnostics, SEVERITY_ERROR, "report", "unknown format %d", (int)format);
        status = WB_ERR_INPUT;
    }
    return report_take(status, &out, diagnostics, text);
}
