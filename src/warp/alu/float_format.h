/* Binary floating-point formats of PTX and rounding into them, in software: exact for every rounding mode,
 * also from 64-bit integers and to formats that C does not have. */
#ifndef WB_WARP_ALU_FLOAT_FORMAT_H
#define WB_WARP_ALU_FLOAT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/form.h"

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

#endif
