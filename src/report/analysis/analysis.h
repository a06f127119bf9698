/* Reports of an analysis: what its formats have in common, and one function per format. */
#ifndef WB_REPORT_ANALYSIS_ANALYSIS_H
#define WB_REPORT_ANALYSIS_ANALYSIS_H

#include <jansson.h>

#include "bound/analysis/analysis.h"

/* Whether the bounds of the analysis are about this simulation: those of a scheme of strict round-robin hold
 * for strict round-robin only, all others for work-conserving policies only. */
bool report_covers(const struct wb_analysis *analysis, const wb_simulation *simulation);

/* The latest result of all simulations that the bounds are about (of covering paths: those of the given
 * data), 0 when there are none: of `cycles`, as it is printed. */
uint64_t report_slowest(const struct wb_analysis *analysis);

/* How far `bound` lies above the slowest of these simulations, in percent; false when nothing was
 * simulated. */
bool report_overestimation(const struct wb_analysis *analysis, const wb_bound *bound, double *percent);

/* What is certain of the worst case, with latencies exactly as stated: a schedule that takes `lower` was
 * found, and none takes more than `upper`. */
struct report_interval {
    uint64_t lower, upper;
};

/* False where nothing is proven or nothing was found. */
bool report_certified(const struct wb_analysis *analysis, struct report_interval *interval);

/* What is said of a method without a result, by its status (wb_declined): "declined", "limit", "left out". */
const char *report_declined_name(wb_status status);

/* Instructions that all warps of the block execute together. */
uint64_t report_instructions(const struct wb_block *block);

/* The JSON report as an object; NULL when memory is exhausted. */
json_t *report_analysis_object(const struct wb_analysis *analysis, const wb_report_options *options);

wb_status report_analysis_text(const struct wb_analysis *analysis, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text);
wb_status report_analysis_json(const struct wb_analysis *analysis, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text);

#endif
