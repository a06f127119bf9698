/* Integer arithmetic, logic, shifts and bit fields. */
#include <stdlib.h>

#include "warp/alu/alu.h"

/* clang-format off */

/* Sums and products wrap; they are formed in uint64_t, whose low bits do not depend on signedness. */
INT_FUNCTIONS(add, (uint64_t)x + (uint64_t)y)
INT_FUNCTIONS(sub, (uint64_t)x - (uint64_t)y)
INT_FUNCTIONS(mul_lo, (uint64_t)x * (uint64_t)y)
INT_FUNCTIONS(mad_lo, (uint64_t)x * (uint64_t)y + (uint64_t)z)
INT_FUNCTIONS(neg, 0 - (uint64_t)x)
INT_FUNCTION(abs_s16, int16_t, uint16_t, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
INT_FUNCTION(abs_s32, int32_t, uint32_t, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
INT_FUNCTION(abs_s64, int64_t, uint64_t, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
INT_FUNCTIONS(min, x < y ? x : y)
INT_FUNCTIONS(max, x > y ? x : y)
INT_FUNCTIONS(sad, (uint64_t)z + (x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y))

/* The upper half of a product. */
INT_FUNCTION(mul_hi_u16, uint16_t, uint16_t, (uint32_t)x * (uint32_t)y >> 16)
INT_FUNCTION(mul_hi_s16, int16_t, uint16_t, (uint32_t)((int32_t)x * (int32_t)y) >> 16)
INT_FUNCTION(mul_hi_u32, uint32_t, uint32_t, (uint64_t)x * y >> 32)
INT_FUNCTION(mul_hi_s32, int32_t, uint32_t, (uint64_t)((int64_t)x * y) >> 32)
INT_FUNCTION(mul_hi_u64, uint64_t, uint64_t, (unsigned __int128)x * y >> 64)
INT_FUNCTION(mul_hi_s64, int64_t, uint64_t, (unsigned __int128)((__int128)x * y) >> 64)
INT_FUNCTION(mad_hi_u16, uint16_t, uint16_t, ((uint32_t)x * (uint32_t)y >> 16) + z)
INT_FUNCTION(mad_hi_s16, int16_t, uint16_t, ((uint32_t)((int32_t)x * (int32_t)y) >> 16) + (uint32_t)z)
INT_FUNCTION(mad_hi_u32, uint32_t, uint32_t, ((uint64_t)x * y >> 32) + z)
INT_FUNCTION(mad_hi_s32, int32_t, uint32_t, ((uint64_t)((int64_t)x * y) >> 32) + (uint64_t)z)
INT_FUNCTION(mad_hi_u64, uint64_t, uint64_t, ((unsigned __int128)x * y >> 64) + z)
INT_FUNCTION(mad_hi_s64, int64_t, uint64_t, ((unsigned __int128)((__int128)x * y) >> 64) + (uint64_t)z)

/* The whole product, twice as wide; of mad.wide the addend is too. */
INT_FUNCTION(mul_wide_u16, uint16_t, uint32_t, (uint32_t)x * (uint32_t)y)
INT_FUNCTION(mul_wide_s16, int16_t, uint32_t, (int32_t)x * (int32_t)y)
INT_FUNCTION(mul_wide_u32, uint32_t, uint64_t, (uint64_t)x * y)
INT_FUNCTION(mul_wide_s32, int32_t, uint64_t, (int64_t)x * y)
INT_FUNCTION(mad_wide_u16, uint16_t, uint32_t, (uint64_t)x * y + c[l])
INT_FUNCTION(mad_wide_s16, int16_t, uint32_t, (uint64_t)((int64_t)x * y) + c[l])
INT_FUNCTION(mad_wide_u32, uint32_t, uint64_t, (uint64_t)x * y + c[l])
INT_FUNCTION(mad_wide_s32, int32_t, uint64_t, (uint64_t)((int64_t)x * y) + c[l])

/* Division by zero gives all ones, and leaves the dividend as remainder; the quotient that does not fit
 * wraps. */
INT_FUNCTION(div_u16, uint16_t, uint16_t, y == 0 ? UINT16_MAX : x / y)
INT_FUNCTION(div_s16, int16_t, uint16_t, y == 0 ? -1 : x / y)
INT_FUNCTION(div_u32, uint32_t, uint32_t, y == 0 ? UINT32_MAX : x / y)
INT_FUNCTION(div_s32, int32_t, uint32_t, y == 0 ? -1 : (int64_t)x / y)
INT_FUNCTION(div_u64, uint64_t, uint64_t, y == 0 ? UINT64_MAX : x / y)
INT_FUNCTION(div_s64, int64_t, uint64_t, y == 0 ? UINT64_MAX : y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y))
INT_FUNCTION(rem_u16, uint16_t, uint16_t, y == 0 ? x : x % y)
INT_FUNCTION(rem_s16, int16_t, uint16_t, y == 0 ? x : x % y)
INT_FUNCTION(rem_u32, uint32_t, uint32_t, y == 0 ? x : x % y)
INT_FUNCTION(rem_s32, int32_t, uint32_t, y == 0 ? x : (int64_t)x % y)
INT_FUNCTION(rem_u64, uint64_t, uint64_t, y == 0 ? x : x % y)
INT_FUNCTION(rem_s64, int64_t, uint64_t, y == 0 ? x : y == -1 ? 0 : x % y)
/* clang-format on */

static uint64_t saturate_s32(int64_t value) {
    if (value > INT32_MAX) return (uint32_t)INT32_MAX;
    if (value < INT32_MIN) return (uint32_t)INT32_MIN;
    return (uint32_t)value;
}

/* Bits 23:0 of a 32-bit operand as a number of 24 bits. */
static int64_t low24(uint64_t value, bool is_signed) {
    uint32_t bits = (uint32_t)value << 8;
    return is_signed ? (int64_t)((int32_t)bits >> 8) : (int64_t)(bits >> 8);
}

/* clang-format off */
LANE_FUNCTION(add_sat_s32, d[l] = saturate_s32((int64_t)(int32_t)a[l] + (int32_t)b[l]);)
LANE_FUNCTION(sub_sat_s32, d[l] = saturate_s32((int64_t)(int32_t)a[l] - (int32_t)b[l]);)
LANE_FUNCTION(mad_hi_sat_s32, d[l] = saturate_s32(((int64_t)(int32_t)a[l] * (int32_t)b[l] >> 32) + (int32_t)c[l]);)
LANE_FUNCTION(mul24_lo_s, d[l] = (uint32_t)(low24(a[l], true) * low24(b[l], true));)
LANE_FUNCTION(mul24_lo_u, d[l] = (uint32_t)(low24(a[l], false) * low24(b[l], false));)
LANE_FUNCTION(mul24_hi_s, d[l] = (uint32_t)(low24(a[l], true) * low24(b[l], true) >> 16);)
LANE_FUNCTION(mul24_hi_u, d[l] = (uint32_t)(low24(a[l], false) * low24(b[l], false) >> 16);)
LANE_FUNCTION(mad24_lo_s, d[l] = (uint32_t)(low24(a[l], true) * low24(b[l], true) + (int64_t)c[l]);)
LANE_FUNCTION(mad24_lo_u, d[l] = (uint32_t)(low24(a[l], false) * low24(b[l], false) + (int64_t)c[l]);)
LANE_FUNCTION(mad24_hi_s, d[l] = (uint32_t)((low24(a[l], true) * low24(b[l], true) >> 16) + (int64_t)c[l]);)
LANE_FUNCTION(mad24_hi_u, d[l] = (uint32_t)((low24(a[l], false) * low24(b[l], false) >> 16) + (int64_t)c[l]);)
LANE_FUNCTION(mad24_hi_sat_s32, d[l] = saturate_s32((low24(a[l], true) * low24(b[l], true) >> 16) + (int32_t)c[l]);)
/* clang-format on */

/* Part `index` of `bits` bits of a 32-bit value. */
static int64_t part(uint64_t value, uint32_t index, uint32_t bits, bool is_signed) {
    uint32_t top = (uint32_t)(value >> (index * bits)) << (32 - bits);
    return is_signed ? (int64_t)((int32_t)top >> (32 - bits)) : (int64_t)(top >> (32 - bits));
}

/* Dot product of four bytes with four bytes, and of two halves with two bytes (.lo: bytes 0 and 1, .hi: 2
 * and 3), plus c. */
static void dot_product(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    bool sa = op->form->type == PTX_S32, sb = op->form->type2 == PTX_S32;
    bool four = op->form->op == PTX_OP_DP4A;
    uint32_t first = op->form->half == PTX_HALF_HI ? 2 : 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        int64_t sum = (int64_t)s[2][l];
        for (uint32_t i = 0; i < (four ? 4u : 2u); i++)
            sum += part(s[0][l], i, four ? 8 : 16, sa) * part(s[1][l], first + i, 8, sb);
        d[l] = (uint32_t)sum;
    }
}

/* Two 16-bit operations in one register: add, min, max. */
static void pair_of_halves(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    bool is_signed = op->form->type == PTX_S16X2;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint64_t result = 0;
        for (uint32_t i = 0; i < 2; i++) {
            int64_t x = part(s[0][l], i, 16, is_signed), y = part(s[1][l], i, 16, is_signed);
            int64_t value = op->form->op == PTX_OP_ADD   ? x + y
                            : op->form->op == PTX_OP_MIN ? (x < y ? x : y)
                                                         : (x > y ? x : y);
            result |= (uint64_t)(uint16_t)value << (16 * i);
        }
        d[l] = result;
    }
}

