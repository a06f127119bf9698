#include "base/base.h"

#include <string.h>

/* Most names of a registry. */
#define NAMES_MAX 64

/* ---- Choosing ---- */

/* The message about a name that nobody has; `others`: what could have been given beside a name. */
static wb_status choose_unknown(const char *what, const char *name, size_t length, const char *others,
                                const char *(*name_at)(size_t), wb_diagnostics *diagnostics) {
    char word[SUGGEST_LENGTH_MAX + 1];
    const char *names[NAMES_MAX], *nearest;
    size_t count = 0;
    struct text known = {0};
    (void)text_format(word, sizeof word, "%.*s", length > SUGGEST_LENGTH_MAX ? 0 : (int)length, name);
    for (; name_at(count) != NULL; count++) {
        assert(count < NAMES_MAX);
        names[count] = name_at(count);
        text_printf(&known, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    text_string(&known, others);
    nearest = wb_nearest_name(word, names, count);
    if (nearest != NULL)
        diagnose(diagnostics, SEVERITY_ERROR, what, "unknown name '%s'; did you mean '%s'?", word, nearest);
    else
        diagnose(diagnostics, SEVERITY_ERROR, what, "unknown name '%.*s' (known: %s)",
                 length > 40 ? 40 : (int)length, name, known.failed ? "" : known.data);
    text_free(&known);
    return WB_ERR_INPUT;
}

/* The number of the name that is the first `length` bytes of `name`, or SIZE_MAX. */
static size_t choose_find(const char *name, size_t length, const char *(*name_at)(size_t)) {
    const char *known;
    for (size_t i = 0; (known = name_at(i)) != NULL; i++)
        if (strlen(known) == length && memcmp(known, name, length) == 0) return i;
    return SIZE_MAX;
}

size_t choose_index(const char *name, const char *(*name_at)(size_t)) {
    return choose_find(name, strlen(name), name_at);
}

wb_status choose_name(const char *what, const char *name, const char *(*name_at)(size_t),
                      wb_diagnostics *diagnostics, size_t *index) {
    size_t found = choose_index(name, name_at);
    if (found == SIZE_MAX) return choose_unknown(what, name, strlen(name), "", name_at, diagnostics);
    *index = found;
    return WB_OK;
}

wb_status choose_names(const char *what, const char *list, const char *(*name_at)(size_t),
                       wb_diagnostics *diagnostics, uint64_t *chosen) {
    uint64_t bits = 0;
    if (strcmp(list, "all") == 0) {
        for (size_t i = 0; name_at(i) != NULL; i++) {
            assert(i < NAMES_MAX);
            bits |= UINT64_C(1) << i;
        }
        *chosen = bits;
        return WB_OK;
    }
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ",");
        size_t index = choose_find(name, length, name_at);
        if (index == SIZE_MAX) return choose_unknown(what, name, length, ", all", name_at, diagnostics);
        bits |= UINT64_C(1) << index;
        name += length;
        if (*name == '\0') break;
    }
    *chosen = bits;
    return WB_OK;
}

wb_status wb_names_check(const char *list, const char *(*name_at)(size_t), wb_diagnostics *diagnostics) {
    uint64_t chosen;
    return choose_names(list, list, name_at, diagnostics, &chosen);
}

/* ---- Did you mean ...? ---- */

/* Fewer letters are in many names by chance. */
#define INSIDE_LENGTH_MIN 3

static bool same_letter(char a, char b) {
    return ascii_lower(a) == ascii_lower(b);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Least number of insertions, deletions, changes and swaps of neighbours that make b of a, letters compared
 * without case (optimal string alignment). Both texts fit SUGGEST_LENGTH_MAX. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    assert(a_length <= SUGGEST_LENGTH_MAX && b_length <= SUGGEST_LENGTH_MAX);
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

/* The name that is at most a third of the word's letters away. */
static const char *similar_name(const char *word, size_t length, const char *const *names, size_t count) {
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

/* The only name that has the word in it, at its beginning where `at_beginning`. */
static const char *longer_name(const char *word, bool at_beginning, const char *const *names, size_t count) {
    const char *only = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(names[i], word);
        if (found == NULL || (at_beginning && found != names[i])) continue;
        if (only != NULL) return NULL;
        only = names[i];
    }
    return only;
}

/* The longest name that the word begins with, written out further. */
static const char *shorter_name(const char *word, const char *const *names, size_t count) {
    const char *longest = NULL;
    size_t most = INSIDE_LENGTH_MIN - 1;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(names[i]);
        if (length <= most || strncmp(word, names[i], length) != 0) continue;
        longest = names[i];
        most = length;
    }
    return longest;
}

const char *wb_nearest_name(const char *word, const char *const *names, size_t count) {
    size_t length = strlen(word);
    if (length == 0 || length > SUGGEST_LENGTH_MAX) return NULL;
    const char *nearest = similar_name(word, length, names, count);
    if (nearest == NULL) nearest = longer_name(word, true, names, count);
    if (nearest == NULL) nearest = shorter_name(word, names, count);
    return nearest == NULL && length >= INSIDE_LENGTH_MIN ? longer_name(word, false, names, count) : nearest;
}
