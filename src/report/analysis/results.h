/* Bounds and simulations of an analysis: how they compare, and how they are shown. */
#ifndef WB_REPORT_ANALYSIS_RESULTS_H
#define WB_REPORT_ANALYSIS_RESULTS_H

#include "bound/analysis/analysis.h"
#include "report/write/json.h"

/* The latest result of all simulations that the bounds are about (of covering paths: those of the given
 * data), 0 when there are none: of `cycles`, as it is printed. */
uint64_t report_slowest(const struct wb_analysis *analysis);

/* How far `bound` lies above the slowest of these simulations, in percent; false when nothing was simulated.
 */
bool report_overestimation(const struct wb_analysis *analysis, const wb_bound *bound, double *percent);

/* What is certain of the worst case, with latencies exactly as stated: a schedule that takes *lower was
 * found, and none takes more than *upper. False where nothing is proven or nothing was found. */
bool report_interval(const struct wb_analysis *analysis, uint64_t *lower, uint64_t *upper);

/* Members of the innermost object: "bounds", "simulations", "declined", "certified"; */
void results_json(struct json *json, const struct wb_analysis *analysis, const wb_report_options *options);

/* and "given" of covering paths, which has those with the data that the launch gives, or is null. */
void results_given_json(struct json *json, const struct wb_analysis *analysis,
                        const wb_report_options *options);

#endif