struct int_row {
    uint8_t op;
    uint8_t half; /* enum ptx_half */
    lane_fn functions[INT_KINDS];
};

static const struct int_row rows[] = {
    {PTX_OP_ADD, PTX_HALF_NONE, INT_TABLE(add)},
    {PTX_OP_SUB, PTX_HALF_NONE, INT_TABLE(sub)},
    {PTX_OP_MUL, PTX_HALF_LO, INT_TABLE(mul_lo)},
    {PTX_OP_MUL, PTX_HALF_HI, INT_TABLE(mul_hi)},
    {PTX_OP_MUL, PTX_HALF_WIDE, {mul_wide_u16, mul_wide_s16, mul_wide_u32, mul_wide_s32, NULL, NULL}},
    {PTX_OP_MAD, PTX_HALF_LO, INT_TABLE(mad_lo)},
    {PTX_OP_MAD, PTX_HALF_HI, INT_TABLE(mad_hi)},
    {PTX_OP_MAD, PTX_HALF_WIDE, {mad_wide_u16, mad_wide_s16, mad_wide_u32, mad_wide_s32, NULL, NULL}},
    {PTX_OP_DIV, PTX_HALF_NONE, INT_TABLE(div)},
    {PTX_OP_REM, PTX_HALF_NONE, INT_TABLE(rem)},
    {PTX_OP_ABS, PTX_HALF_NONE, {NULL, abs_s16, NULL, abs_s32, NULL, abs_s64}},
    {PTX_OP_NEG, PTX_HALF_NONE, INT_TABLE(neg)},
    {PTX_OP_MIN, PTX_HALF_NONE, INT_TABLE(min)},
    {PTX_OP_MAX, PTX_HALF_NONE, INT_TABLE(max)},
    {PTX_OP_SAD, PTX_HALF_NONE, INT_TABLE(sad)},
    {PTX_OP_MUL24, PTX_HALF_LO, {NULL, NULL, mul24_lo_u, mul24_lo_s, NULL, NULL}},
    {PTX_OP_MUL24, PTX_HALF_HI, {NULL, NULL, mul24_hi_u, mul24_hi_s, NULL, NULL}},
    {PTX_OP_MAD24, PTX_HALF_LO, {NULL, NULL, mad24_lo_u, mad24_lo_s, NULL, NULL}},
    {PTX_OP_MAD24, PTX_HALF_HI, {NULL, NULL, mad24_hi_u, mad24_hi_s, NULL, NULL}},
    {PTX_OP_DP4A, PTX_HALF_NONE, {NULL, NULL, dot_product, dot_product, NULL, NULL}},
    {PTX_OP_DP2A, PTX_HALF_LO, {NULL, NULL, dot_product, dot_product, NULL, NULL}},
    {PTX_OP_DP2A, PTX_HALF_HI, {NULL, NULL, dot_product, dot_product, NULL, NULL}},
};

