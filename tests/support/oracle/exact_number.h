/* Numbers without rounding, and binary floating-point formats by their definition: what references of
 * floating-point instructions are made of. Slow and simple: every finite f64 and every product of two of them
 * is a multiple of one small unit. */
#ifndef WB_TESTS_EXACT_NUMBER_H
#define WB_TESTS_EXACT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#define EXACT_LIMBS 136u

/* Limb i counts 2^(32 (i - 69)). */
struct exact {
    bool negative;
    uint32_t limbs[EXACT_LIMBS];
};

struct exact exact_of(bool negative, uint64_t integer, int exponent); /* integer * 2^exponent */
struct exact exact_sum(const struct exact *a, const struct exact *b);
struct exact exact_product(const struct exact *a, const struct exact *b);
bool exact_is_zero(const struct exact *a);

/* The integer part of the magnitude, at most 2^100, and how what follows it compares with 0 and with a half.
 */
unsigned __int128 exact_integer(const struct exact *a, bool *inexact, int *half);

/* A format: sign, exponent, mantissa, then bits that are not used. */
struct format {
    unsigned exponent_bits, mantissa_bits, unused_bits;
};

enum number_kind { NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN };

struct number {
    enum number_kind kind;
    bool negative;
    struct exact value; /* of a finite one */
};

struct number number_of(struct format format, uint64_t pattern);
uint64_t format_infinity(struct format format, bool negative);
uint64_t format_zero(struct format format, bool negative);
bool format_is_subnormal(struct format format, uint64_t pattern);
bool format_is_nan(struct format format, uint64_t pattern);

enum rounding { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY }; /* rn rz rm rp rna */

/* The pattern of a value that is not zero, rounded: of a; of a / b; of the square root of a. */
uint64_t format_round(struct format format, const struct exact *a, enum rounding mode);
uint64_t format_round_quotient(struct format format, const struct exact *a, const struct exact *b,
                               enum rounding mode);
uint64_t format_round_root(struct format format, const struct exact *a, enum rounding mode);

#endif
