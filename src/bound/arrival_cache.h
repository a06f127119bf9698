/* A first-level cache that sees one known order of accesses, with a bound on when the data of each line is
 * there: a hit on data that is still on its way waits for it. */
#ifndef WB_BOUND_ARRIVAL_CACHE_H
#define WB_BOUND_ARRIVAL_CACHE_H

#include "bound/memory_times.h"
#include "memory/cache.h"

struct arrival_cache {
    struct cache cache;
    struct request_latencies latencies;
    cycles miss_latency; /* from the turn of a miss to its data */
    enum store_policy policy;
    cycles *arrivals; /* per line of the cache, in the same places: when all its data is there */
    uint64_t misses;
};

/* The first level of an SM of the machine, empty. WB_ERR_LIMIT when memory is exhausted. */
wb_status arrival_cache_init(struct arrival_cache *arrival, const struct machine_memory *memory,
                             struct arena *arena);

/* Empties it and counts no misses. */
void arrival_cache_clear(struct arrival_cache *arrival);

/* A load has its turn until `turn`; returns when its data is there. */
cycles arrival_cache_load(struct arrival_cache *arrival, uint64_t address, cycles turn);

/* A store or an atomic has its turn. */
void arrival_cache_write(struct arrival_cache *arrival, uint64_t address, bool is_atomic);

#endif
