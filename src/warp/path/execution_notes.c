#include "warp/path/execution_notes.h"

_Static_assert(ASSUMED_COUNT <= 64, "one bit each, and fewer than WB_ASSUMPTIONS_MAX");

const char *assumed_text(enum assumed what) {
    static const char *const texts[ASSUMED_WAITS] = {
#define X(enumerator, text, where) [ASSUMED_##enumerator] = (text),
        ASSUMED_TABLE(X)
#undef X
    };
    if (what < ASSUMED_WAITS) return texts[what];
    return ptx_wait_text((enum ptx_wait)(what - ASSUMED_WAITS));
}

size_t assumed_list(assumed_set set, const char **texts) {
    size_t count = 0;
    for (int what = 0; what < ASSUMED_COUNT; what++)
        if (set >> what & 1) texts[count++] = assumed_text((enum assumed)what);
    return count;
}
