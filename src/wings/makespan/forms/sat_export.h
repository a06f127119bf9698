/* Makespan problems as texts for other solvers: the formula in DIMACS, the pseudo-Boolean problem in OPB. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_SAT_EXPORT_H
#define WB_PAPERS_MAKESPAN_FORMS_SAT_EXPORT_H

#include "wings/makespan/method/method.h"

/* Appends the formula whose models are the schedules of at least `makespan` cycles. Comments explain the
 * variables. WB_ERR_LIMIT with a message when it is stopped or when memory is exhausted. */
wb_status sat_export_dimacs(const struct makespan_run *run, uint64_t makespan, struct text *out);

/* Appends the problem of the longest schedule: capacities as linear rows, and an objective to minimise that
 * falls as the makespan grows, as a comment says. Fails as above. */
wb_status sat_export_opb(const struct makespan_run *run, struct text *out);

#endif
