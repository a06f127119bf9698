#include "flow/value_range.h"

typedef unsigned __int128 wide;

/* 2^bits. */
static wide circle(uint32_t bits) {
    return (wide)1 << bits;
}

/* a % b; division of 64 bits takes a fraction of the time. */
static wide remainder_of(wide a, wide b) {
    if ((a | b) >> 64 == 0) return (uint64_t)a % (uint64_t)b;
    return a % b;
}

unsigned __int128 range_gcd(unsigned __int128 a, unsigned __int128 b) {
    while (b != 0) {
        wide rest = remainder_of(a, b);
        a = b;
        b = rest;
    }
    return a;
}

/* The largest power of two that divides x, at most 2^limit. */
static wide power_of_two_in(wide x, uint32_t limit) {
    wide power = x & (0 - x);
    return power == 0 || power > circle(limit) ? circle(limit) : power;
}

/* The words low + i * stride up to low + span. Where these go round the whole circle, only the power of two
 * in the stride still divides their differences: it divides 2^bits, too. */
static struct value_range make(uint32_t bits, uint64_t low, wide span, wide stride) {
    struct value_range range = {.low = low & word_mask(bits), .bits = (uint8_t)bits};
    if (stride == 0 || span < stride) return range;
    span -= remainder_of(span, stride);
    wide power = power_of_two_in(stride, bits);
    if (span >= circle(bits) || (stride == power && span + stride >= circle(bits))) {
        stride = power;
        span = circle(bits) - power;
        range.low &= (uint64_t)(power - 1);
    }
    range.span = (uint64_t)span;
    range.stride = span == 0 ? 0 : (uint64_t)stride;
    return range;
}

struct value_range range_full(uint32_t bits) {
    return make(bits, 0, word_mask(bits), 1);
}

struct value_range range_empty(uint32_t bits) {
    return (struct value_range){.bits = (uint8_t)bits, .empty = true};
}

struct value_range range_single(uint32_t bits, uint64_t word) {
    return make(bits, word, 0, 0);
}

struct value_range range_of(uint32_t bits, __int128 low, __int128 high, unsigned __int128 stride) {
    return make(bits, (uint64_t)low, (wide)high - (wide)low, stride);
}

bool range_is_single(const struct value_range *range) {
    return !range->empty && range->span == 0;
}

bool range_is_full(const struct value_range *range) {
    return !range->empty && range->span == word_mask(range->bits);
}

bool range_equal(const struct value_range *a, const struct value_range *b) {
    if (a->empty || b->empty) return a->empty == b->empty;
    return a->low == b->low && a->span == b->span && a->stride == b->stride;
}

bool range_contains(const struct value_range *range, uint64_t word) {
    uint64_t offset = (word - range->low) & word_mask(range->bits);
    if (range->empty || offset > range->span) return false;
    return offset == 0 || offset % range->stride == 0;
}

/* Signed order is unsigned order of words that are shifted by half the circle. */
struct integers range_integers(const struct value_range *range, bool is_signed) {
    uint64_t mask = word_mask(range->bits);
    uint64_t half = is_signed ? (mask >> 1) + 1 : 0;
    uint64_t start = (range->low + half) & mask;
    struct integers result = {start, (__int128)start + range->span, range->stride};
    if (range->stride != 0 && result.high > (__int128)mask) {
        uint64_t before = (mask - start) / range->stride; /* elements in front of the one behind 2^bits */
        result.low = (__int128)start + (__int128)(before + 1) * range->stride - (__int128)mask - 1;
        result.high = (__int128)start + (__int128)before * range->stride;
        result.stride = (uint64_t)power_of_two_in(range->stride, range->bits);
    }
    result.low -= half;
    result.high -= half;
    return result;
}

/* The arc from a's first element over all of both, going up from a; false when that is the whole circle. */
static bool arc_from(const struct value_range *a, const struct value_range *b, wide *span, wide *stride) {
    uint64_t distance = (b->low - a->low) & word_mask(a->bits);
    wide end = (wide)distance + b->span;
    *span = end > a->span ? end : a->span;
    *stride = range_gcd(range_gcd(a->stride, b->stride), distance);
    return *span < circle(a->bits);
}

