#include "strings/string_difference.h"

static struct string_shape shape_of(const struct unit_string *string) {
    struct string_shape shape = {.length = (uint32_t)string->units.count};
    const uint8_t *units = string->units.items;
    for (uint32_t i = 0; i < shape.length; i++) {
        shape.count[units[i]]++;
        shape.runs += i == 0 || units[i] != units[i - 1];
    }
    return shape;
}

struct string_difference string_difference_of(const struct unit_string *a, const struct unit_string *b) {
    struct string_difference difference = {.of = {shape_of(a), shape_of(b)}};
    uint32_t a_length = difference.of[0].length;
    uint32_t b_length = difference.of[1].length;
    uint32_t shorter = a_length < b_length ? a_length : b_length;
    uint32_t start = 0;
    while (start < shorter && a->units.items[start] == b->units.items[start])
        start++;
    uint32_t end = 0;
    while (start + end < shorter && a->units.items[a_length - 1 - end] == b->units.items[b_length - 1 - end])
        end++;
    difference.equal_start = start;
    difference.equal_end = end;
    return difference;
}

void string_difference_print(const struct string_difference *difference, struct text *out) {
    const struct string_shape *a = &difference->of[0];
    const struct string_shape *b = &difference->of[1];
    if (a->length == b->length && difference->equal_start == a->length) {
        text_string(out, "the strings are equal");
        return;
    }
    text_printf(out, "%u letters against %u (", a->length, b->length);
    const char *before = "";
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        if (a->count[unit] == 0 && b->count[unit] == 0) continue;
        text_printf(out, "%s%c: %u against %u", before, UNIT_LETTERS[unit], a->count[unit], b->count[unit]);
        before = ", ";
    }
    text_printf(out, ") in %u runs against %u; equal are the first %u and the last %u", a->runs, b->runs,
                difference->equal_start, difference->equal_end);
}
