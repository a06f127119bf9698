#include "warp/alu/lanes.h"

#define F64_MANTISSA_BITS 52

const struct float_format *float_format_of(uint8_t type) {
    static const struct float_format f16 = {5, 10, 0}, bf16 = {8, 7, 0}, tf32 = {8, 10, 13}, f32 = {8, 23, 0},
                                     f64 = {11, F64_MANTISSA_BITS, 0};
    switch (type) {
    case PTX_F16:
    case PTX_F16X2: return &f16;
    case PTX_BF16:
    case PTX_BF16X2: return &bf16;
    case PTX_TF32: return &tf32;
    case PTX_F32: return &f32;
    case PTX_F64: return &f64;
    default: return NULL;
    }
}

static uint64_t exponent_mask(const struct float_format *format) {
    return (UINT64_C(1) << format->exponent_bits) - 1;
}

static int bias(const struct float_format *format) {
    return (1 << (format->exponent_bits - 1)) - 1;
}

uint64_t float_format_sign(const struct float_format *format) {
    return UINT64_C(1) << (format->exponent_bits + format->mantissa_bits + format->unused_bits);
}

bool float_format_tiny(const struct float_format *format, uint64_t bits) {
    return (bits >> (format->mantissa_bits + format->unused_bits) & exponent_mask(format)) == 0;
}

double float_format_decode(const struct float_format *format, uint64_t bits) {
    bool negative = (bits & float_format_sign(format)) != 0;
    bits >>= format->unused_bits;
    uint64_t mantissa = bits & ((UINT64_C(1) << format->mantissa_bits) - 1);
    uint64_t exponent = bits >> format->mantissa_bits & exponent_mask(format);
    double value;
    if (exponent == exponent_mask(format)) {
        value = mantissa != 0 ? (double)NAN : (double)INFINITY;
    } else {
        if (exponent != 0) mantissa |= UINT64_C(1) << format->mantissa_bits;
        int scale = (exponent == 0 ? 1 : (int)exponent) - bias(format) - format->mantissa_bits;
        value = ldexp((double)mantissa, scale);
    }
    return negative ? -value : value;
}

/* Whether what was cut off, `rest` of which `half` is one half of the last place, makes the last place one
 * larger. */
static bool rounds_up(uint8_t round, bool negative, bool odd, uint64_t rest, uint64_t half) {
    switch (round) {
    case PTX_ROUND_RZ:
    case PTX_ROUND_RZI: return false;
    case PTX_ROUND_RM: return negative && rest != 0;
    case PTX_ROUND_RP: return !negative && rest != 0;
    case PTX_ROUND_RNA: return rest >= half;
    default: return rest > half || (rest == half && odd);
    }
}

/* Infinity, or the largest number where the mode rounds towards zero. */
static uint64_t overflow(const struct float_format *format, bool negative, uint8_t round) {
    uint64_t infinity = exponent_mask(format) << format->mantissa_bits;
    bool to_number =
        round == PTX_ROUND_RZ || (round == PTX_ROUND_RM && !negative) || (round == PTX_ROUND_RP && negative);
    return to_number ? infinity - 1 : infinity;
}

uint64_t float_format_round(const struct float_format *format, bool negative, uint64_t mantissa, int exponent,
                            uint8_t round) {
    uint64_t sign = negative ? float_format_sign(format) : 0;
    if (mantissa == 0) return sign;
    int zeros = __builtin_clzll(mantissa);
    mantissa <<= zeros;
    int leading = exponent + 63 - zeros; /* exponent of the leading one */
    int smallest = 1 - bias(format);     /* of a normal number */
    int shift = 63 - format->mantissa_bits + (leading < smallest ? smallest - leading : 0);
    uint64_t kept = shift > 63 ? 0 : mantissa >> shift;
    uint64_t rest = 1, half = 2; /* far below one half of the last place */
    if (shift <= 64) {
        half = UINT64_C(1) << (shift - 1);
        rest = shift == 64 ? mantissa : mantissa & ((UINT64_C(1) << shift) - 1);
    }
    kept += rounds_up(round, negative, (kept & 1) != 0, rest, half);
    uint64_t bits = kept; /* a carry into the exponent is what it should be */
    if (leading >= smallest) bits += (uint64_t)(leading - smallest) << format->mantissa_bits;
    if (bits >= exponent_mask(format) << format->mantissa_bits) bits = overflow(format, negative, round);
    return bits << format->unused_bits | sign;
}

uint64_t float_format_encode(const struct float_format *format, double value, uint8_t round) {
    if (value != value)
        return format->mantissa_bits == F64_MANTISSA_BITS ? NAN_F64 : float_format_sign(format) - 1;
    bool negative = signbit(value) != 0;
    uint64_t bits = double_bits(value) & INT64_MAX;
    uint64_t infinity = exponent_mask(format) << (format->mantissa_bits + format->unused_bits);
    if (isinf(value)) return infinity | (negative ? float_format_sign(format) : 0);
    int exponent = (int)(bits >> F64_MANTISSA_BITS);
    uint64_t mantissa = bits & ((UINT64_C(1) << F64_MANTISSA_BITS) - 1);
    if (exponent != 0) mantissa |= UINT64_C(1) << F64_MANTISSA_BITS;
    return float_format_round(format, negative, mantissa, (exponent == 0 ? 1 : exponent) - 1075, round);
}
