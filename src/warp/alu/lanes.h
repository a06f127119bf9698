/* One register of a warp: a value per lane, each known or unknown. */
#ifndef WB_WARP_ALU_LANES_H
#define WB_WARP_ALU_LANES_H

#include <fenv.h>
#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "launch/launch.h"
#include "ptx/opcode.h"

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

/* What is known of an unknown lane that holds half of an address, or the carry of one (base region.h), or of
 * which single bits are known (execute.h). */
struct half {
    union {
        uint64_t base_region; /* the region, as in struct lanes, with the kind of half; 0: nothing */
        uint64_t bits;        /* single bits: which */
    };
    uint64_t other; /* of a comparison: the base region of what it is compared to, and how */
    uint32_t a, b;  /* lower halves, as the kind says */
};

/* That of all lanes, column by column, so that lanes that are alike are written and compared together. */
struct half_lanes_of {
    union {
        uint64_t base_region[WARP_LANES];
        uint64_t bits[WARP_LANES];
    };
    uint64_t other[WARP_LANES];
    uint32_t a[WARP_LANES], b[WARP_LANES];
};

static inline struct half half_get(const struct half_lanes_of *halves, uint32_t lane) {
    return (struct half){{halves->base_region[lane]}, halves->other[lane], halves->a[lane], halves->b[lane]};
}

static inline void half_put(struct half_lanes_of *halves, uint32_t lane, const struct half *half) {
    halves->base_region[lane] = half->base_region;
    halves->other[lane] = half->other;
    halves->a[lane] = half->a;
    halves->b[lane] = half->b;
}

/* Axes of a grid. */
#define AXES 3u

/* Why a value is neither flat nor affine, or a class can not be had. */
struct affine_bend {
    bool data;             /* it depends on contents of memory, or on what is not followed */
    uint8_t axes;          /* it would not bend if these axes were not in use */
    uint32_t period[AXES]; /* not 0: or, of its axis, if steps were so many times as long */
};

/* What is known of a register in the other blocks of a class (warp/affine/affine.h). */
struct affine_shadow {
    uint32_t flat, affine;   /* lanes; no lane is both */
    uint32_t signs;          /* others whose sign is the same in all blocks */
    uint8_t bits;            /* of affine lanes, and of signs: the modulus is 2^bits */
    struct affine_bend bend; /* of the other lanes */
};

/* Adds a reason. */
static inline void affine_bend_add(struct affine_bend *bend, const struct affine_bend *other) {
    bend->data |= other->data;
    bend->axes |= other->axes;
    for (uint32_t j = 0; j < AXES; j++)
        if (other->period[j] > bend->period[j]) bend->period[j] = other->period[j];
}

/* Takes what is known of the lanes of `mask`; of other lanes, those of `live`, the reasons stay. */
static inline void affine_shadow_take(struct affine_shadow *to, struct affine_shadow from, uint32_t mask,
                                      uint32_t live) {
    const bool others = ((to->affine | to->signs) & ~mask) != 0;
    const bool bent = (live & ~mask & ~(to->flat | to->affine)) != 0;
    if (!others || ((from.affine | from.signs) & mask) != 0) {
        if (others && to->bits != from.bits) to->signs = from.signs = 0;
        to->bits = others && to->bits < from.bits ? to->bits : from.bits;
    }
    to->flat = (to->flat & ~mask) | (from.flat & mask);
    to->affine = (to->affine & ~mask) | (from.affine & mask);
    to->signs = (to->signs & ~mask) | (from.signs & mask);
    if (bent)
        affine_bend_add(&to->bend, &from.bend);
    else
        to->bend = from.bend;
}

/* A value of n bits stands in the low n bits, the others are 0. A predicate register uses only value[0]: bit
 * l is the predicate of lane l. The value of an unknown lane is arbitrary. */
