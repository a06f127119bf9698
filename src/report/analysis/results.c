/* Bounds and simulations of an analysis: as a table for people, with what they come to, and as JSON. */
#include "report/analysis/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bound/analysis/verdict.h"
#include "report/analysis/kernel.h"
#include "report/papers/windows.h"
#include "report/parts/bounds.h"
#include "report/parts/heading.h"

uint64_t report_slowest(const struct wb_analysis *analysis) {
    size_t count;
    const struct wb_analysis *run = analysis->given != NULL ? analysis->given : analysis;
    const wb_simulation *simulations = wb_analysis_simulations(run, &count);
    uint64_t slowest = 0;
    for (size_t i = 0; i < count; i++)
        if (verdict_covers(run, &simulations[i])) slowest = cycles_max(slowest, simulations[i].cycles);
    return slowest;
}

bool report_overestimation(const struct wb_analysis *analysis, const wb_bound *bound, double *percent) {
    uint64_t slowest = report_slowest(analysis);
    if (slowest == 0) return false;
    *percent = 100.0 * ((double)bound->cycles / (double)slowest - 1.0);
    return true;
}

bool report_interval(const struct wb_analysis *analysis, uint64_t *lower, uint64_t *upper) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    *lower = report_slowest(analysis);
    *upper = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const wb_bound *bound = &bounds[i];
        if (bound->kind == WB_LOWER || bound->kind == WB_EXACT) *lower = cycles_max(*lower, bound->cycles);
        if (bound->kind == WB_UPPER || bound->kind == WB_EXACT) *upper = cycles_min(*upper, bound->cycles);
    }
    return *lower > 0 && *upper < UINT64_MAX;
}

/* ---- Text --------------------------------------------------------------------------------------------- */

/* Whether some bound of the table has a simulation beside it. */
static bool has_above(const struct wb_analysis *analysis) {
    size_t count;
    (void)wb_analysis_bounds(analysis, &count);
    if (count > 0 && report_slowest(analysis) > 0) return true;
    return analysis->given != NULL && has_above(analysis->given);
}

/* The table, and how it is shown. */
struct result_table {
    struct sheet table;
    bool has_above;
    const wb_report_options *options;
};

static void open_table(struct result_table *results, const struct wb_analysis *analysis) {
    struct sheet *table = &results->table;
    sheet_column(table, SHEET_LEFT, 0, "method");
    sheet_column(table, SHEET_LEFT, 12, "kind");
    sheet_column(table, SHEET_RIGHT, 36, "cycles");
    sheet_column(table, SHEET_RIGHT, 50, "time");
    results->has_above = has_above(analysis);
    if (results->has_above) sheet_column(table, SHEET_RIGHT, 64, "above sim.");
    if (results->options->timing) sheet_column(table, SHEET_RIGHT, 76, "processor");
    sheet_headings(table);
}

/* A row; `above` NULL: it has nothing to be held against. */
static void put_result(struct result_table *results, const struct wb_analysis *analysis, const char *name,
                       wb_kind kind, uint64_t time, const double *above, double seconds) {
    struct sheet *table = &results->table;
    sheet_text(table, name);
    sheet_text(table, wb_kind_name(kind));
    sheet_count(table, time);
    report_time_cell(table, analysis->machine->clock_mhz, time);
    if (above != NULL)
        sheet_printf(table, "%+.2f %%", *above);
    else if (results->has_above)
        sheet_skip(table);
    if (results->options->timing) sheet_printf(table, "%.3f s", seconds);
    sheet_end_row(table);
}

static void put_bound(struct result_table *results, const struct wb_analysis *analysis,
                      const wb_bound *bound) {
    double percent;
    const bool has = report_overestimation(analysis, bound, &percent);
    put_result(results, analysis, bound->method, bound->kind, bound->cycles, has ? &percent : NULL,
               bound->seconds);
}

/* Simulations that the bounds are about, or the others. */
static void put_simulations(struct result_table *results, const struct wb_analysis *analysis, bool covered) {
    size_t count, put = 0;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        const wb_simulation *simulation = &simulations[i];
        if (verdict_covers(analysis, simulation) != covered) continue;
        if (put++ == 0 && !covered) {
            sheet_end_row(&results->table);
            sheet_span(&results->table, "%swork-conserving, so that no bound above holds for it:",
                       simulation->work_conserving ? "" : "not ");
            sheet_end_row(&results->table);
        }
        put_result(results, analysis, simulation->policy, WB_SIMULATED, simulation->cycles, NULL,
                   simulation->seconds);
    }
}

/* Methods and policies without a result, and why; on one line those that are too large to be tried unless
 * named. */
static void put_declined(struct result_table *results, const struct wb_analysis *analysis) {
    size_t count;
    struct text left_out = {0};
    struct sheet *table = &results->table;
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (declined[i].status == WB_OK) {
            text_printf(&left_out, "%s%s", left_out.length > 0 ? ", " : "", declined[i].method);
            continue;
        }
        sheet_text(table, declined[i].method);
        sheet_span(table, "%s: %s", report_declined_name(declined[i].status), declined[i].reason);
        sheet_end_row(table);
    }
    if (left_out.length > 0) {
        sheet_span(table, "left out unless named, as too large: %s", left_out.data);
        sheet_end_row(table);
    }
    table->words.failed |= left_out.failed;
    text_free(&left_out);
}

/* The bound of the same method with the given data, or NULL. */
static const wb_bound *given_bound(const struct wb_analysis *given, const wb_bound *bound) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(given, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(bounds[i].method, bound->method) == 0) return &bounds[i];
    return NULL;
}

