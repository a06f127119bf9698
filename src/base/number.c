#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Longest text of a floating-point number: more digits than any double needs to be told apart. */
#define FLOAT_TEXT_MAX 400

/* Value of a digit in bases up to 16, or 16 for any other character. */
static uint32_t digit_value(char c) {
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'f') return (uint32_t)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (uint32_t)(c - 'A') + 10;
    return 16;
}

static bool parse_digits(const char *text, size_t length, uint32_t base, uint64_t *value) {
    uint64_t sum = 0;
    if (length == 0) return false;
    for (size_t i = 0; i < length; i++) {
        uint32_t digit = digit_value(text[i]);
        if (digit >= base) return false;
        if (__builtin_mul_overflow(sum, base, &sum) || __builtin_add_overflow(sum, digit, &sum)) return false;
    }
    *value = sum;
    return true;
}

bool number_u64(const char *text, size_t length, uint64_t *value) {
    bool hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    return hex ? parse_digits(text + 2, length - 2, 16, value) : parse_digits(text, length, 10, value);
}

bool number_hex(const char *text, size_t length, uint64_t *value) {
    return length <= 16 && parse_digits(text, length, 16, value);
}

bool number_decimal(const char *text, size_t length, struct decimal *value) {
    const char *point = memchr(text, '.', length);
    size_t whole = point == NULL ? length : (size_t)(point - text);
    struct decimal result = {0};
    if (!parse_digits(text, whole, 10, &result.digits)) return false;
    if (point != NULL) {
        size_t places = length - whole - 1;
        uint64_t fraction;
        if (places > DECIMAL_SCALE_MAX || !parse_digits(point + 1, places, 10, &fraction)) return false;
        result.scale = (uint32_t)places;
        uint64_t unit = (uint64_t)number_power_of_ten(result.scale);
        if (__builtin_mul_overflow(result.digits, unit, &result.digits)) return false;
        if (__builtin_add_overflow(result.digits, fraction, &result.digits)) return false;
    }
    *value = result;
    return true;
}

/* A number of either type, rounded once: what a float holds, a double holds, too. strtod would skip leading
 * spaces and read hexadecimal floats, which are not meant here. */
static bool parse_float(const char *text, size_t length, bool is_f32, double *value) {
    char buffer[FLOAT_TEXT_MAX], *end;
    if (length == 0 || length >= FLOAT_TEXT_MAX || ascii_space(text[0])) return false;
    if (memchr(text, '\0', length) != NULL || memchr(text, 'x', length) != NULL ||
        memchr(text, 'X', length) != NULL)
        return false;
    memcpy(buffer, text, length);
    buffer[length] = '\0';
    errno = 0;
    double result = is_f32 ? (double)strtof_l(buffer, &end, c_locale()) : strtod_l(buffer, &end, c_locale());
    bool overflow = errno == ERANGE && isinf(result);
    if (end != buffer + length || overflow) return false;
    *value = result;
    return true;
}

bool number_f32(const char *text, size_t length, float *value) {
    double result;
    if (!parse_float(text, length, true, &result)) return false;
    *value = (float)result;
    return true;
}

bool number_f64(const char *text, size_t length, double *value) {
    return parse_float(text, length, false, value);
}

unsigned __int128 number_power_of_ten(uint32_t exponent) {
    assert(exponent <= 38);
    unsigned __int128 power = 1;
    for (uint32_t i = 0; i < exponent; i++)
        power *= 10;
    return power;
}
