#include "base/suggest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Levenshtein distance, letters compared without case, one row at a time; both texts fit
 * SUGGEST_LENGTH_MAX. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t row[SUGGEST_LENGTH_MAX + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 0; i < a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b_length; j++) {
            size_t above = row[j + 1];
            int same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j]);
            row[j + 1] = least(diagonal + (same ? 0 : 1), least(above, row[j]) + 1);
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *suggest_nearest(const char *word, const char *const *names, size_t count) {
    size_t length = strlen(word);
    if (length == 0 || length > SUGGEST_LENGTH_MAX) return NULL;
    size_t best = length / 3 + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_length = strlen(names[i]);
        if (name_length > SUGGEST_LENGTH_MAX) continue;
        size_t distance = edit_distance(word, length, names[i], name_length);
        if (distance < best || (distance == best && nearest == NULL && distance <= 1)) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
