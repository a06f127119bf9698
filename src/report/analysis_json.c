/* Reports of an analysis as JSON; docs/json.md documents every key. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "bound/verdict.h"
#include "report/analysis_report.h"
#include "report/bound_json.h"
#include "report/cover_report.h"
#include "report/gpu_report.h"
#include "report/json_parts.h"
#include "report/kernel_report.h"
#include "report/launch_report.h"
#include "report/window_report.h"
#include "warp/launch_demand.h"

/* What was launched, null for a block written by hand. */
static json_t *launch_json(const struct wb_analysis *analysis) {
    const struct wb_block *block = analysis->block;
    if (block == NULL) return json_null();
    const struct block_demand demand = block_demand_of(block);
    json_t *launch = json_pack(
        "{s:o, s:o, s:I, s:o, s:I, s:I, s:b}", "grid", json_three_numbers(block->grid), "block",
        json_three_numbers(block->size), "shared_bytes", (json_int_t)block->shared_bytes, "block_index",
        json_three_numbers(block->index), "warps", (json_int_t)block->warp_count, "warp_instructions",
        (json_int_t)report_instructions(block), "covering", (int)block->covering);
    report_add_launch(&block->inputs, analysis->machine, &demand, &launch);
    return launch;
}

/* Rounded to two decimals, so that the text does not depend on the last bits of a division. */
static json_t *percent_json(const struct wb_analysis *analysis, const wb_bound *bound) {
    double percent;
    if (!report_overestimation(analysis, bound, &percent)) return json_null();
    return json_real(round(percent * 100.0) / 100.0);
}

/* A bound, and how far it is above the simulations. */
static json_t *bound_json(const struct wb_analysis *analysis, const wb_bound *bound,
                          const wb_report_options *options) {
    json_t *object = report_bound_json(bound, options);
    json_put(&object, "overestimation_percent", percent_json(analysis, bound));
    json_put(&object, "microseconds", report_microseconds_json(analysis->machine->clock_mhz, bound->cycles));
    if (bound->part_count > 0) json_put(&object, "parts", kernel_parts_json(bound));
    if (bound->window_count > 0) {
        json_put(&object, "windows", report_windows_json(bound));
        json_put(&object, "windows_left_out", json_integer((json_int_t)bound->windows_left_out));
    }
    return object;
}

static json_t *bounds_json(const struct wb_analysis *analysis, const wb_report_options *options) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_add(&array, bound_json(analysis, &bounds[i], options));
    return array;
}

static json_t *simulations_json(const struct wb_analysis *analysis, const wb_report_options *options) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const wb_simulation *s = &simulations[i];
        json_t *object = json_pack(
            "{s:s, s:b, s:I, s:I, s:I, s:I, s:o}", "policy", s->policy, "work_conserving",
            (int)s->work_conserving, "cycles", (json_int_t)s->cycles, "last_commit",
            (json_int_t)s->last_commit, "last_issue", (json_int_t)s->last_issue, "warp_instructions",
            (json_int_t)s->warp_instructions, "seconds", report_seconds_json(s->seconds, options));
        json_put_fetches(&object, analysis->machine, s->fetches, s->fetch_misses);
        json_put(&object, "assumptions", report_assumed_json(analysis_assumed(analysis)));
        json_add(&array, object);
    }
    return array;
}

/* Methods and policies without a result. */
static json_t *declined_json(const struct wb_analysis *analysis) {
    size_t count;
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    return report_declined_json(declined, count);
}

static json_t *certified_json(const struct wb_analysis *analysis) {
    struct report_interval interval;
    if (!report_certified(analysis, &interval)) return json_null();
    return json_pack("{s:I, s:I}", "lower", (json_int_t)interval.lower, "upper", (json_int_t)interval.upper);
}

