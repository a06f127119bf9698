/* A set-associative cache with least-recently-used replacement, as the miss-rate estimator and the simulator
 * have it: its contents are a function of the order of accesses alone. */
#ifndef WB_MEMORY_CACHES_CACHE_H
#define WB_MEMORY_CACHES_CACHE_H

#include "base/arena.h"
#include "base/status.h"
#include "machine/machine.h"

/* Which line, sector and set of a cache an address belongs to. */
struct cache_index {
    uint32_t set_count;                /* any number from 1 on */
    uint32_t set_bits;                 /* its logarithm, if it is a power of two */
    uint32_t line_shift, sector_shift; /* logarithms of their sizes in bytes */
    uint32_t sector_mask;              /* sectors of a line - 1 */
    bool power_of_two;                 /* set_count is one */
    bool hashed;                       /* as in struct cache_geometry */
};

/* What a request does to its line in the first-level cache. */
enum touch_kind {
    TOUCH_LOAD,          /* the line is there afterwards, the most recently used, with the request's sector */
    TOUCH_STORE_EVICTS,  /* a store under write-evict, or an atomic: the line is gone */
    TOUCH_STORE_UPDATES, /* a store under write-through: a line that is there becomes the most recently used
                          */
};

/* Of a geometry that machine_memory_check accepts. */
struct cache_index cache_index_of(const struct cache_geometry *geometry);

/* The set of a line whose number is hashed. Lines that differ only in what their number is modulo set_count
 * are in different sets, as without hashing, so that no set gets more of a contiguous buffer than another. */
uint32_t cache_hashed_set(const struct cache_index *index, uint64_t line);

/* The number of an address's line. */
static inline uint64_t cache_line_number(const struct cache_index *index, uint64_t address) {
    return address >> index->line_shift;
}

/* The number of an address's sector, counted through all lines. */
static inline uint64_t cache_sector_number(const struct cache_index *index, uint64_t address) {
    return address >> index->sector_shift;
}

/* The bit of an address's sector within its line. */
static inline uint32_t cache_sector_bit(const struct cache_index *index, uint64_t address) {
    return 1u << ((address >> index->sector_shift) & index->sector_mask);
}

/* The set of a line. */
static inline uint32_t cache_set_of_line(const struct cache_index *index, uint64_t line) {
    if (index->hashed) return cache_hashed_set(index, line);
    if (index->power_of_two) return (uint32_t)line & (index->set_count - 1);
    return (uint32_t)(line % index->set_count);
}

/* One line. The lines of a set stand in the order of their last use, latest first, empty ones last. */
struct cache_line {
    uint64_t number;  /* address / line_bytes */
    uint32_t sectors; /* bit i: sector i is present (or on its way); 0: the line is empty */
    uint32_t dirty;   /* bit i: sector i was written and not written back */
};

struct cache {
    struct cache_index index;
    uint32_t ways;
    struct cache_line *lines; /* ways of set 0, ways of set 1, ... */
};

/* An empty cache whose lines come from `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status cache_init(struct cache *cache, const struct cache_geometry *geometry, struct arena *arena);

/* Empties it; nothing is written back. */
void cache_clear(struct cache *cache);

/* The set of an address. */
static inline uint32_t cache_set_of(const struct cache *cache, uint64_t address) {
    return cache_set_of_line(&cache->index, cache_line_number(&cache->index, address));
}

/* Whether a request's sector is present; changes nothing. */
bool cache_has(const struct cache *cache, uint64_t address);

/* What an access did. */
struct cache_outcome {
    bool hit;
    bool evicted; /* a line made room: it is in *victim */
    struct cache_line victim;
};

/* Loads a sector, which is present afterwards, its line the most recently used. A line that was not there
 * takes the place of the least recently used one of its set. */
struct cache_outcome cache_load(struct cache *cache, uint64_t address);

/* Stores under the first level's policy, which never allocates: a line that is there is dropped with all its
 * sectors, or becomes the most recently used. Returns whether the sector was present. */
bool cache_store(struct cache *cache, uint64_t address, enum store_policy policy);

/* Stores under write-back with allocation (second level): the sector becomes present and dirty. */
struct cache_outcome cache_write_back(struct cache *cache, uint64_t address);

/* The line that a load of `address` would evict, or NULL when none has to go. */
const struct cache_line *cache_victim(const struct cache *cache, uint64_t address);

#endif
