/* Sets of words of up to 64 bits: arcs of the circle of integers modulo 2^bits, with a stride.
 *
 * An arc does not know of signs: the same one stands for [-3, 5] and for what unsigned instructions take
 * these words for (wrapped intervals: Navas, Schachte, Sondergaard, Stuckey, APLAS 2012). The stride makes it
 * a congruence as well (Granger 1989; strided intervals: Reps, Balakrishnan, Lim, PEPM 2006). Every operation
 * gives a set that contains all that the operation on elements gives: docs/control-flow.md. */
#ifndef WB_FLOW_BOUNDS_VALUE_RANGE_H
#define WB_FLOW_BOUNDS_VALUE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* The words (low + i * stride) mod 2^bits, i = 0 .. span / stride. */
struct value_range {
    uint64_t low;    /* below 2^bits */
    uint64_t span;   /* from the first element up to the last; a multiple of the stride */
    uint64_t stride; /* 0 when there is one element only */
    uint8_t bits;    /* 1 to 64 */
    bool empty;
};

/* The elements as integers, signed or not: all of [low, high] that differ from low by a multiple of stride.
 */
struct integers {
    __int128 low, high;
    uint64_t stride; /* 0 when there is one only */
};

/* How two words compare. Of these the order is that of enum ptx_compare. */
enum relation { RELATION_EQ, RELATION_NE, RELATION_LT, RELATION_LE, RELATION_GT, RELATION_GE };

/* 2^bits - 1. */
static inline uint64_t word_mask(uint32_t bits) {
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* All words; no word; one word, cut to the width. */
struct value_range range_full(uint32_t bits);
struct value_range range_empty(uint32_t bits);
struct value_range range_single(uint32_t bits, uint64_t word);

/* The words of the integers low, low + stride ... up to `high` (at least `low`; stride 0: only low), each
 * taken modulo 2^bits. */
struct value_range range_of(uint32_t bits, __int128 low, __int128 high, unsigned __int128 stride);

/* The least signed and unsigned intervals of integers that the words are in; not of an empty range. */
struct integers range_integers(const struct value_range *range, bool is_signed);

bool range_is_single(const struct value_range *range);
bool range_is_full(const struct value_range *range);
bool range_equal(const struct value_range *a, const struct value_range *b);
bool range_contains(const struct value_range *range, uint64_t word);

/* A range that contains the elements of both, and one that contains what both have in common. */
struct value_range range_join(const struct value_range *a, const struct value_range *b);
struct value_range range_meet(const struct value_range *a, const struct value_range *b);

/* The words that stand in the relation to some word of `other`. */
struct value_range range_related(enum relation relation, bool is_signed, const struct value_range *other);

/* a R b is b relation_swapped(R) a, and not a relation_negated(R) b. */
enum relation relation_swapped(enum relation relation);
enum relation relation_negated(enum relation relation);

/* What integer instructions do to sets of words. Each result contains the words that the instruction gives
 * for any words of the operands, which have one width; results have it, too, unless said otherwise. */

struct value_range range_add(const struct value_range *a, const struct value_range *b);
struct value_range range_sub(const struct value_range *a, const struct value_range *b);
struct value_range range_neg(const struct value_range *a);
struct value_range range_not(const struct value_range *a);
struct value_range range_abs(const struct value_range *a);

/* The low half of the product, the high half, and all of it (twice as wide; of operands of 32 bits or less).
 */
struct value_range range_mul(const struct value_range *a, const struct value_range *b);
struct value_range range_mul_high(const struct value_range *a, const struct value_range *b, bool is_signed);
struct value_range range_mul_wide(const struct value_range *a, const struct value_range *b, bool is_signed);

/* Division by zero may give anything. */
struct value_range range_div(const struct value_range *a, const struct value_range *b, bool is_signed);
struct value_range range_rem(const struct value_range *a, const struct value_range *b, bool is_signed);

/* Shifts by an amount of 32 bits; by the width or more they are shifts by the width. */
struct value_range range_shl(const struct value_range *a, const struct value_range *amount);
struct value_range range_shr(const struct value_range *a, const struct value_range *amount, bool is_signed);

struct value_range range_and(const struct value_range *a, const struct value_range *b);
struct value_range range_or(const struct value_range *a, const struct value_range *b);
struct value_range range_xor(const struct value_range *a, const struct value_range *b);

struct value_range range_min(const struct value_range *a, const struct value_range *b, bool is_signed);
struct value_range range_max(const struct value_range *a, const struct value_range *b, bool is_signed);

/* The low `bits` bits; or, when there are fewer, the word with its sign or zeros in front. */
struct value_range range_extend(const struct value_range *a, uint32_t bits, bool is_signed);

#endif
