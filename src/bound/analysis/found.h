/* Executions that were found: by searches, as the exact worst case, by simulation. */
#ifndef WB_BOUND_ANALYSIS_FOUND_H
#define WB_BOUND_ANALYSIS_FOUND_H

#include "bound/analysis/analysis.h"

/* Whether the bounds of the analysis are about this simulation: those of a scheme of strict round-robin hold
 * for strict round-robin only, all others for work-conserving policies only. */
bool found_is_covered(const struct wb_analysis *analysis, const wb_simulation *simulation);

/* The slowest execution of an analysis by itself that its bounds are about, without the launch overhead; an
 * exact worst case is one, too. `with_shorter_times`: also of those with latencies shorter than stated, which
 * upper bounds cover. */
wb_slowest analysis_found(const struct wb_analysis *analysis, bool with_shorter_times);

#endif
