#include "warp/alu/alu.h"

#include <stdlib.h>

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

lane_fn alu_int_find(const struct ptx_form *form) {
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