/* The saturating forms; all are .s32. */
static lane_fn find_saturating(const struct ptx_form *form) {
    if (form->type != PTX_S32) return NULL;
    switch (form->op) {
    case PTX_OP_ADD: return add_sat_s32;
    case PTX_OP_SUB: return sub_sat_s32;
    case PTX_OP_MAD: return form->half == PTX_HALF_HI ? mad_hi_sat_s32 : NULL;
    case PTX_OP_MAD24: return form->half == PTX_HALF_HI ? mad24_hi_sat_s32 : NULL;
    default: return NULL;
    }
}

/* Arithmetic. */
static lane_fn find_arithmetic(const struct ptx_form *form) {
    if (form->relu) return NULL;
    if (form->sat) return find_saturating(form);
    if (form->type == PTX_U16X2 || form->type == PTX_S16X2) {
        bool known = form->op == PTX_OP_ADD || form->op == PTX_OP_MIN || form->op == PTX_OP_MAX;
        return known ? pair_of_halves : NULL;
    }
    enum int_kind kind = int_kind_of(form->type);
    if (kind == INT_KINDS) return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == form->op && rows[i].half == form->half) return rows[i].functions[kind];
    return NULL;
}

/* ---- Bits ---------------------------------------------------------------------------------------------- */

/* clang-format off */
LANE_FUNCTION(and_bits, d[l] = a[l] & b[l];)
LANE_FUNCTION(or_bits, d[l] = a[l] | b[l];)
LANE_FUNCTION(xor_bits, d[l] = a[l] ^ b[l];)
INT_FUNCTIONS(not, ~(uint64_t)x)
INT_FUNCTIONS(cnot, x == 0)

