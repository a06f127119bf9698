/* What of an address does not depend on where buffers and variables stand in memory. A register of addresses
 * has a base region: the region of global memory that they point into. An address plus a number, and the
 * difference of two addresses of one base region, are what they are wherever that region stands; what else is
 * made of addresses (their order, their bits) is left open (execute.h). Addresses of other state spaces are
 * numbers. */
#ifndef WB_WARP_INTERPRET_BASE_REGION_H
#define WB_WARP_INTERPRET_BASE_REGION_H

#include "warp/interpret/execute.h"
#include "warp/interpret/warp.h"

/* Regions start at multiples of this: an address says as much modulo it wherever they stand. */
#define BASE_REGION_ALIGN 256u

/* Homes are the starts of regions, or one of these. */
#define BASE_REGION_NONE 0    /* numbers */
#define BASE_REGION_SEVERAL 2 /* addresses of several regions */
#define BASE_REGION_NEGATED 1 /* added to a base region: numbers minus addresses */

enum half_kind {
    HALF_NONE,
    HALF_LOW,
    HALF_HIGH,
    HALF_CARRY,
    HALF_BORROW,
    HALF_CARRIES,
    HALF_BORROWS,
    HALF_COMPARED
};

/* The kind of a half of an address stands in bits of its base region that regions do not have. */
#define HALF_KIND_SHIFT 2u

static inline enum half_kind half_kind(const struct half *half) {
    return (enum half_kind)(half->base_region >> HALF_KIND_SHIFT & 7);
}

/* The region, with BASE_REGION_NEGATED. */
static inline uint64_t half_base_region(const struct half *half) {
    return half->base_region & ~(UINT64_C(7) << HALF_KIND_SHIFT);
}

/* The base region of a register some lanes of which have one base region and others the other: numbers among
 * addresses are null. */
static inline uint64_t base_region_joined(uint64_t a, uint64_t b) {
    return a == b || b == BASE_REGION_NONE ? a : a == BASE_REGION_NONE ? b : BASE_REGION_SEVERAL;
}

/* Writes the base region of the lanes of `mask` of a register. */
static inline void base_region_write(const struct warp *warp, struct lanes *out, uint32_t mask,
                                     uint64_t base_region) {
    /* Of machine code, only temporaries have base regions, and nobody reads their other lanes. */
    const bool whole = mask == warp->live || warp->run->module->code != NULL;
    out->base_region = whole ? base_region : base_region_joined(out->base_region, base_region);
    out->numbers = 0;
}

/* The base region of a value that is read as an address from memory. */
uint64_t base_region_of_value(const struct run *run, uint64_t value);

/* The base region of what an instruction computes from sources with `base regions`, some of which are not
 * BASE_REGION_NONE, in the lanes of `mask`, in which all are known. False: the result depends on where memory
 * stands. */
bool base_region_of_result(const struct run *run, const struct micro *op, const uint64_t *const *values,
                           const uint64_t *base_regions, uint32_t mask, uint64_t *base_region);

/* The lanes of `mask` in which a comparison of two values, of which one has a base region at least, does not
 * depend on where memory stands. */
uint32_t base_region_comparable(const struct run *run, const struct micro *op, const uint64_t *const *values,
                                const uint64_t *base_regions, uint32_t mask);

/* Whether a comparison of two values, given with their base regions, does not. */
bool base_region_lane_comparable(const struct run *run, const struct micro *op, uint64_t a,
                                 uint64_t base_region_a, uint64_t b, uint64_t base_region_b);

/* The region that several lanes are made from: nothing was looked at yet. */
#define BASE_REGION_NO_LANES BASE_REGION_SEVERAL

/* The region that all addresses in the lanes of `mask` are made from, together with those looked at before
 * (*base region); BASE_REGION_NONE where there is no such region. Where they are not known that says, as
 * addresses stay inside of what they are made from, which memory they are in. */
void base_region_of_lanes(const struct run *run, const struct lanes *lanes, uint32_t mask,
                          uint64_t *base_region);

/* The same of what an instruction computes in lanes that are not known. */
uint64_t base_region_of_unknown(const struct warp *warp, const struct micro *op, uint32_t mask);

/* Whether a lane of a register can be stored in so many bytes: a load finds the base region of an address
 * again, not that of other numbers that are made of one, which are left open. */
bool base_region_is_kept(const struct warp *warp, const struct lanes *from, uint32_t lane, uint32_t bytes);

