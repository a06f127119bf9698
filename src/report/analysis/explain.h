/* All that is known of single methods and policies, on request. */
#ifndef WB_REPORT_ANALYSIS_EXPLAIN_H
#define WB_REPORT_ANALYSIS_EXPLAIN_H

#include "bound/analysis/analysis.h"
#include "report/write/layout.h"

/* Appends a section for each of a comma-separated list of methods and policies: its numbers of the kernel and
 * of a block, what they are made of and rest on, why an estimate is no bound, why there is no number.
 * WB_ERR_INPUT with a message when a name is unknown. */
wb_status explain_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis,
                      const char *names, wb_diagnostics *diagnostics);

/* What a simulation of the analysis rests on: adds it to the list, which has `count` so far; returns how many
 * there are then. */
size_t explain_simulation(const struct wb_analysis *analysis, wb_assumption *list);

#endif
