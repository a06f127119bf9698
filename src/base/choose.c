#include "base/choose.h"

#include <string.h>

/* The message about a name that nobody has. */
static wb_status choose_unknown(const char *what, const char *name, size_t length,
                                const char *(*name_at)(size_t), wb_diagnostics *diagnostics) {
    struct text known = {0};
    for (size_t i = 0; name_at(i) != NULL; i++)
        text_printf(&known, "%s, ", name_at(i));
    text_string(&known, "all");
    diagnose(diagnostics, SEVERITY_ERROR, what, "unknown name '%.*s' (known: %s)",
             length > 40 ? 40 : (int)length, name, known.failed ? "" : known.data);
    text_free(&known);
    return WB_ERR_INPUT;
}

wb_status choose_names(const char *what, const char *list, size_t (*find)(const char *, size_t),
                       const char *(*name_at)(size_t), wb_diagnostics *diagnostics, uint64_t *chosen) {
    uint64_t bits = 0;
    if (strcmp(list, "all") == 0) {
        for (size_t i = 0; name_at(i) != NULL; i++)
            bits |= UINT64_C(1) << i;
        *chosen = bits;
        return WB_OK;
    }
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ",");
        size_t index = find(name, length);
        if (index == SIZE_MAX) return choose_unknown(what, name, length, name_at, diagnostics);
        bits |= UINT64_C(1) << index;
        name += length;
        if (*name == '\0') break;
    }
    *chosen = bits;
    return WB_OK;
}
