/* One register of a warp: a value per lane, each known or unknown. */
#ifndef WB_WARP_ALU_LANES_H
#define WB_WARP_ALU_LANES_H

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "launch/launch.h"

#define LANES_ALL UINT32_MAX

/* The lowest `count` lanes. */
static inline uint32_t lanes_first(uint32_t count) {
    return count >= WARP_LANES ? LANES_ALL : (1u << count) - 1;
}

/* Origins that are no instruction. */
#define ORIGIN_UNWRITTEN UINT32_MAX /* the register was never written */
#define ORIGIN_READER                                                                                        \
    (UINT32_MAX - 1) /* the source is unknown by nature, as %clock: whoever reads it is the                  \
                        origin of the value */

/* What is known of an unknown lane that holds half of an address, or the carry of one (half.h), or of which
 * single bits are known (partial.h). */
struct half {
    union {
        uint64_t home; /* the region, as in struct lanes, with the kind of half; 0: nothing */
        uint64_t bits; /* single bits: which */
    };
    uint64_t other; /* of a comparison: the home of what it is compared to, and how */
    uint32_t a, b;  /* lower halves, as the kind says */
};

/* That of all lanes, column by column, so that lanes that are alike are written and compared together. */
struct half_lanes_of {
    union {
        uint64_t home[WARP_LANES];
        uint64_t bits[WARP_LANES];
    };
    uint64_t other[WARP_LANES];
    uint32_t a[WARP_LANES], b[WARP_LANES];
};

static inline struct half half_get(const struct half_lanes_of *halves, uint32_t lane) {
    return (struct half){{halves->home[lane]}, halves->other[lane], halves->a[lane], halves->b[lane]};
}

static inline void half_put(struct half_lanes_of *halves, uint32_t lane, const struct half *half) {
    halves->home[lane] = half->home;
    halves->other[lane] = half->other;
    halves->a[lane] = half->a;
    halves->b[lane] = half->b;
}

/* A value of n bits stands in the low n bits, the others are 0. A predicate register uses value[0] alone: bit
 * l is the predicate of lane l. The value of an unknown lane is arbitrary. */
struct lanes {
    alignas(16) uint64_t value[WARP_LANES];
    uint32_t known;  /* bit l: the value of lane l is known */
    uint32_t origin; /* index of the instruction that the newest unknown value came from, or ORIGIN_... */
    uint64_t home;   /* of addresses: the region that they point into (home.h); 0: numbers */
    uint64_t unknown_home; /* all unknown lanes are made from addresses of this region; 0: perhaps
                              not. HOME_NO_LANES: they were never written */
    uint32_t numbers;      /* of machine code, where there is a home: bit l says that lane l is a number */
    uint32_t halved;       /* bit l: if lane l is unknown, half[l] says what half of what it is */
    uint32_t partial;      /* bit l: if lane l is unknown, half[l].bits of its value are known; not halved */
    struct half_lanes_of half; /* the value of a lane that is half of something is that of this run */
};

/* Runs `statement` for every lane l; iterations are independent even where arrays are the same. */
#if defined(__clang__)
#    define FOR_LANES(l)                                                                                     \
        _Pragma("clang loop vectorize(assume_safety)") for (uint32_t l = 0; l < WARP_LANES; l++)
#else
#    define FOR_LANES(l) _Pragma("GCC ivdep") for (uint32_t l = 0; l < WARP_LANES; l++)
#endif

/* Runs the body for every lane l of a mask, lowest first. */
#define FOR_LANES_OF(l, mask)                                                                                \
    for (uint32_t rest_##l = (mask), l; rest_##l != 0 && (l = (uint32_t)__builtin_ctz(rest_##l), true);      \
         rest_##l &= rest_##l - 1)

/* The low `bytes` bytes of 64 bits; 8 or more: all of them. */
static inline uint64_t low_bytes_mask(uint32_t bytes) {
    return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * bytes)) - 1;
}

/* The lowest `count` bits of 64. */
static inline uint64_t low_bits(uint32_t count) {
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The lowest bit but `shift` of a byte for each lane, lane l's as bit l. */
static inline uint32_t lanes_bits(const uint8_t *bytes, uint32_t shift) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < WARP_LANES; i += 8) {
        uint64_t eight;
        memcpy(&eight, bytes + i, sizeof eight);
        eight = eight >> shift & UINT64_C(0x0101010101010101);
        bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return bits;
}

static inline float float_of(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline uint64_t float_bits(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Takes the lanes of `mask` from `from`. */
static inline void lanes_blend(uint64_t *to, const uint64_t *from, uint32_t mask) {
    if (mask == LANES_ALL)
        memcpy(to, from, WARP_LANES * sizeof *to);
    else
        FOR_LANES_OF(l, mask) to[l] = from[l];
}

/* Takes what the lanes of `mask` are halves of from `from`. */
static inline void halves_blend(struct half_lanes_of *to, const struct half_lanes_of *from, uint32_t mask) {
    if (mask == LANES_ALL) {
        *to = *from;
        return;
    }
    FOR_LANES_OF(l, mask) {
        to->home[l] = from->home[l];
        to->other[l] = from->other[l];
        to->a[l] = from->a[l];
        to->b[l] = from->b[l];
    }
}

/* Takes all lanes. */
static inline void lanes_copy(struct lanes *to, const struct lanes *from) {
    memcpy(to, from, offsetof(struct lanes, half));
    halves_blend(&to->half, &from->half, from->halved | from->partial);
}

/* The same known value in all lanes. */
static inline void lanes_broadcast(struct lanes *lanes, uint64_t value) {
    for (uint32_t l = 0; l < WARP_LANES; l++)
        lanes->value[l] = value;
    lanes->known = LANES_ALL;
}

/* Notes that the lanes of `mask` have become unknown because of instruction `origin`, and nothing else of
 * them. */
static inline void lanes_unknown_by(struct lanes *lanes, uint32_t mask, uint32_t origin) {
    lanes->origin = origin;
    lanes->unknown_home = 0;
    lanes->halved &= ~mask;
    lanes->partial &= ~mask;
}

/* The unknown lanes of which `half` says something. */
static inline uint32_t lanes_halves(const struct lanes *lanes) {
    return lanes->halved & ~lanes->known;
}

/* The unknown lanes of which single bits are known. */
static inline uint32_t lanes_partial(const struct lanes *lanes) {
    return lanes->partial & ~lanes->known;
}

/* Makes the lanes of `mask` unknown because of instruction `origin`. */
static inline void lanes_forget(struct lanes *lanes, uint32_t mask, uint32_t origin) {
    lanes->known &= ~mask;
    lanes_unknown_by(lanes, mask, origin);
}

#endif
