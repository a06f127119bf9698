/* How two kernel instruction strings differ, for instance one made of PTX and one from a paper. */
#ifndef WB_STRINGS_STRING_DIFFERENCE_H
#define WB_STRINGS_STRING_DIFFERENCE_H

#include "strings/notation.h"

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
