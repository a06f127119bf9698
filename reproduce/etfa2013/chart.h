/* The chart of Fig. 12. */
#ifndef WB_REPRODUCE_ETFA2013_CHART_H
#define WB_REPRODUCE_ETFA2013_CHART_H

#include "makespan/method.h"

/* The longest schedule that each instance has found, by iteration, and the longest of all. */
void chart_convergence(struct text *out, const struct anneal_log *log);

#endif
