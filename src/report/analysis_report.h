/* Reports of an analysis: what its formats have in common, and one function per format. */
#ifndef WB_REPORT_ANALYSIS_REPORT_H
#define WB_REPORT_ANALYSIS_REPORT_H

#include "bound/analysis.h"

/* The latest result under any work-conserving policy that was simulated, 0 when none was. Acknowledgements of
 * stores, which the model gpgpusim waits for behind that, are in no bound. */
uint64_t report_slowest(const struct wb_analysis *analysis);

/* How far `bound` lies above the slowest work-conserving simulation, in percent; false when nothing was
 * simulated. */
bool report_overestimation(const struct wb_analysis *analysis, const wb_bound *bound, double *percent);

/* What is certain of the worst case, with latencies exactly as stated: a schedule that takes `lower` was
 * found, and none takes more than `upper`. */
struct report_interval {
    uint64_t lower, upper;
};

/* False where nothing is proven or nothing was found. */
bool report_certified(const struct wb_analysis *analysis, struct report_interval *interval);

/* Instructions that all warps of the block execute together. */
uint64_t report_instructions(const struct wb_block *block);

wb_status report_analysis_text(const struct wb_analysis *analysis, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text);
wb_status report_analysis_json(const struct wb_analysis *analysis, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text);

#endif
