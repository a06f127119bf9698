#include "wings/makespan/strings/notation.h"

#include <string.h>

#include "base/files.h"

/* Parentheses within parentheses. */
#define NESTING_MAX 16u

struct notation {
    struct scanner scan;
    struct unit_string *string;
};

/* The number behind a letter or parenthesis, 1 where there is none. */
static wb_status read_count(struct notation *notation, uint32_t *count) {
    *count = 1;
    if (!ascii_digit(scan_here(&notation->scan))) return WB_OK;
    return scan_u32(&notation->scan, "a number", 1, MAKESPAN_LENGTH_MAX, count);
}

/* Repeats what stands from item `start` on, so that it is there `count` times. */
static wb_status repeat(struct notation *notation, size_t start, uint32_t count) {
    struct unit_string *string = notation->string;
    size_t length = string->units.count - start;
    if (start + (uint64_t)length * count > MAKESPAN_LENGTH_MAX)
        return scan_fail(&notation->scan, "more than 1000000 instructions");
    if (vec_reserve(&string->units, length * (count - 1)) != WB_OK)
        return diagnose_out_of_memory(notation->scan.diagnostics, "makespan");
    for (uint32_t i = 1; i < count; i++) {
        memcpy(string->units.items + string->units.count, string->units.items + start, length);
        string->units.count += length;
    }
    return WB_OK;
}

static wb_status read_sequence(struct notation *notation, unsigned depth);

/* One letter or parenthesised sequence, and how often it is repeated. */
static wb_status read_item(struct notation *notation, unsigned depth) {
    size_t start = notation->string->units.count;
    char letter = scan_here(&notation->scan);
    uint32_t unit = unit_of_letter(letter);
    if (unit < UNIT_TYPES) {
        if (vec_push(&notation->string->units, (uint8_t)unit) != WB_OK)
            return diagnose_out_of_memory(notation->scan.diagnostics, "makespan");
    } else if (letter == '(' && depth < NESTING_MAX) {
        notation->scan.at++;
        WB_TRY(read_sequence(notation, depth + 1));
        if (scan_at_end(&notation->scan)) return scan_fail(&notation->scan, "expected ')'");
    } else {
        return scan_fail(&notation->scan, "expected L, C, S, D or '('");
    }
    notation->scan.at++;
    uint32_t count;
    WB_TRY(read_count(notation, &count));
    return repeat(notation, start, count);
}

/* Items up to the end or, inside parentheses, up to ')'. */
static wb_status read_sequence(struct notation *notation, unsigned depth) {
    size_t start = notation->scan.at;
    while (!scan_at_end(&notation->scan) && !(depth > 0 && scan_here(&notation->scan) == ')'))
        WB_TRY(read_item(notation, depth));
    return notation->scan.at > start ? WB_OK
                                     : scan_fail(&notation->scan, "expected at least one instruction");
}

wb_status notation_parse(const char *text, size_t length, const struct subject *subject,
                         wb_diagnostics *diagnostics, struct unit_string *string) {
    struct notation notation = {.scan = {.text = text,
                                         .size = length,
                                         .subject = *subject,
                                         .topic = "kernel instruction string",
                                         .diagnostics = diagnostics},
                                .string = string};
    wb_status status = read_sequence(&notation, 0);
    if (status != WB_OK) unit_string_free(string);
    return status;
}

void notation_print(struct text *out, const uint8_t *units, uint32_t length) {
    for (uint32_t i = 0; i < length;) {
        uint32_t end = i + 1;
        while (end < length && units[end] == units[i])
            end++;
        text_char(out, UNIT_LETTERS[units[i]]);
        if (end - i > 1) text_printf(out, "%u", end - i);
        i = end;
    }
}

void unit_string_free(struct unit_string *string) {
    vec_free(&string->units);
}

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
