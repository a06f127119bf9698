/* The phases of every distinct path of a block, and what methods say of its single warps, for people. */
#ifndef WB_REPORT_ANALYSIS_PHASES_H
#define WB_REPORT_ANALYSIS_PHASES_H

#include "bound/analysis/analysis.h"

/* Appends both. Errors as phases_of_path. */
wb_status phases_put(struct text *out, const struct wb_analysis *analysis, wb_diagnostics *diagnostics);

#endif
