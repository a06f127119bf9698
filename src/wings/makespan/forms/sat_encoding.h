/* The variables of the makespan problem as a question about truth values: how many warps have done what by
 * when.
 *
 * Warps of a group are alike and advance by at most one position a cycle, so where two of them meet their
 * rests can be exchanged, until none ever overtakes another: it is enough to know that warp r, in that order,
 * is the one of rank r (from 1) at every position. The variable done(p, r, t) says that at least r warps of
 * the group have executed position p in cycle t or before. It is one only in a window of cycles; before it is
 * false and behind it true, in every schedule of at most `horizon` cycles. */
#ifndef WB_PAPERS_MAKESPAN_FORMS_SAT_ENCODING_H
#define WB_PAPERS_MAKESPAN_FORMS_SAT_ENCODING_H

#include "wings/makespan/forms/cnf.h"
#include "wings/makespan/method/method.h"
#include "wings/makespan/strings/problem.h"

/* done(p, r, t) for one p and r: false for t < earliest, true for t >= latest, in between variable
 * first + t - earliest. */
struct done_window {
    uint32_t earliest, latest;
    int32_t first;
};

struct done_variables {
    const struct makespan_problem *problem;
    uint32_t horizon;
    struct done_window *windows; /* those of a position one behind the other, by rank */
    uint64_t *start;             /* per position: where its windows start */
    uint32_t *group;             /* per position */
    int32_t count;               /* variables are numbered from 1 */
};

/* Makes the variables for all schedules of at most `horizon` cycles, which must be an upper bound of the
 * makespan, in a protected arena. False when they are too many or `memory` bytes do not hold them. */
bool done_variables_make(const struct makespan_problem *problem, uint32_t horizon, uint64_t memory,
                         struct arena *arena, struct done_variables *done);

/* The literal of done(position, rank, cycle): a constant outside the window, true for rank 0, false for a
 * rank beyond the warps of the group. */
literal done_literal(const struct done_variables *done, uint32_t position, uint32_t rank, uint32_t cycle);

/* Warps that have the position in their string. */
uint32_t done_ranks(const struct done_variables *done, uint32_t position);

/* "A warp of the group has not finished by the end of the cycle." */
literal unfinished_literal(const struct done_variables *done, uint32_t group, uint32_t cycle);

/* A makespan problem as a formula: its models are the schedules of at most `horizon` cycles. */

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

/* Makes the formula, with its tables in run->arena; `horizon` must be an upper bound of the makespan.
 * WB_ERR_LIMIT without a message when it is stopped, or when the memory allowed or the numbers of variables
 * are exhausted; cnf.failed tells them apart. The clauses are freed with cnf_free, also after an error. */
wb_status sat_encode(const struct makespan_run *run, uint32_t horizon, enum sat_counting counting,
                     struct sat_encoding *encoding);

/* "The makespan is at least this": true for 0 cycles, false beyond the horizon. */
literal sat_makespan_at_least(const struct sat_encoding *encoding, uint64_t makespan);

#endif
