/* A cache with lists of lines for sets: for the naive GPU, where nothing has to be fast. */
#ifndef WB_TESTS_NAIVE_CACHE_H
#define WB_TESTS_NAIVE_CACHE_H

#include "base/base.h"
#include "machine/machine.h"

struct naive_line {
    uint64_t number;
    bool present[CACHE_SECTORS_MAX], dirty[CACHE_SECTORS_MAX];
};

/* Its lines, the least recently used first. */
struct cache_set {
    VEC(struct naive_line) lines;
};

struct naive_cache {
    const struct cache_geometry *geometry;
    uint32_t set_count;
    struct cache_set *sets;
};

/* `parts`: into so many caches the geometry is divided. */
void naive_cache_begin(struct naive_cache *cache, const struct cache_geometry *geometry, uint32_t parts);
void naive_cache_end(struct naive_cache *cache);

/* The sector of an address in its line, and counted through all lines. */
uint32_t naive_sector(const struct naive_cache *cache, uint64_t address);
uint64_t naive_sector_number(const struct naive_cache *cache, uint64_t address);

/* The line of an address, or NULL. */
struct naive_line *naive_line(const struct naive_cache *cache, uint64_t address);
bool naive_has_sector(const struct naive_cache *cache, uint64_t address);
void naive_drop_line(const struct naive_cache *cache, uint64_t address);

/* The line that would have to go if that of the address came in, or NULL. */
struct naive_line *naive_victim(const struct naive_cache *cache, uint64_t address);

/* Makes the line of an address the most recently used, new or not. */
struct naive_line *naive_use_line(const struct naive_cache *cache, uint64_t address);

#endif
