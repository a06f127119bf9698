/* A closed form that bounds the makespan for all capacities, issue limits and groups of warps. */
#ifndef WB_MAKESPAN_CLOSED_H
#define WB_MAKESPAN_CLOSED_H

#include "base/cycles.h"
#include "strings/problem.h"

/* The bound, in *bound. WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status closed_bound(const struct makespan_problem *problem, cycles *bound);

#endif