/* Shifts by the width or more are shifts by the width. The amount is 32 bits, whatever the type. */
#define AMOUNT(width) ((uint32_t)b[l] < (width) ? (uint32_t)b[l] : (width))
INT_FUNCTIONS_16(shl, (uint64_t)x << AMOUNT(16))
INT_FUNCTIONS_32(shl, (uint64_t)x << AMOUNT(32))
INT_FUNCTIONS_64(shl, (uint32_t)b[l] > 63 ? 0 : (uint64_t)x << (b[l] & 63))
INT_FUNCTIONS_16(shr, (int64_t)x >> AMOUNT(16))
INT_FUNCTIONS_32(shr, (int64_t)x >> AMOUNT(32))
INT_FUNCTION(shr_u64, uint64_t, uint64_t, (uint32_t)b[l] > 63 ? 0 : x >> (b[l] & 63))
INT_FUNCTION(shr_s64, int64_t, uint64_t, x >> AMOUNT(63))
#undef AMOUNT

/* Funnel shifts of b:a. */
#define FUNNEL ((uint64_t)(uint32_t)b[l] << 32 | (uint32_t)a[l])
#define CLAMPED ((uint32_t)c[l] < 32 ? (uint32_t)c[l] : 32)
LANE_FUNCTION(shf_l_clamp, d[l] = FUNNEL << CLAMPED >> 32;)
LANE_FUNCTION(shf_l_wrap, d[l] = FUNNEL << (c[l] & 31) >> 32;)
LANE_FUNCTION(shf_r_clamp, d[l] = (uint32_t)(FUNNEL >> CLAMPED);)
LANE_FUNCTION(shf_r_wrap, d[l] = (uint32_t)(FUNNEL >> (c[l] & 31));)
#undef FUNNEL
#undef CLAMPED

LANE_FUNCTION(popc, d[l] = (uint64_t)__builtin_popcountll(a[l]);)
LANE_FUNCTION(clz_32, d[l] = a[l] == 0 ? 32 : (uint64_t)__builtin_clzll(a[l]) - 32;)
LANE_FUNCTION(clz_64, d[l] = a[l] == 0 ? 64 : (uint64_t)__builtin_clzll(a[l]);)
/* clang-format on */

