/* Chains of latencies of the blocks of a grid on a machine with caches (bound/cache/latency_path.h). */
#ifndef WB_COST_GRID_CHAIN_H
#define WB_COST_GRID_CHAIN_H

#include "bound/cache/latency_path.h"
#include "cost/tally.h"

/* Adds the longest path of latencies of a block of the grid, `times` times; `hits` says what is known of its
 * requests, NULL: nothing. WB_ERR_LIMIT when memory is exhausted; no message. */
wb_status grid_chain(const struct timed_grid *timed, const struct must_hits *hits, uint32_t block,
                     uint64_t times, struct tally *tally);

#endif
