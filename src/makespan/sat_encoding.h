/* A makespan problem as a formula: its models are the schedules of at most `horizon` cycles. */
#ifndef WB_MAKESPAN_SAT_ENCODING_H
#define WB_MAKESPAN_SAT_ENCODING_H

#include "makespan/method.h"
#include "makespan/sat_variables.h"

/* How the warps that execute in a cycle are counted. */
enum sat_counting {
    SAT_COUNTING_CLAUSES, /* with further variables and clauses */
    SAT_COUNTING_LINEAR,  /* not here: capacities and the meaning of `full` are left to linear rows */
};

/* Index in sat_encoding.full behind those of unit types: the issue limit. */
#define FULL_ISSUE UNIT_TYPES

struct sat_encoding {
    struct done_variables done;
    struct cnf cnf;
    literal *unfinished;             /* [t]: some warp is unfinished at the end of cycle t; for t < horizon */
    literal (*full)[FULL_ISSUE + 1]; /* [t]: in cycle t as many execute as may; for 1 <= t <= horizon */
};

/* Makes the formula; `horizon` must be an upper bound of the makespan. WB_ERR_LIMIT without a message when it
 * is stopped, or when memory or the numbers of variables are exhausted; cnf.failed tells them apart. */
wb_status sat_encode(const struct makespan_run *run, uint32_t horizon, enum sat_counting counting,
                     struct sat_encoding *encoding);
void sat_encoding_free(struct sat_encoding *encoding);

/* "The makespan is at least this": true for 0 cycles, false beyond the horizon. */
literal sat_makespan_at_least(const struct sat_encoding *encoding, uint64_t makespan);

#endif
