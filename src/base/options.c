#include "base/options.h"

#include <string.h>

#include "warpbound.h"

const char *wb_version(void) {
    return WB_VERSION;
}

/* Whether what a later version has behind the struct of this one is zero, as it is where nobody asks. */
static bool rest_is_zero(const unsigned char *bytes, size_t from, size_t to) {
    while (from < to && bytes[from] == 0)
        from++;
    return from == to;
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
        diagnose(diagnostics, SEVERITY_ERROR, name, "something is asked for that version %s does not have",
                 wb_version());
        return WB_ERR_INPUT;
    }
    memcpy(own, given, given_size < size ? given_size : size);
    memcpy(own, &size, sizeof size);
    return WB_OK;
}
