#include "memory/cache_index.h"

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