/* Whether the deadline is met, and by what: by nothing where its scope was not analysed. */
static json_t *deadline_json(const struct wb_analysis *analysis, const wb_report_options *options) {
    const struct verdict verdict = verdict_of(analysis, options->scope, options->deadline);
    const bool is_judged = verdict.answer == WB_MET || verdict.answer == WB_NOT_MET;
    json_t *object =
        report_deadline_json(wb_scope_name(verdict.scope), is_judged ? &verdict.proven : NULL, options);
    json_put(&object, "method", is_judged ? json_string(verdict.best->method) : json_null());
    if (verdict.answer == WB_NOT_ANALYSED)
        json_put(&object, "block_met", json_boolean(verdict.proven <= options->deadline));
    return object;
}

/* Takes the phases of one path. */
struct sections_json {
    json_t *array; /* of sections, each an array of phases; NULL when memory was exhausted */
    wb_diagnostics *diagnostics;
};

/* Appends one phase to the section it belongs to, which is the last one so far or one behind it. */
static wb_status add_phase(void *user, uint64_t section, const struct phase *phase) {
    struct sections_json *sections = user;
    while (sections->array != NULL && json_array_size(sections->array) <= section)
        json_add(&sections->array, json_array());
    json_t *object = json_pack("{s:s, s:I, s:I}", "kind", phase->idle ? "idle" : "exec", "start",
                               (json_int_t)phase->start, "end", (json_int_t)phase->end);
    if (json_array_append_new(json_array_get(sections->array, section), object) == 0) return WB_OK;
    return diagnose_out_of_memory(sections->diagnostics, "report");
}

/* Per distinct path its sections; null for those of a path with very many phases. */
static wb_status add_paths(const struct wb_analysis *analysis, wb_diagnostics *diagnostics, json_t **root) {
    json_t *paths = json_array();
    wb_status status = WB_OK;
    for (uint32_t path = 0; path < analysis->timed->path_count && status == WB_OK; path++) {
        const bool listed = analysis->timed->paths[path].length <= PHASES_LISTED_MAX;
        struct sections_json sections = {listed ? json_array() : json_null(), diagnostics};
        struct phase_sink sink = {.phase = add_phase, .user = &sections};
        if (listed) status = phases_of_path(analysis->timed, path, &sink, diagnostics);
        json_add(&paths, json_pack("{s:o}", "sections", sections.array));
    }
    json_put(root, "paths", paths);
    return status;
}

/* Per warp the path it takes and what each method says of it. */
static json_t *warps_json(const struct wb_analysis *analysis) {
    json_t *warps = json_array();
    for (uint32_t warp = 0; warp < analysis->timed->warp_count; warp++) {
        json_t *wub = json_object();
        for (size_t method = 0; bound_method_at(method) != NULL; method++) {
            cycles value;
            if (analysis_warp_bound(analysis, method, warp, &value))
                json_put(&wub, bound_method_at(method)->name, json_integer((json_int_t)value));
        }
        json_int_t path = (json_int_t)analysis->timed->warp_path[warp];
        json_add(&warps, json_pack("{s:I, s:o}", "path", path, "wub", wub));
    }
    return warps;
}

/* Version, kernel, file, machine and launch: of a block, or of a grid with its scheme. */
static json_t *heading_json(const struct wb_analysis *analysis) {
    if (analysis->is_abstract)
        return json_pack("{s:s, s:o, s:n, s:o, s:n}", "warpbound", wb_version(), "kernel",
                         json_text(analysis->abstract.name), "file", "machine",
                         json_machine(analysis->machine), "launch");
    if (analysis->timed == NULL) {
        json_t *grid = report_gpu_heading_json(&analysis->grid_times);
        json_put(&grid, "scheme", json_string(analysis->memory.scheme->name));
        return grid;
    }
    const struct wb_kernel *kernel = analysis->block != NULL ? analysis->block->kernel : NULL;
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "warpbound", wb_version(), "kernel",
                     json_text(kernel != NULL ? wb_kernel_name(kernel) : NULL), "file",
                     json_text(kernel != NULL ? kernel->module->source.name : NULL), "machine",
                     json_machine(analysis->machine), "launch", launch_json(analysis));
}

