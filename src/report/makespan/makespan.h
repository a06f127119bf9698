/* Reports of a makespan problem and of witness schedules: one function per format. */
#ifndef WB_REPORT_MAKESPAN_MAKESPAN_H
#define WB_REPORT_MAKESPAN_MAKESPAN_H

#include "base/text.h"
#include "makespan/analysis/makespan.h"

/* The problem, what the transformation did, every result and what they prove together. */
wb_status report_makespan_text(const struct wb_makespan *makespan, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text);
wb_status report_makespan_json(const struct wb_makespan *makespan, const wb_report_options *options,
                               wb_diagnostics *diagnostics, char **text);

/* Schedules larger than this (in cells: warps times cycles) are not drawn. */
#define WITNESS_CELLS_MAX UINT64_C(4000000)

/* A schedule as a table like Fig. 2 of ECRTS'12: a row per warp, a column per cycle, letters in the cells.
 * What fails shows in out->failed. */
void witness_text(struct text *out, const struct makespan_problem *problem, const struct schedule *schedule);

/* The same as a picture. */
void witness_svg(struct text *out, const struct makespan_problem *problem, const struct schedule *schedule);

#endif
