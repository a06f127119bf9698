/* The accesses of an SM in the order of the reordering extension (memory/requests/access_order.h), each with
 * what its requests meet in the first-level cache: what the miss estimate counts and `warpbound cache
 * --order` prints. Of covering paths the cache is known by must and may states (memory/caches/cache_state.h).
 */
#ifndef WB_MEMORY_CACHES_ORDER_REPLAY_H
#define WB_MEMORY_CACHES_ORDER_REPLAY_H

#include "memory/caches/cache.h"
#include "memory/caches/cache_state.h"
#include "memory/requests/access_order.h"
#include "memory/requests/requests.h"
#include "memory/requests/traffic.h"

/* What a request finds. Stores and atomics go to the second level whatever the first one holds. Of covering
 * paths: REQUEST_HITS if it is made; REQUEST_UNSURE: it hits, misses or is not made. */
enum request_outcome { REQUEST_HITS, REQUEST_MISSES, REQUEST_PASSES, REQUEST_UNSURE, REQUEST_OUTCOMES };

/* The requests of an access at an SM. */
struct met_requests {
    uint64_t addresses[REQUESTS_MAX]; /* of its access->request_count requests, unless these are unknown */
    uint8_t outcomes[REQUESTS_MAX];   /* enum request_outcome of each */
    uint64_t marks[REQUESTS_MAX];     /* of covering paths, of loads: see requests_meet_state */
};

/* A replay under way, with the access that it has come to. */
struct order_replay {
    struct access_order order;
    struct cache cache;
    struct cache_state state; /* in its place, of covering paths */
    struct ordered_access at;
    struct met_requests met;
    wb_status status; /* WB_ERR_LIMIT: memory was exhausted, and the replay ended */
};

/* Stands before the first access of an SM, its cache empty. The traffic is one of a known order
 * (access_order_check). WB_ERR_LIMIT without a message when memory is exhausted; order_replay_end in any
 * case. */
wb_status order_replay_begin(const struct traffic *traffic, const struct sm_share *share,
                             struct order_replay *replay);

/* Goes to the next access; false at the end, or when replay->status says so. */
bool order_replay_next(struct order_replay *replay);

void order_replay_end(struct order_replay *replay);

/* The addresses of an access. */
void requests_address(const struct traffic *traffic, const struct ordered_access *at,
                      struct met_requests *met);

/* Lets the requests of an access of covering paths, with their addresses, meet a first level of which `state`
 * is known, and says what they find. Lines that are surely there from now on are marked with `mark`, which is
 * no less than any mark before; met->marks are those of the lines that are hit, and `mark` of all others.
 * WB_ERR_LIMIT when memory is exhausted. */
wb_status requests_meet_state(const struct traffic *traffic, const struct ordered_access *at, uint64_t mark,
                              struct cache_state *state, struct met_requests *met);

/* Blocks that an SM of the machine holds at a time under the extension. Errors, each with a message:
 * WB_ERR_INPUT when the machine has no first-level cache or no room for a block; as access_order_check. */
wb_status order_resident_blocks(const struct traffic *traffic, wb_diagnostics *diagnostics,
                                uint32_t *resident);

/* Misses of the first-level caches under the reordering extension: the caches see one order of accesses
 * (memory/requests/access_order.h), so that replaying it tells which loads miss (JCSE'17, section III). */

struct miss_counts {
    uint64_t accesses;      /* warp instructions that make requests */
    uint64_t requests;      /* of them all */
    uint64_t load_requests; /* of loads: stores and atomics always go to the second level */
    uint64_t load_misses;
    uint64_t load_unsure; /* of covering paths: those that hit, miss or are not made, depending on data */
};

struct miss_estimate {
    struct miss_counts total;
    struct miss_counts *instructions; /* per instruction of the grid */
    uint32_t instruction_count;
    uint32_t resident; /* blocks that an SM holds at a time */
};

/* Replays the accesses of all SMs, whose caches start empty and do not share anything; up to `threads` SMs at
 * a time, with the same result whatever the number. Errors, each with a message: WB_ERR_INPUT when the
 * machine has no first-level cache or no room for a block; WB_ERR_LIMIT when memory is exhausted.
 * miss_estimate_free in any case. */
wb_status miss_estimate_make(const struct traffic *traffic, uint32_t threads, wb_diagnostics *diagnostics,
                             struct miss_estimate *estimate);

/* Misses per request of a load; 0 without loads. */
double miss_rate(const struct miss_counts *counts);

void miss_estimate_free(struct miss_estimate *estimate);

#endif
