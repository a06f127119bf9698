#include "base/base.h"

#include <string.h>

const char *wb_version(void) {
    return WB_VERSION;
}

/* Whether what a later version has behind the struct of this one is zero, as it is where nobody asks. */
static bool rest_is_zero(const unsigned char *bytes, size_t from, size_t to) {
    while (from < to && bytes[from] == 0)
        from++;
    return from == to;
}

/* Members that are one of some values: values behind the last are refused. */
static const struct {
    const char *of, *member;
    size_t at;
    unsigned last;
} choices[] = {
    {"wb_analyze_options", "inputs", offsetof(wb_analyze_options, inputs), WB_INPUTS_ANY},
    {"wb_analyze_options", "scope", offsetof(wb_analyze_options, scope), WB_SCOPE_BLOCK},
    {"wb_analyze_options", "accept", offsetof(wb_analyze_options, accept), WB_ACCEPT_PTX_MODEL},
    {"wb_report_options", "scope", offsetof(wb_report_options, scope), WB_SCOPE_STREAM},
    {"wb_report_options", "unit", offsetof(wb_report_options, unit), WB_UNIT_S},
};

static wb_status check_choices(const unsigned char *own, const char *name, wb_diagnostics *diagnostics) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        unsigned value;
        if (strcmp(choices[i].of, name) != 0) continue;
        memcpy(&value, own + choices[i].at, sizeof value);
        if (value <= choices[i].last) continue;
        diagnose(diagnostics, SEVERITY_ERROR, name, "%s: expected at most %u, not %u", choices[i].member,
                 choices[i].last, value);
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

wb_status options_take(const void *given, const char *name, size_t size, void *own,
                       wb_diagnostics *diagnostics) {
    size_t given_size = size;
    memset(own, 0, size);
    memcpy(own, &size, sizeof size);
    if (given == NULL) return WB_OK;
    memcpy(&given_size, given, sizeof given_size);
    /* What has pointers or 64-bit numbers in it is of as many bytes; more than a page is no size at all. */
    if (given_size <= sizeof given_size || given_size % sizeof(uint64_t) != 0 || given_size > 4096) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "size: expected sizeof(%s), %zu, not %zu", name, size,
                 given_size);
        return WB_ERR_INPUT;
    }
    if (given_size > size && !rest_is_zero(given, size, given_size)) {
        diagnose(diagnostics, SEVERITY_ERROR, name, "an option is set that version %s does not have",
                 wb_version());
        return WB_ERR_INPUT;
    }
    memcpy(own, given, given_size < size ? given_size : size);
    memcpy(own, &size, sizeof size);
    return check_choices(own, name, diagnostics);
}
