/* The notation of kernel instruction strings: letters, a number behind a letter or a parenthesis repeats it:
 * "L5C9L2C9", "(LC)5", "llc". */
#ifndef WB_STRINGS_NOTATION_H
#define WB_STRINGS_NOTATION_H

#include "base/base.h"
#include "wings/makespan/strings/problem.h"

/* A string as indices of unit types. Zero-initialised it is empty. */
struct unit_string {
    VEC(uint8_t) units;
};

/* Reads a string behind the end of *string, which is empty unless this fails. WB_ERR_INPUT with a message
 * about the subject at fault, WB_ERR_LIMIT when memory is exhausted. */
wb_status notation_parse(const char *text, size_t length, const struct subject *subject,
                         wb_diagnostics *diagnostics, struct unit_string *string);

/* Appends the string with runs of letters as numbers, "L5C9L2C9". */
void notation_print(struct text *out, const uint8_t *units, uint32_t length);

void unit_string_free(struct unit_string *string);

/* How two kernel instruction strings differ, for instance one made of PTX and one from a paper. */

/* What one string consists of. */
struct string_shape {
    uint32_t length;
    uint32_t count[UNIT_TYPES];
    uint32_t runs; /* of equal letters */
};

struct string_difference {
    struct string_shape of[2];
    uint32_t equal_start; /* letters from the start on in which the strings agree */
    uint32_t equal_end;   /* letters before the end, without those */
};

struct string_difference string_difference_of(const struct unit_string *a, const struct unit_string *b);

/* Appends it as a sentence. */
void string_difference_print(const struct string_difference *difference, struct text *out);

#endif
