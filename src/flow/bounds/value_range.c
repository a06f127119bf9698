#include "flow/bounds/bounds.h"

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

/* The greatest common divisor; of 0 and x it is x. */
static unsigned __int128 range_gcd(unsigned __int128 a, unsigned __int128 b) {
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

/* The elements of the first range that the arc of the second can have, without its stride. When these lie at
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

typedef unsigned __int128 wide;

static __int128 least(__int128 a, __int128 b) {
    return a < b ? a : b;
}

static __int128 most(__int128 a, __int128 b) {
    return a > b ? a : b;
}

static wide magnitude(__int128 x) {
    return x < 0 ? (wide)0 - (wide)x : (wide)x;
}

/* Bits that a number needs, 0 of 0. */
static uint32_t bit_length(wide x) {
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    if (high != 0) return 128 - (uint32_t)__builtin_clzll(high);
    return low == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(low);
}

/* Zero bits that all elements have at the right end. */
static uint32_t trailing_zeros(const struct value_range *range) {
    uint64_t bits = range->low | range->stride;
    return bits == 0 ? range->bits : (uint32_t)__builtin_ctzll(bits);
}

/* On the circle sums of arcs are arcs, whatever wraps. */
struct value_range range_add(const struct value_range *a, const struct value_range *b) {
    if (a->empty || b->empty) return range_empty(a->bits);
    wide span = (wide)a->span + b->span;
    return range_of(a->bits, a->low + b->low, (__int128)(a->low + b->low) + (__int128)span,
                    range_gcd(a->stride, b->stride));
}

struct value_range range_neg(const struct value_range *a) {
    if (a->empty) return *a;
    return range_of(a->bits, -(__int128)(a->low + a->span), -(__int128)(a->low + a->span) + a->span,
                    a->stride);
}

struct value_range range_sub(const struct value_range *a, const struct value_range *b) {
    struct value_range negated = range_neg(b);
    return range_add(a, &negated);
}

struct value_range range_not(const struct value_range *a) {
    struct value_range minus_one = range_single(a->bits, UINT64_MAX), negated = range_neg(a);
    return range_add(&negated, &minus_one);
}

struct value_range range_abs(const struct value_range *a) {
    if (a->empty) return *a;
    struct integers x = range_integers(a, true);
    if (x.low >= 0) return *a;
    if (x.high <= 0) return range_neg(a);
    return range_of(a->bits, 0, most(-x.low, x.high), 1);
}

/* a * factor, the factor taken with the sign that makes it small. */
static struct value_range scale(const struct value_range *a, uint64_t factor) {
    uint64_t mask = word_mask(a->bits);
    if (factor > (mask >> 1) + 1) {
        struct value_range positive = scale(a, (0 - factor) & mask);
        return range_neg(&positive);
    }
    if (factor == 0 || a->span == 0) return range_single(a->bits, a->low * factor);
    wide span = (wide)a->span * factor, stride = (wide)a->stride * factor;
    if (span <= mask)
        return range_of(a->bits, a->low * factor, (__int128)(a->low * factor) + (__int128)span, stride);
    uint32_t zeros = (uint32_t)(__builtin_ctzll(a->stride) + __builtin_ctzll(factor));
    if (zeros >= a->bits) return range_single(a->bits, a->low * factor);
    return range_of(a->bits, a->low * factor, (__int128)(a->low * factor) + mask, (wide)1 << zeros);
}

/* The integers that products are among; false when they may not fit. */
static bool multiply(struct integers x, struct integers y, __int128 *low, __int128 *high, wide *stride) {
    uint32_t x_bits = bit_length((wide)most(magnitude(x.low), magnitude(x.high)));
    uint32_t y_bits = bit_length((wide)most(magnitude(y.low), magnitude(y.high)));
    if (x_bits + y_bits > 126) return false;
    __int128 a = x.low * y.low, b = x.low * y.high, c = x.high * y.low, d = x.high * y.high;
    *low = least(least(a, b), least(c, d));
    *high = most(most(a, b), most(c, d));
    /* (x0 + i s)(y0 + j t) = x0 y0 + j x0 t + i y0 s + i j s t */
    *stride = range_gcd(range_gcd(magnitude(x.low) * y.stride, magnitude(y.low) * x.stride),
                        (wide)x.stride * y.stride);
    return true;
}

/* Products modulo 2^bits are the same of signed and unsigned words: the better of both ways to see them. */
struct value_range range_mul(const struct value_range *a, const struct value_range *b) {
    if (a->empty || b->empty) return range_empty(a->bits);
    if (b->span == 0) return scale(a, b->low);
    if (a->span == 0) return scale(b, a->low);
    struct value_range best = range_full(a->bits);
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        __int128 low, high;
        wide stride;
        if (!multiply(range_integers(a, is_signed), range_integers(b, is_signed), &low, &high, &stride))
            continue;
        struct value_range result = range_of(a->bits, low, high, stride);
        if (result.span < best.span) best = result;
    }
    return best;
}