struct lanes {
    alignas(16) uint64_t value[WARP_LANES];
    uint32_t known;  /* bit l: the value of lane l is known */
    uint32_t origin; /* index of the instruction that the newest unknown value came from, or ORIGIN_... */
    uint64_t base_region; /* of addresses: the region that they point into (base region.h); 0: numbers */
    uint64_t unknown_base_region; /* all unknown lanes are made from addresses of this region; 0: perhaps
                              not. BASE_REGION_NO_LANES: they were never written */
    uint32_t numbers; /* of machine code, where there is a base region: bit l says that lane l is a number */
    uint32_t halved;  /* bit l: if lane l is unknown, half[l] says what half of what it is */
    uint32_t partial; /* bit l: if lane l is unknown, half[l].bits of its value are known; not halved */
    struct affine_shadow shadow; /* while blocks are executed by classes */
    struct half_lanes_of half;   /* the value of a lane that is half of something is that of this run */
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
        to->base_region[l] = from->base_region[l];
        to->other[l] = from->other[l];
        to->a[l] = from->a[l];
        to->b[l] = from->b[l];
    }
}

/* The lanes in which two registers have equal values, known or not. */
static inline uint32_t lanes_equal(const struct lanes *a, const struct lanes *b, bool is_predicate) {
    if (is_predicate) return ~(uint32_t)(a->value[0] ^ b->value[0]);
    uint32_t equal = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        equal |= (uint32_t)(a->value[l] == b->value[l]) << l;
    return equal;
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
    lanes->unknown_base_region = 0;
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

/* Binary floating-point formats of PTX and rounding into them, in software: exact for every rounding mode,
 * also from 64-bit integers and to formats that C does not have. */

/* An IEEE 754 interchange format: sign, exponent, mantissa (without the leading one). */
struct float_format {
    uint8_t exponent_bits, mantissa_bits;
    uint8_t unused_bits; /* below the mantissa: tf32 stands in the upper 19 bits of 32 */
};

/* The format of a floating-point type (of an element of f16x2, bf16x2), or NULL for the 8-bit and smaller
 * ones. */
const struct float_format *float_format_of(uint8_t type);

/* The value of a pattern; exact. */
double float_format_decode(const struct float_format *format, uint64_t bits);

/* The pattern of `mantissa` * 2^`exponent`, rounded; infinity or the largest number, as the mode says, where
 * it is too large. */
uint64_t float_format_round(const struct float_format *format, bool negative, uint64_t mantissa, int exponent,
                            uint8_t round);

/* The pattern of a double, rounded. NaN becomes the format's canonical NaN: all ones, sign 0; of f64 see
 * NAN_F64. */
uint64_t float_format_encode(const struct float_format *format, double value, uint8_t round);

/* Whether the pattern is a subnormal number or zero. */
bool float_format_tiny(const struct float_format *format, uint64_t bits);

/* The sign bit of the format. */
uint64_t float_format_sign(const struct float_format *format);

/* Properties of PTX floating-point values that C does not have: canonical NaNs, flushing of subnormal
 * numbers, saturation to [0, 1]. */

/* The NaN that arithmetic returns, whatever NaN went in. */
#define NAN_F32 UINT32_C(0x7fffffff)
#define NAN_F64 UINT64_C(0xfff8000000000000)

/* Bits of a result, NaNs canonical. */
static inline uint64_t result_f32(float value) {
    return value != value ? NAN_F32 : float_bits(value);
}

static inline uint64_t result_f64(double value) {
    return value != value ? NAN_F64 : double_bits(value);
}

/* .ftz: a subnormal number becomes a zero of its sign. */
static inline float flush_f32(float value) {
    uint64_t bits = float_bits(value);
    return (bits & 0x7f800000) == 0 ? float_of(bits & 0x80000000) : value;
}

/* .sat: into [0, 1], NaN and -0 to +0, in every rounding mode that is set. */
static inline float saturate_f32(float value) {
    return value > 0.0f ? (value > 1.0f ? 1.0f : value) : 0.0f;
}

static inline double saturate_f64(double value) {
    return value > 0.0 ? (value > 1.0 ? 1.0 : value) : 0.0;
}

/* Arithmetic in the rounding mode that an instruction asks for.
 *
 * The processor's mode is set around the computation, whose operands and result pass through volatile
 * objects: those accesses and the calls that set the mode keep their order, so that no compiler flag is
 * needed for the computation to stay between them. */

/* The mode of <fenv.h> for rn, rz, rm, rp; nearest for all others. */
static inline int rounding_mode(uint8_t round) {
    switch (round) {
    case PTX_ROUND_RZ: return FE_TOWARDZERO;
    case PTX_ROUND_RM: return FE_DOWNWARD;
    case PTX_ROUND_RP: return FE_UPWARD;
    default: return FE_TONEAREST;
    }
}

/* Sets the mode of a form; rounding_end sets it back to nearest, which every other computation assumes. */
static inline void rounding_begin(uint8_t round) {
    if (rounding_mode(round) != FE_TONEAREST) fesetround(rounding_mode(round));
}

static inline void rounding_end(uint8_t round) {
    if (rounding_mode(round) != FE_TONEAREST) fesetround(FE_TONEAREST);
}

/* The generic address space of a run. Addresses of .shared and .local count from the start of their window;
 * in all other spaces they are generic addresses. All windows lie below 4 GB so that 32-bit modules work. */

#define WINDOW_SIZE UINT64_C(0x1000000)

#define SHARED_WINDOW UINT64_C(0x1000000)
#define LOCAL_WINDOW UINT64_C(0x2000000) /* local memory, .param variables of functions included */
#define PARAM_WINDOW UINT64_C(0x3000000) /* parameters of the kernel */
#define CONST_WINDOW UINT64_C(0x4000000)
#define FUNCTION_WINDOW UINT64_C(0x5000000) /* function f is at FUNCTION_WINDOW + f * FUNCTION_STEP */
#define FUNCTION_STEP UINT64_C(16)
#define GLOBAL_START UINT64_C(0x10000000) /* variables of the module and buffers */

/* The same in 64-bit modules: far from what kernels compute with, so that numbers are not taken for addresses
 * (base region.h). */
#define GLOBAL_START_64 UINT64_C(0x79d200000000)

/* The generic address that one of machine code's is. */
static inline uint64_t address_of_machine(uint64_t address) {
    const bool shared = address >> 32 == PTX_SHARED_UPPER_HALF;
    return shared ? (uint32_t)address + SHARED_WINDOW : address;
}

static inline bool in_window(uint64_t address, uint64_t window) {
    return address - window < WINDOW_SIZE;
}

/* Whether a generic address belongs to a state space. */
static inline bool address_in_space(uint64_t address, uint8_t space) {
    switch (space) {
    case PTX_SPACE_SHARED: return in_window(address, SHARED_WINDOW);
    case PTX_SPACE_LOCAL: return in_window(address, LOCAL_WINDOW);
    case PTX_SPACE_PARAM: return in_window(address, PARAM_WINDOW);
    case PTX_SPACE_CONST: return in_window(address, CONST_WINDOW);
    case PTX_SPACE_GLOBAL: return address >= GLOBAL_START;
    default: return false;
    }
}

/* The state space that a generic address belongs to; PTX_GENERIC for none. */
static inline uint8_t address_space_of(uint64_t address) {
    static const uint8_t spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL, PTX_SPACE_PARAM,
                                     PTX_SPACE_CONST};
    for (uint32_t i = 0; i < sizeof spaces; i++)
        if (address_in_space(address, spaces[i])) return spaces[i];
    return PTX_GENERIC;
}

/* The offset from an address of the space to the generic one. */
static inline uint64_t address_window(uint8_t space) {
    return space == PTX_SPACE_SHARED ? SHARED_WINDOW : space == PTX_SPACE_LOCAL ? LOCAL_WINDOW : 0;
}

/* The next multiple of `align` (0: of 1) that is not below `offset`. */
static inline uint64_t align_up(uint64_t offset, uint64_t align) {
    return align < 2 ? offset : (offset + align - 1) / align * align;
}

#endif
