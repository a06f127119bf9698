#include "float_reference.h"

#include <string.h>

#define INTEGER(name, bits, is_signed)                                                                       \
    {                                                                                                        \
        name, bits, false, is_signed, {                                                                      \
            0, 0, 0                                                                                          \
        }                                                                                                    \
    }
#define FLOATING(name, bits, ...)                                                                            \
    {                                                                                                        \
        name, bits, true, true, {                                                                            \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

const struct value_type_facts value_types[VALUE_TYPES] = {
    [VALUE_U8] = INTEGER("u8", 8, false),           [VALUE_S8] = INTEGER("s8", 8, true),
    [VALUE_U16] = INTEGER("u16", 16, false),        [VALUE_S16] = INTEGER("s16", 16, true),
    [VALUE_U32] = INTEGER("u32", 32, false),        [VALUE_S32] = INTEGER("s32", 32, true),
    [VALUE_U64] = INTEGER("u64", 64, false),        [VALUE_S64] = INTEGER("s64", 64, true),
    [VALUE_F16] = FLOATING("f16", 16, 5, 10, 0),    [VALUE_BF16] = FLOATING("bf16", 16, 8, 7, 0),
    [VALUE_TF32] = FLOATING("tf32", 32, 8, 10, 13), [VALUE_F32] = FLOATING("f32", 32, 8, 23, 0),
    [VALUE_F64] = FLOATING("f64", 64, 11, 52, 0),
};

static struct format format_of(enum value_type type) {
    return value_types[type].format;
}

/* An operand or a result after .ftz. */
static uint64_t flushed(enum value_type type, bool ftz, uint64_t bits) {
    if (!ftz || !format_is_subnormal(format_of(type), bits)) return bits;
    return bits & format_zero(format_of(type), true);
}

static struct number operand(enum value_type type, bool ftz, uint64_t bits) {
    return number_of(format_of(type), flushed(type, ftz, bits));
}

/* ---- Integers -------------------------------------------------------------------------------------- */

static uint64_t extended(enum value_type type, uint64_t bits) {
    unsigned width = value_types[type].bits;
    if (width == 64) return bits;
    bits &= (UINT64_C(1) << width) - 1;
    bool negative = value_types[type].is_signed && (bits >> (width - 1) & 1) != 0;
    return negative ? bits | UINT64_MAX << width : bits;
}

/* An integer of sign and magnitude, limited to what the type has. */
static uint64_t limited(enum value_type type, bool negative, unsigned __int128 magnitude) {
    unsigned __int128 one = 1, half = one << (value_types[type].bits - 1);
    if (!value_types[type].is_signed) {
        if (negative) return 0;
        return (uint64_t)(magnitude < 2 * half ? magnitude : 2 * half - 1);
    }
    if (negative) return extended(type, (uint64_t)(0 - (magnitude < half ? magnitude : half)));
    return (uint64_t)(magnitude < half ? magnitude : half - 1);
}

static unsigned __int128 integer_magnitude(const struct number *number, enum rounding mode) {
    bool inexact;
    int half;
    unsigned __int128 integer = exact_integer(&number->value, &inexact, &half);
    switch (mode) {
    case ROUND_ZERO: return integer;
    case ROUND_DOWN: return integer + (inexact && number->negative);
    case ROUND_UP: return integer + (inexact && !number->negative);
    default: return integer + (half > 0 || (half == 0 && (integer & 1) != 0));
    }
}

static uint64_t float_to_integer(enum value_type to, enum value_type from, enum rounding mode,
                                 const struct number *number) {
    unsigned bits = value_types[to].bits;
    if (number->kind == NUMBER_NAN)
        return from == VALUE_F64 || bits == 64 ? extended(to, UINT64_C(1) << (bits - 1)) : 0;
    if (number->kind == NUMBER_INFINITE) return limited(to, number->negative, (unsigned __int128)1 << 100);
    return limited(to, number->negative, integer_magnitude(number, mode));
}

/* ---- Results in a format --------------------------------------------------------------------------- */

/* A rounded result after .ftz and .sat or .relu; results below the smallest number are zeros. */
static uint64_t finished(enum value_type type, const struct modifiers *how, uint64_t bits) {
    bits = flushed(type, how->ftz, bits);
    bool negative = (bits & format_zero(format_of(type), true)) != 0;
    if (how->relu && negative) return 0;
    if (!how->sat) return bits;
    const struct exact one = exact_of(false, 1, 0);
    uint64_t most = format_round(format_of(type), &one, ROUND_NEAREST);
    return negative ? 0 : bits > most ? most : bits;
}

static uint64_t nan_result(const struct modifiers *how) {
    return how->sat ? 0 : ANY_NAN_RESULT;
}

static uint64_t infinite_result(enum value_type type, const struct modifiers *how, bool negative) {
    return finished(type, how, format_infinity(format_of(type), negative));
}

static uint64_t zero_result(enum value_type type, const struct modifiers *how, bool negative) {
    return finished(type, how, format_zero(format_of(type), negative));
}

static uint64_t rounded_result(enum value_type type, const struct modifiers *how, const struct exact *value) {
    return finished(type, how, format_round(format_of(type), value, how->round));
}

static uint64_t float_to_float(enum value_type to, const struct modifiers *how, struct number number) {
    struct modifiers after = *how;
    after.ftz = how->ftz && to == VALUE_F32; /* it is about single precision only */
    if (number.kind == NUMBER_NAN) return nan_result(how);
    if (number.kind == NUMBER_INFINITE) return infinite_result(to, &after, number.negative);
    if (how->to_integer) {
        unsigned __int128 integer = integer_magnitude(&number, how->round);
        if (integer >> 64 == 0) number.value = exact_of(number.negative, (uint64_t)integer, 0);
        /* what is larger has no fraction */
    }
    if (exact_is_zero(&number.value)) return zero_result(to, &after, number.negative);
    return rounded_result(to, &after, &number.value);
}

static uint64_t integer_to_float(enum value_type to, enum value_type from, const struct modifiers *how,
                                 uint64_t bits) {
    bits = extended(from, bits);
    bool negative = value_types[from].is_signed && bits >> 63 != 0;
    if (bits == 0) return 0;
    const struct exact value = exact_of(negative, negative ? 0 - bits : bits, 0);
    return rounded_result(to, how, &value);
}

static uint64_t integer_to_integer(enum value_type to, enum value_type from, bool sat, uint64_t bits) {
    bits = extended(from, bits);
    bool negative = value_types[from].is_signed && bits >> 63 != 0;
    return sat ? limited(to, negative, negative ? 0 - bits : bits) : extended(to, bits);
}

uint64_t reference_convert(enum value_type to, enum value_type from, const struct modifiers *how,
                           uint64_t bits) {
    if (!value_types[from].is_float) {
        if (value_types[to].is_float) return integer_to_float(to, from, how, bits);
        return integer_to_integer(to, from, how->sat, bits);
    }
    const struct number number = operand(from, how->ftz && from == VALUE_F32, bits);
    if (value_types[to].is_float) return float_to_float(to, how, number);
    return float_to_integer(to, from, how->round, &number);
}

/* ---- Arithmetic ------------------------------------------------------------------------------------- */

/* A product before it is rounded. */
static struct number multiplied(const struct number *a, const struct number *b) {
    struct number product = {.negative = a->negative != b->negative};
    bool infinite = a->kind == NUMBER_INFINITE || b->kind == NUMBER_INFINITE;
    bool zero = (a->kind == NUMBER_FINITE && exact_is_zero(&a->value)) ||
                (b->kind == NUMBER_FINITE && exact_is_zero(&b->value));
    if (a->kind == NUMBER_NAN || b->kind == NUMBER_NAN || (infinite && zero)) {
        product.kind = NUMBER_NAN;
    } else if (infinite) {
        product.kind = NUMBER_INFINITE;
    } else {
        product.value = exact_product(&a->value, &b->value);
        product.value.negative = product.negative;
    }
    return product;
}

/* A sum, rounded. */
static uint64_t added(enum value_type type, const struct modifiers *how, const struct number *a,
                      const struct number *b) {
    bool both = a->kind == NUMBER_INFINITE && b->kind == NUMBER_INFINITE;
    if (a->kind == NUMBER_NAN || b->kind == NUMBER_NAN || (both && a->negative != b->negative))
        return nan_result(how);
    if (a->kind == NUMBER_INFINITE) return infinite_result(type, how, a->negative);
    if (b->kind == NUMBER_INFINITE) return infinite_result(type, how, b->negative);
    const struct exact sum = exact_sum(&a->value, &b->value);
    if (!exact_is_zero(&sum)) return rounded_result(type, how, &sum);
    return zero_result(type, how, a->negative == b->negative ? a->negative : how->round == ROUND_DOWN);
}

uint64_t reference_sum(enum value_type type, const struct modifiers *how, uint64_t a, uint64_t b) {
    const struct number x = operand(type, how->ftz, a), y = operand(type, how->ftz, b);
    return added(type, how, &x, &y);
}

uint64_t reference_product(enum value_type type, const struct modifiers *how, uint64_t a, uint64_t b) {
    const struct number x = operand(type, how->ftz, a), y = operand(type, how->ftz, b);
    const struct number product = multiplied(&x, &y);
    if (product.kind == NUMBER_NAN) return nan_result(how);
    if (product.kind == NUMBER_INFINITE) return infinite_result(type, how, product.negative);
    if (exact_is_zero(&product.value)) return zero_result(type, how, product.negative);
    return rounded_result(type, how, &product.value);
}

uint64_t reference_fused(enum value_type type, const struct modifiers *how, uint64_t a, uint64_t b,
                         uint64_t c) {
    const struct number x = operand(type, how->ftz, a), y = operand(type, how->ftz, b);
    const struct number z = operand(type, how->ftz, c), product = multiplied(&x, &y);
    return added(type, how, &product, &z);
}

uint64_t reference_quotient(enum value_type type, const struct modifiers *how, uint64_t a, uint64_t b) {
    const struct number x = operand(type, how->ftz, a), y = operand(type, how->ftz, b);
    bool negative = x.negative != y.negative;
    bool zeros = x.kind == NUMBER_FINITE && exact_is_zero(&x.value);
    bool by_zero = y.kind == NUMBER_FINITE && exact_is_zero(&y.value);
    bool infinities = x.kind == NUMBER_INFINITE && y.kind == NUMBER_INFINITE;
    if (x.kind == NUMBER_NAN || y.kind == NUMBER_NAN || infinities || (zeros && by_zero))
        return nan_result(how);
    if (x.kind == NUMBER_INFINITE || by_zero) return infinite_result(type, how, negative);
    if (y.kind == NUMBER_INFINITE || zeros) return zero_result(type, how, negative);
    return finished(type, how, format_round_quotient(format_of(type), &x.value, &y.value, how->round));
}

uint64_t reference_root(enum value_type type, const struct modifiers *how, uint64_t a) {
    const struct number x = operand(type, how->ftz, a);
    bool zero = x.kind == NUMBER_FINITE && exact_is_zero(&x.value);
    if (x.kind == NUMBER_NAN || (x.negative && !zero)) return nan_result(how);
    if (zero) return zero_result(type, how, x.negative);
    if (x.kind == NUMBER_INFINITE) return infinite_result(type, how, false);
    return finished(type, how, format_round_root(format_of(type), &x.value, how->round));
}

/* ---- Order ------------------------------------------------------------------------------------------ */

/* A pattern that is no NaN as an integer that is ordered like the numbers, -0 below +0. */
static int64_t order_of(enum value_type type, uint64_t bits) {
    uint64_t sign = format_zero(format_of(type), true), magnitude = bits & (sign - 1);
    return (bits & sign) != 0 ? -(int64_t)magnitude - 1 : (int64_t)magnitude;
}

uint64_t reference_extreme(enum value_type type, const struct modifiers *how, bool larger, uint64_t a,
                           uint64_t b) {
    uint64_t sign = format_zero(format_of(type), true);
    uint64_t x = flushed(type, how->ftz, a), y = flushed(type, how->ftz, b), product = (x ^ y) & sign;
    bool x_nan = format_is_nan(format_of(type), x), y_nan = format_is_nan(format_of(type), y);
    if (how->abs) {
        x &= ~sign;
        y &= ~sign;
    }
    if ((x_nan && y_nan) || (how->nan && (x_nan || y_nan))) return ANY_NAN_RESULT;
    uint64_t chosen = x_nan ? y : y_nan ? x : (order_of(type, x) < order_of(type, y)) == larger ? y : x;
    return how->xorsign ? (chosen & ~sign) | product : chosen;
}

bool reference_compare(enum value_type type, const struct modifiers *how, const char *operation, uint64_t a,
                       uint64_t b) {
    uint64_t sign = format_zero(format_of(type), true);
    uint64_t x = flushed(type, how->ftz, a), y = flushed(type, how->ftz, b);
    bool unordered = format_is_nan(format_of(type), x) || format_is_nan(format_of(type), y);
    if (strcmp(operation, "num") == 0) return !unordered;
    if (strcmp(operation, "nan") == 0) return unordered;
    if (unordered) return operation[2] == 'u';
    int64_t p = order_of(type, x & ~sign ? x : 0), q = order_of(type, y & ~sign ? y : 0);
    if (strncmp(operation, "eq", 2) == 0) return p == q;
    if (strncmp(operation, "ne", 2) == 0) return p != q;
    if (strncmp(operation, "lt", 2) == 0) return p < q;
    if (strncmp(operation, "le", 2) == 0) return p <= q;
    if (strncmp(operation, "gt", 2) == 0) return p > q;
    return p >= q;
}