/* Halves of addresses. Where registers have 32 bits, as in machine code, an address stands in two of them,
 * and 64-bit arithmetic is done by halves: the lower ones first, then the upper ones with the carry. What a
 * half is depends on where memory stands, so it is not known; but what the halves give together again may be.
 * A lane with a half therefore is unknown to whoever looks at it, keeps the value that it has in this run,
 * and `struct half` says what that value is of.
 *
 * Let E be base + n or n - base (BASE_REGION_NEGATED) in 64 bits, where base is where the region stands, a
 * multiple of 256, and n a number, the same wherever that is. Then the lane is
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

static inline struct half half_make(enum half_kind kind, uint64_t base_region, uint32_t a, uint32_t b) {
    return (struct half){.base_region = base_region | (uint64_t)kind << HALF_KIND_SHIFT, .a = a, .b = b};
}

/* The result of an instruction in some lanes: those that are known, though some source is a half, and those
 * that are halves. */
struct half_lanes {
    uint32_t known, halved;
    struct half_lanes_of half;
};

/* Notes in a register that was just written which lanes are halves; they must not be known. */
void half_write(struct lanes *out, const struct half_lanes *halves);

/* The result of an instruction that computes a value of 32 bits in each lane, in the lanes of `mask`, in some
 * of which a source is a half. The destination is not written yet. */
void half_of_result(const struct warp *warp, const struct micro *op, uint32_t mask, struct half_lanes *out);

/* The result of a comparison of 32 bits, as far as it is one of lower halves; in *opposite the same of the
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

/* The address that all lanes of `mask` are halves of, with the kind, as in struct half; 0: none, or different
 * ones. */
uint64_t half_common(const struct lanes *lanes, uint32_t mask);

/* Whether two lower halves of one region's addresses are of the same one, but for the lowest bits. */
static inline bool half_same_low(uint32_t a, uint32_t b) {
    return (a ^ b) / BASE_REGION_ALIGN == 0;
}

/* Adds `count` terms, carries among them. */
void half_add(const struct half_term *terms, uint32_t count, struct half_sum *sum);

/* The base region of the address that a lower and an upper half make: BASE_REGION_NONE of numbers. False: not
 * known. */
bool half_join(const struct half_term *low, const struct half_term *high, uint64_t *base_region);

/* The halves of an address with a base region in one lane. */
struct half half_low(uint64_t base_region);
struct half half_high(uint64_t base_region, uint64_t address);

/* Which lanes of a result are known: what executions of all that lanes compute by themselves read, look at
 * and write. */

/* The sources of an instruction. */
struct inputs {
    const struct lanes *lanes[MICRO_SOURCES];
    const uint64_t *values[MICRO_SOURCES];
    uint32_t known;        /* lanes in which all are known */
    uint64_t base_regions; /* not 0: some source has a base region */
    uint32_t halved;       /* lanes in which some source is half of an address */
};

/* Filled in place: as a whole they would go through memory in pieces of other sizes. */
static inline void read_inputs(const struct warp *warp, const struct micro *op, struct inputs *in) {
    in->known = LANES_ALL;
    in->base_regions = 0;
    in->halved = 0;
    for (uint32_t i = 0; i < MICRO_SOURCES; i++) {
        const struct lanes *lanes = warp_slot(warp, op->source[i]);
        in->lanes[i] = lanes;
        in->values[i] = lanes->value;
        in->known &= lanes->known;
        in->base_regions |= lanes->base_region;
        in->halved |= lanes_halves(lanes);
    }
}

/* A predicate, or a comparison: its bits, and the lanes in which they are known. */
struct truth {
    uint32_t bits, known;
};

/* A comparison joined with a predicate by the boolean operation of setp or set. */
struct truth truth_join(uint8_t mode, struct truth a, struct truth b);

/* Takes the lanes of `open` from those that are known, because they depend on where memory stands, unless
 * that is assumed. */
uint32_t settle_open(struct warp *warp, uint32_t known, uint32_t open);

/* The lanes of `mask` whose result is known, though some have unknown operands, and in *origin what made the
 * first of the others unknown. */
uint32_t settle_known(const struct micro *op, const struct inputs *in, uint32_t mask, uint32_t *origin);

/* Marks the lanes of `mask` in a register that was just written. */
static inline void mark_known(struct lanes *out, uint32_t mask, uint32_t known, uint32_t origin) {
    out->known = (out->known & ~mask) | (known & mask);
    if ((mask & ~known) != 0) lanes_unknown_by(out, mask & ~known, origin);
}

/* Writes the lanes of `mask` of a predicate. */
static inline void write_predicate(struct lanes *out, uint32_t mask, uint32_t bits, uint32_t known,
                                   uint32_t origin) {
    out->value[0] = (out->value[0] & ~mask) | (bits & mask);
    mark_known(out, mask, known, origin);
}

/* The region that all unknown lanes of a register are made from once some of `mask` are made from `base
 * region`. */
uint64_t settle_joined_base_region(const struct warp *warp, const struct lanes *out, uint32_t mask,
                                   uint64_t base_region);

/* The same once `lanes` of `mask` have become what an instruction makes of them. */
uint64_t settle_unknown_base_region(const struct warp *warp, const struct micro *op, const struct lanes *out,
                                    uint32_t mask, uint32_t lanes);

#endif
