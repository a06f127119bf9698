/* A makespan problem with the results computed of it so far. */
#ifndef WB_MAKESPAN_ANALYSIS_MAKESPAN_H
#define WB_MAKESPAN_ANALYSIS_MAKESPAN_H

#include "method/run.h"
#include "warpbound_makespan.h"
#include "wings/makespan/anneal/anneal.h"
#include "wings/makespan/exact/exact.h"
#include "wings/makespan/forms/methods.h"
#include "wings/makespan/method/closed.h"
#include "wings/makespan/strings/spec.h"
#include "wings/makespan/strings/transform.h"

struct wb_makespan {
    struct makespan_spec spec;
    bool waits;    /* a string was made of a path that waits */
    bool prepared; /* `transform` and `problem` have been made of `spec`, which is final then */
    struct transform transform;
    struct makespan_problem problem;
    uint64_t methods_run;                /* bit i: method i of the table has a result */
    VEC(struct makespan_result) results; /* in the table's order, behind them schedules that were read */
    struct method_log log;
};

/* Makes the problem, unless it has been made. */
wb_status makespan_prepare(wb_makespan *makespan, wb_diagnostics *diagnostics);

/* The result of the method of that name, or, with NULL, the one with the longest witness; NULL when there is
 * none. */
const struct makespan_result *makespan_find_result(const wb_makespan *makespan, const char *method);

/* What all results together prove: the worst case is from `lower` to `upper` cycles. `upper` is
 * CYCLES_SATURATED where no method proved one. */
struct makespan_interval {
    uint64_t lower, upper;
    const char *found_by, *proven_by; /* methods of these; NULL: none */
};

struct makespan_interval makespan_certain(const wb_makespan *makespan);

#endif
