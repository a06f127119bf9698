/* What is known of what was asked about, and whether it meets a deadline: the bound of a block says nothing
 * of the kernel that it is part of.
 */
#ifndef WB_BOUND_ANALYSIS_VERDICT_H
#define WB_BOUND_ANALYSIS_VERDICT_H

#include "bound/analysis/analysis.h"

/* What a verdict is about where there is a deadline: `scope`, unless there is no kernel. */
wb_scope verdict_scope(const struct wb_analysis *analysis, wb_scope scope);

/* The verdict that the options of a report ask for: without a deadline it is on what was analysed, unless
 * that is said to be a block. */
wb_verdict verdict_of(const struct wb_analysis *analysis, const wb_report_options *options);

/* The slowest execution of what is analysed that its bounds are about (found.h); of covering paths with the
 * data that the launch gives. */
wb_slowest analysis_slowest(const struct wb_analysis *analysis);

/* The same of a kernel, or of its machine code, or what that takes at least, where these are longer. */
wb_slowest analysis_slowest_with_code(const struct wb_analysis *analysis);

/* The part of a verdict that is the same of analyses and streams: the state and the margin, from what is
 * known. */
void verdict_decide(wb_verdict *verdict, const uint64_t *deadline);

#endif
