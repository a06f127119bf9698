/* What instructions do in all that a number is about: counts of executions and what they ask for. */
#ifndef WB_COST_WORK_H
#define WB_COST_WORK_H

#include "cost/tally.h"
#include "memory/requests/requests.h"
#include "warp/timed/timed.h"

/* Of one instruction (wb_cost). */
struct cost_work {
    uint64_t executions;
    uint64_t issue, busy;
    uint64_t requests, conflicts;
    uint64_t fetches; /* that it begins, at most */
    uint8_t unit;     /* the last that it used, or UNIT_NONE */
    bool executed;
};

/* How often the block executes each entry of its code, all its warps; an array from `arena`, or NULL when
 * memory is exhausted. */
uint64_t *cost_executions(const struct timed_block *timed, struct arena *arena);

/* Adds what the warps of a block do, `times` times, to `work`, by instruction. Its requests and conflicts are
 * those that were recorded; of a block written by hand, instructions of the units of the mask `asking` make
 * as many as they keep their unit. WB_ERR_LIMIT when memory is exhausted. */
wb_status cost_work_add(const struct timed_block *timed, uint32_t asking, uint64_t times,
                        struct cost_work *work);

/* The same of one block of a grid on a machine with caches. */
void cost_work_add_block(const struct timed_grid *timed, uint32_t block, uint64_t times,
                         struct cost_work *work);

/* Adds the initiations of a block, `times` times, to a tally: as issue and unit. WB_ERR_LIMIT when memory is
 * exhausted. */
wb_status cost_add_initiations(const struct timed_block *timed, uint64_t times, struct tally *tally);

/* Adds the requests of all instructions as weights for WB_PART_MEMORY, their fetches for WB_PART_FETCH. */
void cost_add_asking(const struct cost_work *work, struct tally *weights);

#endif