struct value_range range_mul_wide(const struct value_range *a, const struct value_range *b, bool is_signed) {
    uint32_t bits = 2u * a->bits;
    struct value_range x = range_extend(a, bits, is_signed), y = range_extend(b, bits, is_signed);
    return range_mul(&x, &y);
}

struct value_range range_mul_high(const struct value_range *a, const struct value_range *b, bool is_signed) {
    if (a->empty || b->empty) return range_empty(a->bits);
    __int128 low, high;
    wide stride;
    if (!multiply(range_integers(a, is_signed), range_integers(b, is_signed), &low, &high, &stride))
        return range_full(a->bits);
    return range_of(a->bits, low >> a->bits, high >> a->bits, 1);
}

/* Quotients are monotone in each operand as long as the divisor keeps its sign: the extremes are at the ends.
 */
struct value_range range_div(const struct value_range *a, const struct value_range *b, bool is_signed) {
    if (a->empty || b->empty) return range_empty(a->bits);
    struct integers x = range_integers(a, is_signed), y = range_integers(b, is_signed);
    if (y.low <= 0 && y.high >= 0) return range_full(a->bits);
    __int128 p = x.low / y.low, q = x.low / y.high, r = x.high / y.low, s = x.high / y.high;
    bool exact = y.low == y.high && y.low > 0 && x.low % y.low == 0 && x.stride % (wide)y.low == 0;
    return range_of(a->bits, least(least(p, q), least(r, s)), most(most(p, q), most(r, s)),
                    exact ? x.stride / (wide)y.low : 1);
}

/* A remainder has the dividend's sign, and is smaller than the divisor. */
struct value_range range_rem(const struct value_range *a, const struct value_range *b, bool is_signed) {
    if (a->empty || b->empty) return range_empty(a->bits);
    struct integers x = range_integers(a, is_signed), y = range_integers(b, is_signed);
    if (y.low <= 0 && y.high >= 0) return range_full(a->bits);
    __int128 limit = most(magnitude(y.low), magnitude(y.high)) - 1;
    __int128 safe = least(magnitude(y.low), magnitude(y.high)) - 1;
    if (x.low >= -safe && x.high <= safe) return *a;
    return range_of(a->bits, x.low < 0 ? most(x.low, -limit) : 0, x.high > 0 ? least(x.high, limit) : 0, 1);
}

/* Shift amounts, at most the width. */
static void amounts(const struct value_range *amount, uint32_t width, uint32_t *fewest, uint32_t *greatest) {
    struct integers words = range_integers(amount, false);
    *fewest = words.low > width ? width : (uint32_t)words.low;
    *greatest = words.high > width ? width : (uint32_t)words.high;
}

struct value_range range_shl(const struct value_range *a, const struct value_range *amount) {
    if (a->empty || amount->empty) return range_empty(a->bits);
    uint32_t fewest, greatest;
    amounts(amount, a->bits, &fewest, &greatest);
    if (fewest == a->bits) return range_single(a->bits, 0);
    if (fewest == greatest) return scale(a, UINT64_C(1) << fewest);
    struct integers words = range_integers(a, false);
    __int128 high =
        bit_length((wide)words.high) + greatest > 126 ? (__int128)1 << 126 : words.high << greatest;
    return range_of(a->bits, words.low << fewest, high, (wide)1 << fewest);
}

struct value_range range_shr(const struct value_range *a, const struct value_range *amount, bool is_signed) {
    if (a->empty || amount->empty) return range_empty(a->bits);
    uint32_t fewest, greatest;
    amounts(amount, a->bits, &fewest, &greatest);
    struct integers words = range_integers(a, is_signed);
    __int128 low = words.low >> (words.low < 0 ? fewest : greatest);
    __int128 high = words.high >> (words.high < 0 ? greatest : fewest);
    wide unit = (wide)1 << fewest;
    bool exact = fewest == greatest && words.stride % unit == 0;
    return range_of(a->bits, low, high, exact ? words.stride / unit : 1);
}