struct value_range range_join(const struct value_range *a, const struct value_range *b) {
    if (a->empty) return *b;
    if (b->empty) return *a;
    wide up_span, down_span, up_stride, down_stride;
    bool up = arc_from(a, b, &up_span, &up_stride), down = arc_from(b, a, &down_span, &down_stride);
    if (up && (!down || up_span <= down_span)) return make(a->bits, a->low, up_span, up_stride);
    if (down) return make(a->bits, b->low, down_span, down_stride);
    return make(a->bits, a->low, circle(a->bits), power_of_two_in(up_stride, a->bits));
}

/* The elements of `range` at offsets [first, last] from its first one. */
static struct value_range cut(const struct value_range *range, wide first, wide last) {
    wide stride = range->stride == 0 ? 1 : range->stride;
    if (last > range->span) last = range->span;
    first += (stride - first % stride) % stride;
    if (first > last) return range_empty(range->bits);
    return make(range->bits, range->low + (uint64_t)first, last - first, range->stride);
}

/* The elements of the first range that the arc of the second can have, its stride left out. When these lie at
 * both ends of the first, and not between, the whole of the smaller range is taken. */
static struct value_range meet_arcs(const struct value_range *a, const struct value_range *b) {
    wide distance = (b->low - a->low) & word_mask(a->bits);
    wide end = distance + b->span;
    bool front = end >= circle(a->bits), back = distance <= a->span;
    if (front && back) return a->span <= b->span ? *a : *b;
    if (front) return cut(a, 0, end - circle(a->bits));
    if (back) return cut(a, distance, end);
    return range_empty(a->bits);
}

struct value_range range_meet(const struct value_range *a, const struct value_range *b) {
    if (a->empty || range_is_full(b)) return *a;
    if (b->empty || range_is_full(a)) return *b;
    if (a->span == 0) return range_contains(b, a->low) ? *a : range_empty(a->bits);
    if (b->span == 0) return range_contains(a, b->low) ? *b : range_empty(a->bits);
    /* Elements of the range with the wider stride: there are fewer of them. */
    struct value_range result = a->stride >= b->stride ? meet_arcs(a, b) : meet_arcs(b, a);
    if (range_is_single(&result) && !(range_contains(a, result.low) && range_contains(b, result.low)))
        return range_empty(a->bits);
    uint64_t common = (uint64_t)power_of_two_in(range_gcd(a->stride, b->stride), a->bits);
    return ((a->low ^ b->low) & (common - 1)) != 0 ? range_empty(a->bits) : result;
}

/* The words whose integers are in [low, high]: none when that is empty. */
static struct value_range interval(uint32_t bits, __int128 low, __int128 high) {
    return low > high ? range_empty(bits) : range_of(bits, low, high, 1);
}

struct value_range range_related(enum relation relation, bool is_signed, const struct value_range *other) {
    uint32_t bits = other->bits;
    if (other->empty || relation == RELATION_EQ) return *other;
    if (relation == RELATION_NE) {
        if (other->span != 0) return range_full(bits);
        return bits == 1 ? range_single(1, ~other->low) : make(bits, other->low + 1, circle(bits) - 2, 1);
    }
    struct value_range all = range_full(bits);
    struct integers words = range_integers(other, is_signed), every = range_integers(&all, is_signed);
    switch (relation) {
    case RELATION_LT: return interval(bits, every.low, words.high - 1);
    case RELATION_LE: return interval(bits, every.low, words.high);
    case RELATION_GT: return interval(bits, words.low + 1, every.high);
    default: return interval(bits, words.low, every.high);
    }
}

enum relation relation_swapped(enum relation relation) {
    static const enum relation swapped[] = {RELATION_EQ, RELATION_NE, RELATION_GT,
                                            RELATION_GE, RELATION_LT, RELATION_LE};
    return swapped[relation];
}

enum relation relation_negated(enum relation relation) {
    static const enum relation negated[] = {RELATION_NE, RELATION_EQ, RELATION_GE,
                                            RELATION_GT, RELATION_LE, RELATION_LT};
    return negated[relation];
}
