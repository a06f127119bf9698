/* Bounds and simulations of an analysis: as a table for people, with what they come to, and as JSON. */
#include "report/analysis/analysis.h"

#include "base/wing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bound/analysis/verdict.h"
#include "report/parts/parts.h"

uint64_t report_slowest(const struct wb_analysis *analysis) {
    size_t count;
    const struct wb_analysis *run = analysis->given != NULL ? analysis->given : analysis;
    const wb_simulation *simulations = wb_analysis_simulations(run, &count);
    uint64_t slowest = 0;
    for (size_t i = 0; i < count; i++)
        if (found_is_covered(run, &simulations[i])) slowest = cycles_max(slowest, simulations[i].cycles);
    return slowest;
}

bool report_overestimation(const struct wb_analysis *analysis, const wb_bound *bound, double *percent) {
    uint64_t slowest = report_slowest(analysis);
    if (slowest == 0) return false;
    *percent = 100.0 * ((double)bound->cycles / (double)slowest - 1.0);
    return true;
}

/* The interval of the worst case, with latencies exactly as stated: a schedule that takes *lower was found,
 * and none takes more than *upper. False if nothing is proven or nothing was found. */
static bool report_interval(const struct wb_analysis *analysis, uint64_t *lower, uint64_t *upper) {
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

/* ---- JSON --------------------------------------------------------------------------------------------- */

/* How far a bound is above the simulations, rounded to two decimals, so that the text does not depend on the
 * last bits of a division. */
static void overestimation_json(struct json *json, const struct wb_analysis *analysis,
                                const wb_bound *bound) {
    double percent = 0;
    const bool is_known = report_overestimation(analysis, bound, &percent);
    json_put(json, "overestimation_percent %*g", is_known, round(percent * 100.0) / 100.0);
}

static void bounds_json(struct json *json, const struct wb_analysis *analysis,
                        const wb_report_options *options) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    const struct wing *wing;
    json_open_array(json, "bounds");
    for (size_t i = 0; i < count; i++) {
        json_open_object(json, NULL);
        report_bound_json(json, &bounds[i], options);
        overestimation_json(json, analysis, &bounds[i]);
        json_put_real(json, "microseconds",
                      report_microseconds(analysis->machine->clock_mhz, bounds[i].cycles));
        kernel_parts_json(json, &bounds[i]);
        for (size_t w = 0; (wing = wing_at(w)) != NULL; w++)
            if (wing->bound_json != NULL) wing->bound_json(json, &bounds[i]);
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
        json_put(json,
                 "policy %s, work_conserving %d, cycles %" PRIu64 ", last_commit %" PRIu64
                 ", last_issue %" PRIu64 ", warp_instructions %" PRIu64,
                 simulation->policy, simulation->work_conserving, simulation->cycles, simulation->last_commit,
                 simulation->last_issue, simulation->warp_instructions);
        report_seconds_json(json, simulation->seconds, options);
        heading_fetches_json(json, analysis->machine, simulation->fetches, simulation->fetch_misses);
        report_assumed_json(json, analysis->assumed);
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
    if (!json_open_known(json, "given", analysis->given != NULL)) return;
    json_put(json, "zeros %d", analysis_has_zeros(analysis->given));
    lists_json(json, analysis->given, options);
    json_close(json);
}