/* x & (2^k - 1): the arc itself inside of one period of 2^k; else all that keeps the low bits common to x. */
static struct value_range and_low_mask(const struct value_range *a, uint64_t mask) {
    uint64_t low = a->low & mask;
    if (a->span <= mask - low) return range_of(a->bits, low, (__int128)low + a->span, a->stride);
    uint64_t power = a->stride & (0 - a->stride);
    if (power > mask) return range_single(a->bits, low);
    return range_of(a->bits, low & (power - 1), mask, power);
}

/* x & ~(2^k - 1): rounding down keeps the order along the circle, as 2^k divides 2^bits. */
static struct value_range and_high_mask(const struct value_range *a, uint64_t unit) {
    wide end = (wide)a->low + a->span;
    uint64_t low = a->low - a->low % unit;
    return range_of(a->bits, low, (__int128)(end - end % unit), a->stride % unit == 0 ? a->stride : unit);
}

struct value_range range_and(const struct value_range *a, const struct value_range *b) {
    if (a->empty || b->empty) return range_empty(a->bits);
    if (a->span == 0 && b->span == 0) return range_single(a->bits, a->low & b->low);
    if (a->span == 0) return range_and(b, a);
    uint64_t mask = word_mask(a->bits);
    if (b->span == 0 && b->low == 0) return *b;
    if (b->span == 0 && b->low == mask) return *a;
    if (b->span == 0 && (b->low & (b->low + 1)) == 0) return and_low_mask(a, b->low);
    uint64_t rest = ~b->low & mask;
    if (b->span == 0 && (rest & (rest + 1)) == 0) return and_high_mask(a, rest + 1);
    uint32_t zeros = trailing_zeros(a) > trailing_zeros(b) ? trailing_zeros(a) : trailing_zeros(b);
    __int128 high = least(range_integers(a, false).high, range_integers(b, false).high);
    return range_of(a->bits, 0, high, (wide)1 << zeros);
}

/* When one operand has zeros wherever the other may have ones, `or` and `xor` add. */
static bool disjoint(const struct value_range *a, const struct value_range *b) {
    return bit_length((wide)range_integers(b, false).high) <= trailing_zeros(a) ||
           bit_length((wide)range_integers(a, false).high) <= trailing_zeros(b);
}

/* Both keep the zeros that the operands share at the right end, and grow no longer than the longer one. */
static struct value_range or_like(const struct value_range *a, const struct value_range *b, bool is_or) {
    if (disjoint(a, b)) return range_add(a, b);
    struct integers x = range_integers(a, false), y = range_integers(b, false);
    uint32_t zeros = trailing_zeros(a) < trailing_zeros(b) ? trailing_zeros(a) : trailing_zeros(b);
    __int128 high = ((__int128)1 << bit_length((wide)most(x.high, y.high))) - 1;
    return range_of(a->bits, is_or ? most(x.low, y.low) : 0, high, (wide)1 << zeros);
}

struct value_range range_or(const struct value_range *a, const struct value_range *b) {
    if (a->empty || b->empty) return range_empty(a->bits);
    if (a->span == 0 && b->span == 0) return range_single(a->bits, a->low | b->low);
    return or_like(a, b, true);
}

struct value_range range_xor(const struct value_range *a, const struct value_range *b) {
    if (a->empty || b->empty) return range_empty(a->bits);
    if (a->span == 0 && b->span == 0) return range_single(a->bits, a->low ^ b->low);
    if (b->span == 0 && b->low == word_mask(b->bits)) return range_not(a);
    if (a->span == 0 && a->low == word_mask(a->bits)) return range_not(b);
    return or_like(a, b, false);
}

struct value_range range_min(const struct value_range *a, const struct value_range *b, bool is_signed) {
    if (a->empty || b->empty) return range_empty(a->bits);
    struct integers x = range_integers(a, is_signed), y = range_integers(b, is_signed);
    wide stride = range_gcd(range_gcd(x.stride, y.stride), magnitude(x.low - y.low));
    return range_of(a->bits, least(x.low, y.low), least(x.high, y.high), stride);
}

struct value_range range_max(const struct value_range *a, const struct value_range *b, bool is_signed) {
    if (a->empty || b->empty) return range_empty(a->bits);
    struct integers x = range_integers(a, is_signed), y = range_integers(b, is_signed);
    wide stride = range_gcd(range_gcd(x.stride, y.stride), magnitude(x.low - y.low));
    return range_of(a->bits, most(x.low, y.low), most(x.high, y.high), stride);
}

struct value_range range_extend(const struct value_range *a, uint32_t bits, bool is_signed) {
    if (a->empty) return range_empty(bits);
    if (bits <= a->bits) return range_of(bits, a->low, (__int128)a->low + a->span, a->stride);
    struct integers words = range_integers(a, is_signed);
    return range_of(bits, words.low, words.high, words.stride);
}
