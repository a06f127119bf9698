#include "base/choose.h"

#include <string.h>

/* The message about a name that nobody has; `others`: what could have been given beside a name. */
static wb_status choose_unknown(const char *what, const char *name, size_t length, const char *others,
                                const char *(*name_at)(size_t), wb_diagnostics *diagnostics) {
    struct text known = {0};
    for (size_t i = 0; name_at(i) != NULL; i++)
        text_printf(&known, "%s%s", i > 0 ? ", " : "", name_at(i));
    text_string(&known, others);
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
        for (size_t i = 0; name_at(i) != NULL; i++)
            bits |= UINT64_C(1) << i;
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
