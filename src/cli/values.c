#include "values.h"

#include <stdlib.h>
#include <string.h>

/* The longest time limit. */
#define SECONDS_MAX 1e8

bool read_number(const char *text, size_t length, uint64_t least, uint64_t most, uint64_t *number) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const bool is_hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    uint64_t value = 0;
    for (size_t i = is_hex ? 2 : 0; i < length; i++) {
        const char *at = memchr(digits, text[i], is_hex ? sizeof digits - 1 : 10);
        if (at == NULL) return false;
        const unsigned digit = (unsigned)(at - digits);
        if (__builtin_mul_overflow(value, is_hex ? 16 : 10, &value) ||
            __builtin_add_overflow(value, digit < 16 ? digit : digit - 6, &value))
            return false;
    }
    if (length == 0 || value < least || value > most) return false;
    *number = value;
    return true;
}

bool read_dimensions(const char *text, uint32_t rest, uint32_t dimensions[3]) {
    for (int axis = 0; axis < 3; axis++)
        dimensions[axis] = rest;
    for (int axis = 0; axis < 3; axis++) {
        const size_t length = strcspn(text, ",");
        uint64_t value;
        if (!read_number(text, length, 0, UINT32_MAX, &value)) return false;
        dimensions[axis] = (uint32_t)value;
        if (text[length] == '\0') return true;
        text += length + 1;
    }
    return false;
}

bool read_seconds(const char *text, double *seconds) {
    char *end;
    *seconds = strtod(text, &end);
    return text[strspn(text, "0123456789.")] == '\0' && *end == '\0' && *seconds > 0 &&
           *seconds <= SECONDS_MAX;
}
