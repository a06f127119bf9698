/* How long the accesses of a block on a machine with caches take at most while no server is busy: with these
 * latencies it is one of a machine without (docs/memory-bounds.md, section 5). */
#ifndef WB_BOUND_CACHE_ACCESS_LATENCIES_H
#define WB_BOUND_CACHE_ACCESS_LATENCIES_H

#include "memory/caches/misses.h"
#include "warp/timed/timed.h"

/* How many accesses block number `block` of a grid has. */
uint64_t accesses_of_block(const struct timed_grid *timed, uint32_t block);

/* Fills in the latency of each of them, those of warp 0 first, or LATENCY_OF_CLASS. */
#define LATENCY_OF_CLASS UINT32_MAX
void access_latencies(const struct timed_grid *timed, const struct must_hits *hits, uint32_t block,
                      uint32_t *latencies);

/* Gives accesses in this order these latencies. */
void access_latencies_set(const uint32_t *latencies, uint64_t count, struct execution_cost *costs);

/* Gives accesses of the block, in this order, the initiations that sums over the grid have: where lanes or
 * addresses are not known these are of no more requests than there are lines in what is accessed. */
void access_initiations_set(const struct timed_grid *timed, uint32_t block, struct execution_cost *costs);

#endif
