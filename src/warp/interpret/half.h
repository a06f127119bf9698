/* Halves of addresses. Where registers have 32 bits, as in machine code, an address stands in two of them,
 * and 64-bit arithmetic is done by halves: the lower ones first, then the upper ones with the carry. What a
 * half is depends on where memory stands, so it is not known; but what the halves give together again may be.
 * A lane with a half therefore is unknown to whoever looks at it, keeps the value that it has in this run,
 * and `struct half` says what that value is of.
 *
 * Let E be base + n or n - base (HOME_NEGATED) in 64 bits, where base is where the region stands, a multiple
 * of 256, and n a number, the same wherever that is. Then the lane is
 *
 *     HALF_LOW       the lower half of E
 *     HALF_HIGH      the upper half of E, of which a is the lower half
 *     HALF_CARRY     1 if a + k is 2^32 or more, b = a + k: a is the lower half of E, k some number
 *     HALF_BORROW    the opposite of that (PTX: sub.cc computes a + ~b + 1)
 *     HALF_CARRIES   1 if a + b + k is 2^32 or more: a is the lower half of base + n, b that of n' - base
 *     HALF_BORROWS   the opposite of that
 *     HALF_COMPARED  whether a is less than b (or greater, equal ...), unsigned: lower halves of two such E,
 * or one of them a number
 *
 * Whether two lower halves are those of the same E shows in this run: both are the lower half of base + n, of
 * one region, so they are equal here exactly if their n are equal modulo 2^32, and then they are equal
 * wherever the region stands. (The lowest 8 bits may differ: they are numbers, and no carry comes from them
 * to the base.) So an upper half and a carry that name the same lower half add up to the upper half of E + k,
 * and an upper and a lower half to E, for every placement; whatever else is made of halves is not known, and
 * nothing is said of it. */
#ifndef WB_WARP_INTERPRET_HALF_H
#define WB_WARP_INTERPRET_HALF_H

#include "warp/interpret/home.h"

static inline struct half half_make(enum half_kind kind, uint64_t home, uint32_t a, uint32_t b) {
    return (struct half){.home = home | (uint64_t)kind << HALF_KIND_SHIFT, .a = a, .b = b};
}

/* What an instruction gives in some lanes: those that are known, though some source is a half, and those that
 * are halves. */
struct half_lanes {
    uint32_t known, halved;
    struct half_lanes_of half;
};

/* Notes in a register that was just written which lanes are halves; they must not be known. */
void half_write(struct lanes *out, const struct half_lanes *halves);

/* What an instruction that computes a value of 32 bits in each lane gives, in the lanes of `mask`, in some of
 * which a source is a half. The destination is not written yet. */
void half_of_result(const struct warp *warp, const struct micro *op, uint32_t mask, struct half_lanes *out);

/* What a comparison of 32 bits gives, as far as it is one of lower halves; in *opposite the same of the
 * second predicate. */
void half_of_comparison(const struct warp *warp, const struct micro *op, uint32_t mask,
                        struct half_lanes *out, struct half_lanes *opposite);

/* The lanes of `mask` in which a comparison of upper halves (machine.setp) is known though its sources are
 * halves. */
uint32_t half_comparison_known(const struct warp *warp, const struct micro *op, uint32_t mask);

/* A term of a sum by halves. */
struct half_term {
    uint32_t value;
    bool known;       /* a number */
    struct half half; /* if not: HALF_NONE of one of which nothing is known */
};

struct half_sum {
    uint32_t value;
    bool known;
    struct half half;
    uint32_t carries; /* 0, 1, 2: the sum divided by 2^32 */
    struct {
        bool known;
        struct half half;
    } carry[2]; /* whether carries are 1, and 2, at least */
};

/* A source of 32 bits, a carry, in a lane, as a term. */
static inline struct half_term half_term_of(const struct lanes *lanes, uint32_t lane) {
    struct half_term term = {.value = (uint32_t)lanes->value[lane], .known = (lanes->known >> lane & 1) != 0};
    if ((lanes_halves(lanes) >> lane & 1) != 0) term.half = half_get(&lanes->half, lane);
    return term;
}
struct half_term half_carry_of(const struct lanes *lanes, uint32_t lane, bool negated);

/* The complement of a word; the carry that is there when the other is not. */
struct half_term half_inverted(struct half_term term);
void half_opposite(struct half *carry);

/* What all lanes of `mask` are halves of, with the kind, as in struct half; 0: they are not, or of different
 * ones. */
uint64_t half_common(const struct lanes *lanes, uint32_t mask);

/* Whether two lower halves of one region's addresses are of the same one, but for the lowest bits. */
static inline bool half_same_low(uint32_t a, uint32_t b) {
    return (a ^ b) / HOME_ALIGN == 0;
}

/* Adds `count` terms, carries among them. */
void half_add(const struct half_term *terms, uint32_t count, struct half_sum *sum);

/* The home of the address that a lower and an upper half make: HOME_NONE of numbers. False: not known. */
bool half_join(const struct half_term *low, const struct half_term *high, uint64_t *home);

/* The halves of an address with a home in one lane. */
struct half half_low(uint64_t home);
struct half half_high(uint64_t home, uint64_t address);

#endif
