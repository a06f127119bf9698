#include "naive_cache.h"

#include <stdlib.h>
#include <string.h>

#include "memory/caches/caches.h"

void naive_cache_begin(struct naive_cache *cache, const struct cache_geometry *geometry, uint32_t parts) {
    cache->geometry = geometry;
    cache->set_count = geometry->bytes / parts / geometry->ways / geometry->line_bytes;
    cache->sets = calloc(cache->set_count, sizeof *cache->sets);
}

/* The index functions are those of the library: what is in question here is their use. */
static struct cache_set *set_of(const struct naive_cache *cache, uint64_t number) {
    struct cache_geometry geometry = *cache->geometry;
    geometry.bytes = cache->set_count * geometry.ways * geometry.line_bytes;
    struct cache_index index = cache_index_of(&geometry);
    return &cache->sets[cache_set_of_line(&index, number)];
}

static uint64_t line_of(const struct naive_cache *cache, uint64_t address) {
    return address / cache->geometry->line_bytes;
}

uint32_t naive_sector(const struct naive_cache *cache, uint64_t address) {
    return (uint32_t)(address % cache->geometry->line_bytes / cache->geometry->sector_bytes);
}

struct naive_line *naive_line(const struct naive_cache *cache, uint64_t address) {
    struct cache_set *set = set_of(cache, line_of(cache, address));
    for (size_t i = 0; i < set->lines.count; i++) {
        if (set->lines.items[i].number == line_of(cache, address)) return &set->lines.items[i];
    }
    return NULL;
}

bool naive_has_sector(const struct naive_cache *cache, uint64_t address) {
    const struct naive_line *line = naive_line(cache, address);
    return line != NULL && line->present[naive_sector(cache, address)];
}

void naive_drop_line(const struct naive_cache *cache, uint64_t address) {
    struct cache_set *set = set_of(cache, line_of(cache, address));
    struct naive_line *line = naive_line(cache, address);
    if (line == NULL) return;
    size_t at = (size_t)(line - set->lines.items);
    memmove(line, line + 1, (set->lines.count - at - 1) * sizeof *line);
    set->lines.count--;
}

/* The line that would have to go, or NULL. */
struct naive_line *naive_victim(const struct naive_cache *cache, uint64_t address) {
    struct cache_set *set = set_of(cache, line_of(cache, address));
    if (naive_line(cache, address) != NULL || set->lines.count < cache->geometry->ways) return NULL;
    return &set->lines.items[0];
}

/* Makes the line the most recently used, new or not. */
struct naive_line *naive_use_line(const struct naive_cache *cache, uint64_t address) {
    struct cache_set *set = set_of(cache, line_of(cache, address));
    const struct naive_line *found = naive_line(cache, address), *victim = naive_victim(cache, address);
    struct naive_line line = {.number = line_of(cache, address)};
    if (found != NULL) line = *found;
    if (victim != NULL) naive_drop_line(cache, victim->number * cache->geometry->line_bytes);
    naive_drop_line(cache, address);
    if (vec_push(&set->lines, line) != WB_OK) abort();
    return &set->lines.items[set->lines.count - 1];
}

uint64_t naive_sector_number(const struct naive_cache *cache, uint64_t address) {
    return address / cache->geometry->sector_bytes;
}

void naive_cache_end(struct naive_cache *cache) {
    for (uint32_t s = 0; s < cache->set_count; s++)
        vec_free(&cache->sets[s].lines);
    free(cache->sets);
}