/* Each bit of the result is the table's bit at the number that the operands' bits form. */
static void lop3(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint64_t table = s[3][0];
    (void)op;
    FOR_LANES(l) {
        uint64_t a = s[0][l], b = s[1][l], c = s[2][l], result = 0;
        for (uint32_t i = 0; i < 8; i++) {
            uint64_t row = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
            result |= row & (0 - (table >> i & 1));
        }
        d[l] = (uint32_t)result;
    }
}

static void brev(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint32_t unused = op->form->type == PTX_B64 ? 0 : 32;
    FOR_LANES(l) {
        uint64_t x = __builtin_bswap64(s[0][l]);
        x = (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4 | (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f));
        x = (x & UINT64_C(0x3333333333333333)) << 2 | (x >> 2 & UINT64_C(0x3333333333333333));
        x = (x & UINT64_C(0x5555555555555555)) << 1 | (x >> 1 & UINT64_C(0x5555555555555555));
        d[l] = x >> unused;
    }
}

/* Position of the highest bit that differs from the sign; .shiftamt: how far it is from the left end. */
static void bfind(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    enum int_kind kind = int_kind_of(op->form->type);
    uint32_t width = kind >= INT_U64 ? 64 : 32;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint64_t x = s[0][l];
        bool is_signed = kind == INT_S32 || kind == INT_S64;
        if (is_signed && (x >> (width - 1) & 1) != 0) x = ~x & low_bytes_mask(width / 8);
        uint32_t position = x == 0 ? UINT32_MAX : 63 - (uint32_t)__builtin_clzll(x);
        if (op->form->mode == PTX_MODE_SHIFTAMT && x != 0) position = width - 1 - position;
        d[l] = position;
    }
}

/* Bits b .. b + c - 1 of a. Where the field runs past the left end, and above it, a signed extract repeats
 * the field's leftmost bit. */
static void bfe(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    enum int_kind kind = int_kind_of(op->form->type);
    uint32_t width = kind >= INT_U64 ? 64 : 32;
    bool is_signed = kind == INT_S32 || kind == INT_S64;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint32_t position = s[1][l] & 0xff, length = s[2][l] & 0xff;
        uint32_t end = position + length > width ? width : position + length;
        uint32_t sign_at = end == 0 ? 0 : end - 1;
        bool negative = is_signed && length != 0 && (s[0][l] >> sign_at & 1) != 0;
        uint32_t count = position < end ? end - position : 0;
        uint64_t field = count == 0 ? 0 : s[0][l] >> position & low_bits(count);
        if (negative) field |= ~low_bits(count);
        d[l] = field & low_bits(width);
    }
}

/* Bits 0 .. d - 1 of a replace those from c on in b. */
static void bfi(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    uint32_t width = op->form->type == PTX_B64 ? 64 : 32;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint32_t position = s[2][l] & 0xff, length = s[3][l] & 0xff;
        uint64_t field = position >= width ? 0 : low_bits(length) << position & low_bits(width);
        uint64_t inserted = position >= width ? 0 : s[0][l] << position;
        d[l] = (s[1][l] & ~field) | (inserted & field);
    }
}

/* Sign- or zero-extends the low b bits of a. */
static void szext(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint32_t b = (uint32_t)s[1][l];
        uint32_t count = op->form->mode == PTX_MODE_WRAP ? b & 31 : b < 32 ? b : 32;
        uint64_t value = s[0][l] & low_bits(count);
        bool negative = op->form->type == PTX_S32 && count != 0 && (value >> (count - 1) & 1) != 0;
        d[l] = (uint32_t)(negative ? value | ~low_bits(count) : value);
    }
}

/* b ones from bit a on. */
static void bmsk(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    bool wrap = op->form->mode == PTX_MODE_WRAP;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint32_t a = (uint32_t)s[0][l], b = (uint32_t)s[1][l];
        a = wrap ? a & 31 : a < 32 ? a : 32;
        b = wrap ? b & 31 : b < 32 ? b : 32;
        d[l] = (uint32_t)(low_bits(b) << a);
    }
}

