#include "memory/caches/caches.h"

#include <assert.h>
#include <string.h>

static uint32_t logarithm(uint32_t power_of_two) {
    return (uint32_t)__builtin_ctz(power_of_two);
}

struct cache_index cache_index_of(const struct cache_geometry *geometry) {
    struct cache_index index = {
        .set_count = geometry->bytes / (geometry->ways * geometry->line_bytes),
        .line_shift = logarithm(geometry->line_bytes),
        .sector_shift = logarithm(geometry->sector_bytes),
        .sector_mask = geometry->line_bytes / geometry->sector_bytes - 1,
        .hashed = geometry->hashed,
    };
    index.power_of_two = (index.set_count & (index.set_count - 1)) == 0;
    if (index.power_of_two) index.set_bits = logarithm(index.set_count);
    return index;
}

/* The exclusive or of the digits of `line` in base 2^bits: each step folds twice as many of them. */
static uint32_t folded_bits(uint64_t line, uint32_t bits) {
    if (bits == 0) return 0;
    for (uint32_t shift = bits; shift < 64; shift *= 2)
        line ^= line >> shift;
    return (uint32_t)(line & ((UINT64_C(1) << bits) - 1));
}

/* The sum of the digits of `line` in base `base`, modulo `base`: what exclusive or is to powers of two. */
static uint32_t folded_digits(uint64_t line, uint32_t base) {
    uint64_t sum = 0;
    for (; line != 0; line /= base)
        sum += line % base;
    return (uint32_t)(sum % base);
}

uint32_t cache_hashed_set(const struct cache_index *index, uint64_t line) {
    return index->power_of_two ? folded_bits(line, index->set_bits) : folded_digits(line, index->set_count);
}

wb_status cache_init(struct cache *cache, const struct cache_geometry *geometry, struct arena *arena) {
    cache->index = cache_index_of(geometry);
    cache->ways = geometry->ways;
    cache->lines = arena_array(arena, (size_t)cache->index.set_count * cache->ways, sizeof *cache->lines);
    return cache->lines == NULL ? WB_ERR_LIMIT : WB_OK;
}

void cache_clear(struct cache *cache) {
    memset(cache->lines, 0, (size_t)cache->index.set_count * cache->ways * sizeof *cache->lines);
}

static struct cache_line *set_lines(const struct cache *cache, uint64_t number) {
    return cache->lines + (size_t)cache_set_of_line(&cache->index, number) * cache->ways;
}

/* The way that holds a line, or the first empty one, or `ways`. */
static uint32_t find_way(const struct cache *cache, const struct cache_line *set, uint64_t number) {
    uint32_t way = 0;
    while (way < cache->ways && set[way].sectors != 0 && set[way].number != number)
        way++;
    return way;
}

/* Makes the line of a way the most recently used of its set. */
static void move_to_front(struct cache_line *set, uint32_t way) {
    struct cache_line moved = set[way];
    memmove(set + 1, set, way * sizeof *set);
    set[0] = moved;
}

/* Makes a line the most recently used; one that is not there comes in without sectors, and outcome->evicted
 * says whether another had to go. */
static struct cache_line *bring_to_front(struct cache *cache, uint64_t number,
                                         struct cache_outcome *outcome) {
    struct cache_line *set = set_lines(cache, number);
    if (set[0].number == number) return set;
    uint32_t way = find_way(cache, set, number);
    if (way == cache->ways) {
        way--;
        outcome->evicted = true;
        outcome->victim = set[way];
        set[way] = (struct cache_line){0};
    }
    move_to_front(set, way);
    set[0].number = number;
    return set;
}

bool cache_has(const struct cache *cache, uint64_t address) {
    uint64_t number = cache_line_number(&cache->index, address);
    const struct cache_line *set = set_lines(cache, number);
    uint32_t way = find_way(cache, set, number);
    return way < cache->ways && (set[way].sectors & cache_sector_bit(&cache->index, address)) != 0;
}

struct cache_outcome cache_load(struct cache *cache, uint64_t address) {
    struct cache_outcome outcome = {0};
    uint32_t sector = cache_sector_bit(&cache->index, address);
    struct cache_line *line = bring_to_front(cache, cache_line_number(&cache->index, address), &outcome);
    outcome.hit = (line->sectors & sector) != 0;
    line->sectors |= sector;
    return outcome;
}

bool cache_store(struct cache *cache, uint64_t address, enum store_policy policy) {
    uint64_t number = cache_line_number(&cache->index, address);
    struct cache_line *set = set_lines(cache, number);
    uint32_t way = find_way(cache, set, number);
    assert(way <= cache->ways);
    if (way == cache->ways || set[way].sectors == 0) return false;
    bool present = (set[way].sectors & cache_sector_bit(&cache->index, address)) != 0;
    if (policy == STORE_UPDATES) {
        move_to_front(set, way);
        return present;
    }
    memmove(set + way, set + way + 1, (cache->ways - way - 1) * sizeof *set);
    set[cache->ways - 1] = (struct cache_line){0};
    return present;
}

struct cache_outcome cache_write_back(struct cache *cache, uint64_t address) {
    struct cache_outcome outcome = cache_load(cache, address);
    set_lines(cache, cache_line_number(&cache->index, address))->dirty |=
        cache_sector_bit(&cache->index, address);
    return outcome;
}

const struct cache_line *cache_victim(const struct cache *cache, uint64_t address) {
    uint64_t number = cache_line_number(&cache->index, address);
    const struct cache_line *set = set_lines(cache, number);
    return find_way(cache, set, number) == cache->ways ? set + cache->ways - 1 : NULL;
}
