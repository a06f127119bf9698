/* What the memory that all SMs share adds to the bounds of a whole kernel (docs/memory-bounds.md, section
 * 12). Without it these functions do nothing. */
#ifndef WB_BOUND_GRID_CONTENTION_H
#define WB_BOUND_GRID_CONTENTION_H

#include "bound/grid/grid_work.h"
#include "memory/requests/timed_grid.h"

/* Counts the requests of all kinds of blocks of a grid whose residents are known. WB_ERR_LIMIT without a
 * message when memory is exhausted. */
wb_status contention_count(const struct timed_grid *timed, struct grid_work *work);

/* Sums up what all kinds ask for, when their loads are known. */
void contention_sum(struct grid_work *work);

/* Takes over the counts of the same grid; each request waits at most `wait` cycles until it has been served,
 * and latencies count that. */
void contention_copy(const struct grid_work *counted, cycles wait, struct grid_work *work);

/* Charges the kinds with the cycles in which units wait for the limit on requests. */
void contention_charge(struct grid_work *work);

/* The largest number of cycles from the arrival of a request until it has been served, when the arbiter
 * allows to say one: 0: no. */
cycles contention_wait(const struct grid_work *work);

/* The same as published: equation (3) of JCSE 2017, without the latency of the memory. */
cycles contention_wait_published(const struct grid_work *work);

/* Cycles in which the memory serves anybody, unless latencies count the waiting. */
cycles contention_services(const struct grid_work *work);

/* Of the initiations of all blocks, cycles of waiting for the limit on requests. */
cycles contention_stalls(const struct grid_work *work);

/* Adds what a bound made of `work` assumes of the memory. */
void contention_assume(const struct grid_work *work, wb_bound *bound);

/* Adds what a result assumes of the way of blocks to SMs. */
void grid_assume_dispatch(const struct grid_work *work, wb_bound *bound);

#endif