/* Position of the n-th set bit of a, counted from bit b upwards (c > 0) or downwards (c < 0). */
static uint32_t nth_set_bit(uint32_t mask, uint32_t base, int32_t n) {
    if (base > 31) return UINT32_MAX;
    if (n == 0) return (mask >> base & 1) != 0 ? base : UINT32_MAX;
    int64_t left = n < 0 ? -(int64_t)n : n;
    for (int32_t i = (int32_t)base; i >= 0 && i < 32; i += n < 0 ? -1 : 1)
        if ((mask >> i & 1) != 0 && --left == 0) return (uint32_t)i;
    return UINT32_MAX;
}

static void fns(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    (void)op;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        d[l] = nth_set_bit((uint32_t)s[0][l], (uint32_t)s[1][l], (int32_t)s[2][l]);
}

uint32_t alu_permute_selector(uint8_t mode, uint32_t i, uint32_t control) {
    uint32_t n = control & 3;
    switch (mode) {
    case PTX_MODE_F4E: return n + i;
    case PTX_MODE_B4E: return (n - i) & 7;
    case PTX_MODE_RC8: return n;
    case PTX_MODE_ECL: return i < n ? n : i;
    case PTX_MODE_ECR: return i < n ? i : n;
    case PTX_MODE_RC16: return (n & 1) * 2 + (i & 1);
    default: return control >> (4 * i) & 15;
    }
}

static void prmt(const struct micro *op, uint64_t *d, const uint64_t *const *s) {
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint64_t bytes = s[1][l] << 32 | s[0][l], result = 0;
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t selector = alu_permute_selector(op->form->mode, i, (uint32_t)s[2][l]);
            uint64_t byte = bytes >> (8 * (selector & 7)) & 0xff;
            if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
            result |= byte << (8 * i);
        }
        d[l] = result;
    }
}

static lane_fn find_shift(const struct ptx_form *form) {
    static const lane_fn left[INT_KINDS] = INT_TABLE(shl), right[INT_KINDS] = INT_TABLE(shr);
    enum int_kind kind = int_kind_of(form->type);
    if (kind == INT_KINDS) return NULL;
    return form->op == PTX_OP_SHL ? left[kind] : right[kind];
}

static lane_fn find_funnel(const struct ptx_form *form) {
    switch (form->mode) {
    case PTX_MODE_LEFT_CLAMP: return shf_l_clamp;
    case PTX_MODE_LEFT_WRAP: return shf_l_wrap;
    case PTX_MODE_RIGHT_CLAMP: return shf_r_clamp;
    case PTX_MODE_RIGHT_WRAP: return shf_r_wrap;
    default: return NULL;
    }
}

static lane_fn find_unary(const struct ptx_form *form) {
    static const lane_fn nots[INT_KINDS] = INT_TABLE(not ), cnots[INT_KINDS] = INT_TABLE(cnot);
    enum int_kind kind = int_kind_of(form->type);
    if (kind == INT_KINDS) return NULL;
    return form->op == PTX_OP_NOT ? nots[kind] : cnots[kind];
}

static lane_fn find_bits(const struct ptx_form *form) {
    if (form->type == PTX_PRED) return NULL;
    switch (form->op) {
    case PTX_OP_AND: return and_bits;
    case PTX_OP_OR: return or_bits;
    case PTX_OP_XOR: return xor_bits;
    case PTX_OP_NOT:
    case PTX_OP_CNOT: return find_unary(form);
    case PTX_OP_LOP3: return form->mode == PTX_MODE_NONE ? lop3 : NULL;
    case PTX_OP_SHL:
    case PTX_OP_SHR: return find_shift(form);
    case PTX_OP_SHF: return find_funnel(form);
    case PTX_OP_POPC: return popc;
    case PTX_OP_CLZ: return form->type == PTX_B64 ? clz_64 : clz_32;
    case PTX_OP_BFIND: return bfind;
    case PTX_OP_BREV: return brev;
    case PTX_OP_BFE: return bfe;
    case PTX_OP_BFI: return bfi;
    case PTX_OP_SZEXT: return szext;
    case PTX_OP_BMSK: return bmsk;
    case PTX_OP_FNS: return fns;
    case PTX_OP_PRMT: return prmt;
    default: return NULL;
    }
}

lane_fn alu_int_find(const struct ptx_form *form) {
    const lane_fn arithmetic = find_arithmetic(form);
    return arithmetic != NULL ? arithmetic : find_bits(form);
}