/* The bounds and simulations with the data that the launch gives, beside those of any data. */
static void put_given(struct result_table *results, const struct wb_analysis *analysis) {
    const struct wb_analysis *given = analysis->given;
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    if (given == NULL) return;
    sheet_end_row(&results->table);
    sheet_span(&results->table, "with the data that the launch gives:");
    sheet_end_row(&results->table);
    for (size_t i = 0; i < count; i++) {
        const wb_bound *bound = given_bound(given, &bounds[i]);
        if (bound != NULL) put_bound(results, given, bound);
    }
    put_simulations(results, given, true);
    put_declined(results, given);
    put_simulations(results, given, false);
}

/* What of the simulated times is until the last result, where stores are waited for behind that. */
static void put_last_results(struct text *out, const struct wb_analysis *analysis) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    if (analysis->machine->model != MACHINE_GPGPUSIM || count == 0) return;
    text_string(out, "\nof that until the last result:");
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s %s %" PRIu64, i > 0 ? "," : "", simulations[i].policy,
                    simulations[i].last_commit);
    text_string(out, "; the rest waits for acknowledgements of stores\n");
}

/* What is known of the worst case: between the longest schedule seen and the least proven bound. */
static void put_interval(struct text *out, const struct wb_analysis *analysis) {
    uint64_t lower, upper;
    if (!report_interval(analysis, &lower, &upper)) return;
    if (lower == upper) {
        text_printf(out, "worst case, with latencies as stated: %" PRIu64 " cycles\n\n", upper);
    } else {
        text_printf(out,
                    "worst case, with latencies as stated: between %" PRIu64 " and %" PRIu64 " cycles\n\n",
                    lower, upper);
    }
}

/* The least proven bound. */
static void put_best(struct text *out, const struct wb_analysis *analysis) {
    const wb_bound *best = wb_analysis_best(analysis);
    if (best == NULL) return;
    text_printf(out, "least proven bound: %" PRIu64 " cycles, ", best->cycles);
    report_put_time(out, analysis->machine->clock_mhz, best->cycles);
    text_printf(out, " (%s)\n", best->method);
}

void results_put(struct text *out, const struct wb_analysis *analysis, const wb_report_options *options) {
    struct result_table results = {.options = options};
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    open_table(&results, analysis);
    for (size_t i = 0; i < count; i++)
        put_bound(&results, analysis, &bounds[i]);
    put_simulations(&results, analysis, true);
    put_declined(&results, analysis);
    put_simulations(&results, analysis, false);
    put_given(&results, analysis);
    sheet_close(&results.table, out);
    put_last_results(out, analysis->given != NULL ? analysis->given : analysis);
    if (count > 0) text_char(out, '\n');
    put_best(out, analysis);
    put_interval(out, analysis);
}

/* ---- JSON --------------------------------------------------------------------------------------------- */

/* How far a bound is above the simulations, rounded to two decimals, so that the text does not depend on the
 * last bits of a division. */
static void overestimation_json(struct json *json, const struct wb_analysis *analysis,
                                const wb_bound *bound) {
    double percent;
    if (report_overestimation(analysis, bound, &percent))
        json_put_real(json, "overestimation_percent", round(percent * 100.0) / 100.0);
    else
        json_put_null(json, "overestimation_percent");
}

static void bounds_json(struct json *json, const struct wb_analysis *analysis,
                        const wb_report_options *options) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    json_open_array(json, "bounds");
    for (size_t i = 0; i < count; i++) {
        json_open_object(json, NULL);
        report_bound_json(json, &bounds[i], options);
        overestimation_json(json, analysis, &bounds[i]);
        report_time_json(json, "microseconds", analysis->machine->clock_mhz, bounds[i].cycles);
        kernel_parts_json(json, &bounds[i]);
        report_windows_json(json, &bounds[i]);
        json_close(json);
    }
    json_close(json);
}

static void simulations_json(struct json *json, const struct wb_analysis *analysis,
                             const wb_report_options *options) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    json_open_array(json, "simulations");
    for (size_t i = 0; i < count; i++) {
        const wb_simulation *simulation = &simulations[i];
        json_open_object(json, NULL);
        json_put_text(json, "policy", simulation->policy);
        json_put_bool(json, "work_conserving", simulation->work_conserving);
        json_put_count(json, "cycles", simulation->cycles);
        json_put_count(json, "last_commit", simulation->last_commit);
        json_put_count(json, "last_issue", simulation->last_issue);
        json_put_count(json, "warp_instructions", simulation->warp_instructions);
        report_seconds_json(json, simulation->seconds, options);
        heading_fetches_json(json, analysis->machine, simulation->fetches, simulation->fetch_misses);
        report_assumed_json(json, analysis_assumed(analysis));
        json_close(json);
    }
    json_close(json);
}

/* Bounds, simulations, and the methods and policies without a result. */
static void lists_json(struct json *json, const struct wb_analysis *analysis,
                       const wb_report_options *options) {
    size_t count;
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    bounds_json(json, analysis, options);
    simulations_json(json, analysis, options);
    report_declined_json(json, declined, count);
}

void results_json(struct json *json, const struct wb_analysis *analysis, const wb_report_options *options) {
    uint64_t lower, upper;
    const bool is_certified = report_interval(analysis, &lower, &upper);
    lists_json(json, analysis, options);
    report_certified_json(json, is_certified, lower, upper);
}

void results_given_json(struct json *json, const struct wb_analysis *analysis,
                        const wb_report_options *options) {
    if (!wb_analysis_is_covering(analysis)) return;
    if (analysis->given == NULL) {
        json_put_null(json, "given");
        return;
    }
    json_open_object(json, "given");
    lists_json(json, analysis->given, options);
    json_close(json);
}
