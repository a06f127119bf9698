/* What machines without a reordering unit, or with another one, do to a first-level cache: the accesses of
 * one SM in other orders than that of memory/requests/requests.h. */
#ifndef WB_TESTS_ACCESS_REPLAY_H
#define WB_TESTS_ACCESS_REPLAY_H

#include "base/containers.h"
#include "memory/caches/caches.h"
#include "memory/requests/requests.h"

enum replay_order {
    REPLAY_RANDOM,      /* any warp that can go on */
    REPLAY_ROUND_ROBIN, /* one access of each warp in turn */
    REPLAY_GREEDY,      /* a warp goes on as long as it can, then the oldest that can */
    REPLAY_WARP_FIRST,  /* generation, epoch, address, then warp before block */
};

/* Replays all blocks of the grid on one SM, accesses of an instruction together. A block starts when one of
 * `resident` before it has ended (WARP_FIRST: has all ended); a warp waits at a barrier until all of its
 * block have made their accesses before it. */
struct miss_counts access_replay(const struct traffic *traffic, uint32_t resident, enum replay_order order,
                                 uint64_t seed);

/* The accesses of an SM sorted by their keys, as the definition says; *count of them, to be freed. With
 * `warp_first` the warp comes before the block. */
struct ordered_access *access_order_sorted(const struct traffic *traffic, const struct sm_share *share,
                                           bool warp_first, size_t *count);

#endif