/* Adds the results with the data that was given, beside those of covering paths. */
static void add_given(const struct wb_analysis *analysis, const wb_report_options *options, json_t **object) {
    json_t *given = json_null();
    if (!wb_analysis_is_covering(analysis)) return;
    if (analysis->given != NULL)
        given =
            json_pack("{s:o, s:o, s:o}", "bounds", bounds_json(analysis->given, options), "simulations",
                      simulations_json(analysis->given, options), "declined", declined_json(analysis->given));
    json_put(object, "given", given);
}

/* Adds what is said of covering paths: the unknown values, and what is known of given ones. */
static void add_cover(const struct wb_analysis *analysis, const wb_report_options *options, json_t **root) {
    if (wb_analysis_is_covering(analysis)) {
        json_put(root, "facts", cover_facts_json(cover_block(analysis)));
        json_put(root, "unknown", cover_causes_json(cover_block(analysis)));
    }
    add_given(analysis, options, root);
}

/* Adds bounds and simulations. */
static void add_results(const struct wb_analysis *analysis, const wb_report_options *options,
                        json_t **object) {
    json_put(object, "bounds", bounds_json(analysis, options));
    json_put(object, "simulations", simulations_json(analysis, options));
    json_put(object, "declined", declined_json(analysis));
    json_put(object, "certified", certified_json(analysis));
}

static json_t *best_json(const wb_bound *best) {
    return best != NULL ? json_integer((json_int_t)best->cycles) : json_null();
}

/* What the report is about, and the least proven bound of that: never of a block where a kernel is meant. */
static void add_scope(const struct wb_analysis *analysis, const wb_report_options *options, json_t **root) {
    wb_scope scope = wb_analysis_scope(analysis);
    if (options->has_deadline || options->scope == WB_SCOPE_BLOCK)
        scope = verdict_scope(analysis, options->scope);
    if (scope == WB_SCOPE_BLOCK && analysis->longest != NULL) analysis = analysis->longest;
    const bool is_of_scope = wb_analysis_scope(analysis) == scope;
    json_put(root, "scope", json_string(wb_scope_name(scope)));
    json_put(root, "best_upper", best_json(is_of_scope ? wb_analysis_best(analysis) : NULL));
}

/* The whole kernel, beside its block that takes longest. */
static json_t *kernel_json(const struct wb_analysis *analysis, const wb_report_options *options) {
    const wb_bound *best = wb_analysis_best(analysis);
    json_t *kernel = kernel_heading_json(analysis);
    add_results(analysis, options, &kernel);
    json_put(&kernel, "best_upper", best_json(best));
    add_given(analysis, options, &kernel);
    json_put(&kernel, "best_method", best != NULL ? json_string(best->method) : json_null());
    json_put(&kernel, "best_upper_microseconds",
             best != NULL ? report_microseconds_json(analysis->machine->clock_mhz, best->cycles)
                          : json_null());
    uint64_t proven;
    const bool is_proven = wb_analysis_proven(analysis, &proven);
    json_put(&kernel, "best_upper_with_launch", is_proven ? json_integer((json_int_t)proven) : json_null());
    json_put(&kernel, "dominated_by", kernel_dominant_json(best));
    return kernel;
}

json_t *report_analysis_object(const struct wb_analysis *analysis, const wb_report_options *options) {
    const struct wb_analysis *block = analysis->longest != NULL ? analysis->longest : analysis;
    json_t *root = heading_json(block);
    add_results(block, options, &root);
    add_scope(analysis, options, &root);
    if (options->has_deadline) json_put(&root, "deadline", deadline_json(analysis, options));
    add_cover(block, options, &root);
    if (analysis->longest != NULL) json_put(&root, "grid", kernel_json(analysis, options));
    return root;
}

wb_status report_analysis_json(const struct wb_analysis *analysis, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text) {
    json_t *root = report_analysis_object(analysis, options);
    wb_status status = WB_OK;
    const struct wb_analysis *block = analysis->longest != NULL ? analysis->longest : analysis;
    if (root != NULL && options->phases && block->timed != NULL) {
        json_put(&root, "warps", warps_json(block));
        status = add_paths(block, diagnostics, &root);
    }
    if (status == WB_OK) return report_take_json(root, diagnostics, text);
    json_decref(root);
    return status;
}
