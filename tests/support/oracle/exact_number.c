#include "exact_number.h"

#include <string.h>

#define UNIT_LIMBS 69 /* limbs below 1 */

struct exact exact_of(bool negative, uint64_t integer, int exponent) {
    struct exact made = {.negative = negative};
    unsigned at = (unsigned)(exponent + 32 * UNIT_LIMBS);
    unsigned __int128 shifted = (unsigned __int128)integer << (at % 32);
    for (unsigned i = 0; i < 3; i++)
        made.limbs[at / 32 + i] = (uint32_t)(shifted >> (32 * i));
    return made;
}

bool exact_is_zero(const struct exact *a) {
    for (unsigned i = 0; i < EXACT_LIMBS; i++)
        if (a->limbs[i] != 0) return false;
    return true;
}

/* -1, 0 or 1 as |a| is smaller than, equal to or larger than |b|. */
static int compare_magnitudes(const struct exact *a, const struct exact *b) {
    for (unsigned i = EXACT_LIMBS; i-- > 0;)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

struct exact exact_sum(const struct exact *a, const struct exact *b) {
    bool larger = compare_magnitudes(a, b) >= 0;
    const struct exact *big = larger ? a : b, *small = larger ? b : a;
    struct exact sum = {.negative = big->negative};
    int64_t carry = 0;
    for (unsigned i = 0; i < EXACT_LIMBS; i++) {
        carry += big->limbs[i];
        carry += a->negative == b->negative ? (int64_t)small->limbs[i] : -(int64_t)small->limbs[i];
        sum.limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return sum;
}

struct exact exact_product(const struct exact *a, const struct exact *b) {
    uint32_t limbs[2 * EXACT_LIMBS + 1] = {0};
    for (unsigned i = 0; i < EXACT_LIMBS; i++) {
        uint64_t carry = 0;
        for (unsigned j = 0; a->limbs[i] != 0 && j < EXACT_LIMBS; j++) {
            carry += (uint64_t)a->limbs[i] * b->limbs[j] + limbs[i + j];
            limbs[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        limbs[i + EXACT_LIMBS] = (uint32_t)carry;
    }
    struct exact product = {.negative = a->negative != b->negative};
    memcpy(product.limbs, limbs + UNIT_LIMBS, sizeof product.limbs);
    return product;
}

static struct exact halved(const struct exact *a) {
    struct exact half = *a;
    for (unsigned i = 0; i < EXACT_LIMBS; i++)
        half.limbs[i] = a->limbs[i] >> 1 | (i + 1 < EXACT_LIMBS ? a->limbs[i + 1] << 31 : 0);
    return half;
}

unsigned __int128 exact_integer(const struct exact *a, bool *inexact, int *half) {
    const struct exact most = exact_of(false, 1, 100), one_half = exact_of(false, 1, -1);
    struct exact rest = {0};
    memcpy(rest.limbs, a->limbs, UNIT_LIMBS * sizeof *rest.limbs);
    *inexact = !exact_is_zero(&rest);
    *half = compare_magnitudes(&rest, &one_half);
    if (compare_magnitudes(a, &most) >= 0) return (unsigned __int128)1 << 100;
    unsigned __int128 integer = 0;
    for (unsigned i = 4; i-- > 0;)
        integer = integer << 32 | a->limbs[UNIT_LIMBS + i];
    return integer;
}

/* The magnitude that a pattern without sign and unused bits stands for; that of infinity is the power of two
 * behind the largest number. */
static struct exact magnitude_of(struct format format, uint64_t pattern) {
    uint64_t mantissa = pattern & ((UINT64_C(1) << format.mantissa_bits) - 1);
    int exponent = (int)(pattern >> format.mantissa_bits), bias = (1 << (format.exponent_bits - 1)) - 1;
    if (exponent != 0) mantissa += UINT64_C(1) << format.mantissa_bits;
    return exact_of(false, mantissa, (exponent == 0 ? 1 : exponent) - bias - (int)format.mantissa_bits);
}

static uint64_t sign_bit(struct format format) {
    return UINT64_C(1) << (format.exponent_bits + format.mantissa_bits + format.unused_bits);
}

static uint64_t magnitude_bits(struct format format, uint64_t pattern) {
    return (pattern & (sign_bit(format) - 1)) >> format.unused_bits;
}

static uint64_t infinity_bits(struct format format) {
    return ((UINT64_C(1) << format.exponent_bits) - 1) << format.mantissa_bits;
}

uint64_t format_zero(struct format format, bool negative) {
    return negative ? sign_bit(format) : 0;
}

uint64_t format_infinity(struct format format, bool negative) {
    return infinity_bits(format) << format.unused_bits | format_zero(format, negative);
}

bool format_is_subnormal(struct format format, uint64_t pattern) {
    uint64_t bits = magnitude_bits(format, pattern);
    return bits != 0 && bits >> format.mantissa_bits == 0;
}

bool format_is_nan(struct format format, uint64_t pattern) {
    return magnitude_bits(format, pattern) > infinity_bits(format);
}

struct number number_of(struct format format, uint64_t pattern) {
    uint64_t bits = magnitude_bits(format, pattern), infinity = infinity_bits(format);
    struct number number = {.kind = bits > infinity    ? NUMBER_NAN
                                    : bits == infinity ? NUMBER_INFINITE
                                                       : NUMBER_FINITE,
                            .negative = (pattern & sign_bit(format)) != 0};
    if (number.kind == NUMBER_FINITE) number.value = magnitude_of(format, bits);
    number.value.negative = number.negative;
    return number;
}

/* What is rounded: a, a / b, or the root of a. */
struct rounded {
    struct exact a, b;
    bool divides, is_root, negative;
};

/* How the magnitude compares with that of v. */
static int compare_with(const struct rounded *what, const struct exact *v) {
    if (!what->divides && !what->is_root) return compare_magnitudes(&what->a, v);
    const struct exact product = exact_product(v, what->divides ? &what->b : v);
    return compare_magnitudes(&what->a, &product);
}

/* Whether the number behind the pattern `low`, the largest that is not above the value, is the result. */
static bool goes_up(struct format format, const struct rounded *what, uint64_t low, enum rounding mode) {
    const struct exact below = magnitude_of(format, low), above = magnitude_of(format, low + 1);
    if (compare_with(what, &below) == 0 || mode == ROUND_ZERO) return false;
    if (mode == ROUND_DOWN) return what->negative;
    if (mode == ROUND_UP) return !what->negative;
    const struct exact sum = exact_sum(&below, &above), middle = halved(&sum);
    int side = compare_with(what, &middle);
    return side > 0 || (side == 0 && (mode == ROUND_AWAY || (low & 1) != 0));
}

static uint64_t rounded_pattern(struct format format, const struct rounded *what, enum rounding mode) {
    uint64_t low = 0, high = infinity_bits(format);
    bool to_number =
        mode == ROUND_ZERO || (mode == ROUND_DOWN && !what->negative) || (mode == ROUND_UP && what->negative);
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        const struct exact value = magnitude_of(format, middle);
        if (compare_with(what, &value) >= 0)
            low = middle;
        else
            high = middle - 1;
    }
    if (low == infinity_bits(format))
        low -= to_number;
    else
        low += goes_up(format, what, low, mode);
    return low << format.unused_bits | format_zero(format, what->negative);
}

uint64_t format_round(struct format format, const struct exact *a, enum rounding mode) {
    const struct rounded what = {.a = *a, .negative = a->negative};
    return rounded_pattern(format, &what, mode);
}

uint64_t format_round_quotient(struct format format, const struct exact *a, const struct exact *b,
                               enum rounding mode) {
    const struct rounded what = {.a = *a, .b = *b, .divides = true, .negative = a->negative != b->negative};
    return rounded_pattern(format, &what, mode);
}

uint64_t format_round_root(struct format format, const struct exact *a, enum rounding mode) {
    const struct rounded what = {.a = *a, .is_root = true};
    return rounded_pattern(format, &what, mode);
}
