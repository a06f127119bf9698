/* The notation of kernel instruction strings: letters, a number behind a letter or a parenthesis repeats it:
 * "L5C9L2C9", "(LC)5", "llc". */
#ifndef WB_STRINGS_NOTATION_H
#define WB_STRINGS_NOTATION_H

#include "base/diagnostics.h"
#include "base/vec.h"
#include "strings/problem.h"

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

#endif
