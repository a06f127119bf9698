#include "warp/path/execution_notes.h"

_Static_assert(ASSUMED_COUNT <= 64, "one bit each");

const char *assumed_text(enum assumed what) {
    static const char *const texts[ASSUMED_WAITS] = {
#define X(enumerator, text, where) [ASSUMED_##enumerator] = (text),
        ASSUMED_TABLE(X)
#undef X
    };
    if (what < ASSUMED_WAITS) return texts[what];
    return ptx_wait_text((enum ptx_wait)(what - ASSUMED_WAITS));
}
