/* A set-associative cache with least-recently-used replacement, as the miss-rate estimator and the simulator
 * have it: its contents are a function of the order of accesses alone. */
#ifndef WB_MEMORY_CACHE_H
#define WB_MEMORY_CACHE_H

#include "base/arena.h"
#include "machine/memory.h"

/* One line. The lines of a set stand in the order of their last use, latest first. */
struct cache_line {
    uint64_t number;  /* address / line_bytes */
    uint32_t sectors; /* bit i: sector i is present (or on its way); 0: the line is empty */
    uint32_t dirty;   /* bit i: sector i was written and not written back */
};

struct cache {
    struct cache_geometry geometry;
    struct cache_line *lines; /* sets * ways */
    uint32_t set_count;       /* a power of two */
    uint32_t line_shift, sector_shift;
};

/* An empty cache whose lines come from `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status cache_init(struct cache *cache, const struct cache_geometry *geometry, struct arena *arena);

void cache_clear(struct cache *cache);

/* The set of an address. */
uint32_t cache_set_of(const struct cache *cache, uint64_t address);

/* Whether a request's sector is present; changes nothing. */
bool cache_has(const struct cache *cache, uint64_t address);

/* What an access did. */
struct cache_outcome {
    bool hit;
    bool evicted; /* a line made room: it is in *victim */
    struct cache_line victim;
};

/* Loads a sector: it becomes the most recently used; a miss allocates, in the place of the least recently
 * used line of the set. */
struct cache_outcome cache_load(struct cache *cache, uint64_t address);

/* Stores under the first level's policy: no allocation. Returns whether the sector was present. */
bool cache_store(struct cache *cache, uint64_t address, enum store_policy policy);

/* Stores under write-back with allocation (second level): the sector becomes present and dirty. */
struct cache_outcome cache_write_back(struct cache *cache, uint64_t address);

/* The line that the next miss in the set of `address` would evict, or NULL when the set has an empty one. */
const struct cache_line *cache_victim(const struct cache *cache, uint64_t address);

#endif
