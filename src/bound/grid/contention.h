/* The time that the memory that all SMs share adds to the bounds of a whole kernel, and of an isolated block
 * (docs/memory-bounds.md, section 12). Without it the functions for kernels do nothing. */
#ifndef WB_BOUND_GRID_CONTENTION_H
#define WB_BOUND_GRID_CONTENTION_H

#include "bound/grid/block_requests.h"
#include "bound/grid/grid_work.h"
#include "bound/method/method.h"
#include "memory/requests/requests.h"

/* Counts the requests of all block classes of a grid whose residents are known. WB_ERR_LIMIT without a
 * message when memory is exhausted. */
wb_status contention_count(const struct timed_grid *timed, struct grid_work *work);

/* A class of such a grid without what it was charged with, and charged again. */
struct block_class contention_uncharged(const struct block_class *class);
void contention_charge_class(const struct grid_work *work, struct block_class *class);

/* Whether chains of the grid count in the order of issue, too, where requests are held back. */
bool contention_keeps_order(const struct grid_work *work);

/* Sums up what all classes ask for, when their loads are known. */
void contention_sum(struct grid_work *work);

/* Takes over the counts of the same grid; each request waits at most `wait` cycles until it has been served,
 * and latencies count that. */
void contention_copy(const struct grid_work *counted, cycles wait, struct grid_work *work);

/* Charges the classes with the cycles in which units wait for the limit on requests. */
void contention_charge(struct grid_work *work);

/* The largest number of cycles from the arrival of a request until it has been served, when the arbiter
 * allows to say one: 0: no. */
cycles contention_wait(const struct grid_work *work);

/* The same as published: equation (3) of JCSE 2017, without the latency of the memory. */
cycles contention_wait_published(const struct grid_work *work);

/* Cycles in which the memory serves anybody, unless latencies count the waiting. */
cycles contention_services(const struct grid_work *work);

/* The cycles of waiting for the limit on requests among the initiations of all blocks. */
cycles contention_stalls(const struct grid_work *work);

/* Adds the memory assumptions of a bound that uses `work`. */
void contention_assume(const struct grid_work *work, wb_bound *bound);

/* Adds what a result assumes of the way of blocks to SMs. */
void grid_assume_dispatch(const struct grid_work *work, wb_bound *bound);

/* What a traced block asks for in isolation; it becomes a grid of its own for the simulator, unless its paths
 * are covering ones. All of *grid, *timed and *load are zero. Errors, each with a message: WB_ERR_DECLINED
 * when not all accesses are known; WB_ERR_LIMIT when memory is exhausted. grid_clear and timed_grid_free in
 * any case. */
wb_status contended_block_make(const struct wb_block *block, const struct wb_machine *machine,
                               wb_diagnostics *diagnostics, struct wb_grid *grid, struct timed_grid *timed,
                               struct request_load *load);

/* The same of a block of class number `class` of a grid by hand. */
wb_status contended_block_by_hand(const struct synthetic_block *block, size_t class,
                                  wb_diagnostics *diagnostics, struct wb_grid *grid, struct timed_grid *timed,
                                  struct request_load *load);

/* Adds to a bound of a block what the memory adds; where no proof covers the machine it is an estimate. */
void contended_block_add(const struct bound_method *method, const struct wb_machine *machine,
                         const struct request_load *load, wb_bound *bound);

#endif
