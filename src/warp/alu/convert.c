#include "warp/alu/alu.h"

#include "warp/alu/lanes.h"

/* ---- Formats ---- */

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

/* ---- Conversions ---- */

/* cvt: between all integer and floating-point types of 8 to 64 bits. */

static bool is_signed(uint8_t type) {
    return ptx_type_kind((enum ptx_type)type) == PTX_KIND_SIGNED;
}

static bool is_float(uint8_t type) {
    return ptx_type_kind((enum ptx_type)type) == PTX_KIND_FLOAT;
}

/* The low bytes of a register as an integer of the type. */
static __int128 read_integer(uint8_t type, uint64_t bits) {
    uint32_t unused = 64 - 8 * ptx_type_bytes((enum ptx_type)type);
    if (is_signed(type)) return (int64_t)(bits << unused) >> unused;
    return bits << unused >> unused;
}

/* An integer cut to the type and extended again, as wider registers hold it. */
static uint64_t write_integer(uint8_t type, __int128 value) {
    return (uint64_t)read_integer(type, (uint64_t)value);
}

static __int128 clamp_integer(uint8_t type, __int128 value) {
    uint32_t bits = 8 * ptx_type_bytes((enum ptx_type)type);
    __int128 one = 1;
    __int128 most = is_signed(type) ? (one << (bits - 1)) - 1 : (one << bits) - 1;
    __int128 least = is_signed(type) ? -(one << (bits - 1)) : 0;
    return value > most ? most : value < least ? least : value;
}

static double round_to_integer(uint8_t round, double value) {
    switch (round) {
    case PTX_ROUND_RNI: return nearbyint(value);
    case PTX_ROUND_RZI: return trunc(value);
    case PTX_ROUND_RMI: return floor(value);
    case PTX_ROUND_RPI: return ceil(value);
    default: return value;
    }
}

/* NaN as an integer (PTX ISA, cvt): only the highest bit where either type has 64 bits, else 0. */
static uint64_t nan_as_integer(const struct ptx_form *form) {
    uint32_t bits = 8 * ptx_type_bytes((enum ptx_type)form->type);
    bool zero = form->type2 != PTX_F64 && bits < 64;
    return zero ? 0 : write_integer(form->type, (__int128)1 << (bits - 1));
}

/* A number to an integer type: what is too large becomes the nearest number of the type. */
static uint64_t float_to_integer(const struct ptx_form *form, double value) {
    if (value != value) return nan_as_integer(form);
    double whole = round_to_integer(form->round == PTX_ROUND_NONE ? PTX_ROUND_RZI : form->round, value);
    if (whole > 0x1p100) whole = 0x1p100;
    if (whole < -0x1p100) whole = -0x1p100;
    return write_integer(form->type, clamp_integer(form->type, (__int128)whole));
}

/* A source of floating-point type as a double. */
static double read_float(const struct ptx_form *form, uint64_t bits) {
    if (form->type2 == PTX_F64) return double_of(bits);
    if (form->type2 == PTX_F32) {
        float value = float_of(bits);
        return (double)(form->ftz ? flush_f32(value) : value);
    }
    return float_format_decode(float_format_of(form->type2), bits);
}

static uint64_t float_to_float(const struct ptx_form *form, double value) {
    const struct float_format *format = float_format_of(form->type);
    value = round_to_integer(form->round, value);
    if (form->sat) value = saturate_f64(value);
    if (form->relu && value <= 0.0) value = 0.0;
    uint64_t bits = float_format_encode(format, value, form->round);
    bool flush = form->ftz && form->type == PTX_F32 && float_format_tiny(format, bits);
    return flush ? bits & float_format_sign(format) : bits;
}

static uint64_t integer_to_float(const struct ptx_form *form, __int128 value) {
    bool negative = value < 0;
    if (form->sat) value = value < 0 ? 0 : value > 1 ? 1 : value;
    if (form->sat || value == 0) negative = false;
    uint64_t magnitude = (uint64_t)(value < 0 ? -value : value);
    return float_format_round(float_format_of(form->type), negative, magnitude, 0, form->round);
}

static uint64_t convert_lane(const struct ptx_form *form, uint64_t bits) {
    if (is_float(form->type2)) {
        double value = read_float(form, bits);
        return is_float(form->type) ? float_to_float(form, value) : float_to_integer(form, value);
    }
    __int128 value = read_integer(form->type2, bits);
    if (is_float(form->type)) return integer_to_float(form, value);
    return write_integer(form->type, form->sat ? clamp_integer(form->type, value) : value);
}

static void convert(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    for (uint32_t l = 0; l < WARP_LANES; l++)
        d[l] = convert_lane(op->form, s[0][l]) & op->result_mask;
}

