/* A first-level cache that sees one known order of accesses, with a bound on when the data of each line is
 * there: a hit on data that is still on its way waits for it. */
#ifndef WB_BOUND_CACHE_ARRIVAL_CACHE_H
#define WB_BOUND_CACHE_ARRIVAL_CACHE_H

#include "bound/cache/memory_times.h"
#include "memory/caches/order_replay.h"

struct arrival_cache {
    struct cache cache;
    struct request_latencies latencies;
    cycles miss_latency; /* from the turn of a miss to its data */
    enum store_policy policy;
    cycles *arrivals; /* per line of the cache, in the same places: when all its data is there */
    uint64_t misses;
    struct cache_state state; /* of covering paths, in the place of `cache`: arrivals are its marks */
    bool covers;
};

/* The first level of an SM of the machine, empty. WB_ERR_LIMIT when memory is exhausted. */
wb_status arrival_cache_init(struct arrival_cache *arrival, const struct machine_memory *memory, bool covers,
                             struct arena *arena);

void arrival_cache_free(struct arrival_cache *arrival);

/* Empties it and counts no misses. */
void arrival_cache_clear(struct arrival_cache *arrival);

/* All requests of an access have had their turns by `turn`; *data: when its data is there. WB_ERR_LIMIT when
 * memory is exhausted. */
wb_status arrival_cache_access(struct arrival_cache *arrival, const struct traffic *traffic,
                               const struct ordered_access *at, cycles turn, cycles *data);

#endif
