/* The variables of the makespan problem as a question about truth values: how many warps have done what by
 * when.
 *
 * Warps of a group are alike and advance by at most one position a cycle, so where two of them meet their
 * rests can be exchanged, until none ever overtakes another: it is enough to know that warp r, in that order,
 * is the one of rank r (from 1) at every position. The variable done(p, r, t) says that at least r warps of
 * the group have executed position p in cycle t or before. It is one only in a window of cycles; before it is
 * false and behind it true, in every schedule of at most `horizon` cycles. */
#ifndef WB_MAKESPAN_SAT_VARIABLES_H
#define WB_MAKESPAN_SAT_VARIABLES_H

#include "makespan/cnf.h"
#include "strings/problem.h"

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
 * makespan. WB_ERR_LIMIT without a message when they are too many or `memory` bytes do not hold them. */
wb_status done_variables_make(const struct makespan_problem *problem, uint32_t horizon, uint64_t memory,
                              struct done_variables *done);
void done_variables_free(struct done_variables *done);

/* The literal of done(position, rank, cycle): a constant outside the window, true for rank 0, false for a
 * rank beyond the warps of the group. */
literal done_literal(const struct done_variables *done, uint32_t position, uint32_t rank, uint32_t cycle);

/* The same for the position before: true where there is none, since every warp is ready from the start. */
literal done_before(const struct done_variables *done, uint32_t position, uint32_t rank, uint32_t cycle);

/* Warps that have the position in their string. */
uint32_t done_ranks(const struct done_variables *done, uint32_t position);

/* "A warp of the group has not finished by the end of the cycle." */
literal unfinished_literal(const struct done_variables *done, uint32_t group, uint32_t cycle);

#endif
