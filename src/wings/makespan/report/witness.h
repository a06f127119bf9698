/* The schedules that reports of a makespan problem show. */
#ifndef WB_REPORT_MAKESPAN_WITNESS_H
#define WB_REPORT_MAKESPAN_WITNESS_H

#include "base/base.h"
#include "wings/makespan/analysis/makespan.h"

/* Schedules larger than this (in cells: warps times cycles) are not drawn. */
#define WITNESS_CELLS_MAX UINT64_C(4000000)

/* A schedule as a table like Fig. 2 of ECRTS'12: a row per warp, a column per cycle, letters in the cells.
 * What fails shows in out->failed. */
void witness_text(struct text *out, const struct makespan_problem *problem, const struct schedule *schedule);

/* The same as a picture. */
void witness_svg(struct text *out, const struct makespan_problem *problem, const struct schedule *schedule);

#endif