/* Two f32 to a pair of 16-bit numbers: the first is the upper half. */
static void convert_pair(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    for (uint32_t l = 0; l < WARP_LANES; l++)
        d[l] = convert_lane(op->form, s[0][l]) << 16 | convert_lane(op->form, s[1][l]);
}

/* cvt.pack: a and b saturated into the low half or byte pair, c (of bytes) above them. */
static void convert_pack(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint8_t type = op->form->type;
    uint32_t bits = 8 * ptx_type_bytes((enum ptx_type)type);
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint64_t a = (uint64_t)clamp_integer(type, read_integer(op->form->type2, s[0][l])) & mask;
        uint64_t b = (uint64_t)clamp_integer(type, read_integer(op->form->type2, s[1][l])) & mask;
        uint64_t above = bits == 16 ? 0 : s[2][l] << 16;
        d[l] = (uint32_t)(above | a << bits | b);
    }
}

/* clang-format off */

/* The conversions that kernels are full of. */
LANE_FUNCTION(s32_to_wide, d[l] = (uint64_t)(int64_t)(int32_t)a[l] & op->result_mask;)
LANE_FUNCTION(u32_to_wide, d[l] = (uint32_t)a[l] & op->result_mask;)
LANE_FUNCTION(s32_to_f32, d[l] = float_bits((float)(int32_t)a[l]);)
LANE_FUNCTION(u32_to_f32, d[l] = float_bits((float)(uint32_t)a[l]);)
LANE_FUNCTION(s32_to_f64, d[l] = double_bits((double)(int32_t)a[l]);)
LANE_FUNCTION(f32_to_f64, d[l] = result_f64((double)float_of(a[l]));)
LANE_FUNCTION(f64_to_f32, d[l] = result_f32((float)double_of(a[l]));)
/* clang-format on */

struct convert_row {
    uint8_t to, from, round;
    lane_fn function;
};

static const struct convert_row fast[] = {
    {PTX_S64, PTX_S32, PTX_ROUND_NONE, s32_to_wide}, {PTX_U64, PTX_S32, PTX_ROUND_NONE, s32_to_wide},
    {PTX_S64, PTX_U32, PTX_ROUND_NONE, u32_to_wide}, {PTX_U64, PTX_U32, PTX_ROUND_NONE, u32_to_wide},
    {PTX_U32, PTX_U64, PTX_ROUND_NONE, u32_to_wide}, {PTX_F32, PTX_S32, PTX_ROUND_RN, s32_to_f32},
    {PTX_F32, PTX_U32, PTX_ROUND_RN, u32_to_f32},    {PTX_F64, PTX_S32, PTX_ROUND_RN, s32_to_f64},
    {PTX_F64, PTX_F32, PTX_ROUND_NONE, f32_to_f64},  {PTX_F32, PTX_F64, PTX_ROUND_RN, f64_to_f32},
};

static lane_fn find_fast(const struct ptx_form *form) {
    if (form->sat || form->ftz || form->relu) return NULL;
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
        if (fast[i].to == form->type && fast[i].from == form->type2 && fast[i].round == form->round)
            return fast[i].function;
    return NULL;
}

/* Whether convert_lane knows the type; elements of pairs are looked at by themselves. */
static bool convertible(uint8_t type) {
    enum ptx_type_kind kind = ptx_type_kind((enum ptx_type)type);
    if (kind == PTX_KIND_FLOAT) return float_format_of(type) != NULL;
    if (type == PTX_U16X2 || type == PTX_S16X2 || type == PTX_S2 || type == PTX_U2 || type == PTX_S4 ||
        type == PTX_U4)
        return false;
    return kind == PTX_KIND_UNSIGNED || kind == PTX_KIND_SIGNED;
}

lane_fn convert_find(const struct ptx_form *form) {
    if (form->op == PTX_OP_CVT_PACK) {
        bool wide = ptx_type_bytes((enum ptx_type)form->type) <= 2 && form->type2 == PTX_S32;
        return wide && convertible(form->type) ? convert_pack : NULL;
    }
    if (form->op != PTX_OP_CVT || form->round == PTX_ROUND_RS) return NULL;
    if (strstr(form->text, "satfinite") != NULL) return NULL;
    if (!convertible(form->type) || !convertible(form->type2)) return NULL;
    if (form->type2 == PTX_F16X2 || form->type2 == PTX_BF16X2) return NULL;
    if (form->type == PTX_F16X2 || form->type == PTX_BF16X2)
        return form->type2 == PTX_F32 ? convert_pair : NULL;
    lane_fn found = find_fast(form);
    return found != NULL ? found : convert;
}
