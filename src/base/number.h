/* Numbers that users write, in any locale. Every function takes the whole text of the number: anything before
 * or behind it makes the text no number. */
#ifndef WB_BASE_NUMBER_H
#define WB_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Digits before and behind the point, exactly: digits / 10^scale. */
struct decimal {
    uint64_t digits;
    uint32_t scale; /* at most DECIMAL_SCALE_MAX */
};

#define DECIMAL_SCALE_MAX 18u

/* A whole number, decimal or hexadecimal (0x...), without a sign. False when it is none or needs more than 64
 * bits; *value is then untouched, here and below. */
bool number_u64(const char *text, size_t length, uint64_t *value);

/* A decimal number such as "930" or "1.5", without sign and exponent. */
bool number_decimal(const char *text, size_t length, struct decimal *value);

/* A floating-point number as C writes it ("-0.5", "1e-3", "inf", "nan"), rounded to nearest even. False also
 * when a finite number is too large for the type. */
bool number_f32(const char *text, size_t length, float *value);
bool number_f64(const char *text, size_t length, double *value);

/* Hexadecimal digits only, at least one and at most 16. */
bool number_hex(const char *text, size_t length, uint64_t *value);

/* 10 to the power `exponent` (at most 38). */
unsigned __int128 number_power_of_ten(uint32_t exponent);

#endif
