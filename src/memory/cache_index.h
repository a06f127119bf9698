/* Which line, sector and set of a cache an address belongs to. */
#ifndef WB_MEMORY_CACHE_INDEX_H
#define WB_MEMORY_CACHE_INDEX_H

#include "machine/memory.h"

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

#endif
