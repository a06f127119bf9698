#include "base/suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/c_locale.h"

static bool same_letter(char a, char b) {
    return ascii_lower(a) == ascii_lower(b);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Least number of insertions, deletions, changes and swaps of neighbours that make b of a, letters compared
 * without case (optimal string alignment). Both texts fit SUGGEST_LENGTH_MAX. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    uint8_t distance[SUGGEST_LENGTH_MAX + 1][SUGGEST_LENGTH_MAX + 1];
    for (size_t i = 0; i <= a_length; i++)
        distance[i][0] = (uint8_t)i;
    for (size_t j = 0; j <= b_length; j++)
        distance[0][j] = (uint8_t)j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = same_letter(a[i - 1], b[j - 1]) ? 0 : 1;
            size_t edits = least(distance[i - 1][j], distance[i][j - 1]) + 1;
            edits = least(edits, distance[i - 1][j - 1] + change);
            bool swapped =
                i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
            if (swapped) edits = least(edits, (size_t)distance[i - 2][j - 2] + 1);
            distance[i][j] = (uint8_t)edits;
        }
    }
    return distance[a_length][b_length];
}

const char *suggest_nearest(const char *word, const char *const *names, size_t count) {
    size_t length = strlen(word);
    if (length == 0 || length > SUGGEST_LENGTH_MAX) return NULL;
    size_t best = (length + 1) / 3 + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t name_length = strlen(names[i]);
        if (name_length > SUGGEST_LENGTH_MAX) continue;
        size_t distance = edit_distance(word, length, names[i], name_length);
        if (distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}
