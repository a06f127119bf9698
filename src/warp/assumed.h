/* What numbers take for granted because of what a kernel executes: assumptions of its execution, beside those
 * of the method that makes the number. Whoever executes or times a kernel notes them in a set, where they
 * matter for that kernel; every number made of it prints them.
 *
 * A new one is a line here and, where the execution relies on it, a call of run_assume (execute.h). What an
 * instruction may wait for is noted by itself (waits.h). */
#ifndef WB_WARP_ASSUMED_H
#define WB_WARP_ASSUMED_H

#include <stddef.h>
#include <stdint.h>

#include "ptx/waits.h"

/* X(enumerator, text) */
#define ASSUMED_TABLE(X)                                                                                     \
    X(WHOLE_WARP_BARRIERS, "a barrier that part of a warp executes holds the whole warp (sm_60 and before)") \
    X(APPROXIMATE_RESULTS, "approximate functions give what is computed here, to the last bit (--assume)")   \
    X(DIVISION_BY_ZERO, "an integer divided by zero gives all ones, and itself as remainder (--assume)")     \
    X(POINTER_ORDER,                                                                                         \
      "buffers and variables stand in memory where they are put here, one after another (--assume)")

enum assumed {
#define X(enumerator, text) ASSUMED_##enumerator,
    ASSUMED_TABLE(X)
#undef X
        ASSUMED_WAITS, /* and further on: what enum ptx_wait says is assumed */
    ASSUMED_COUNT = ASSUMED_WAITS + PTX_WAIT_COUNT
};

/* A set of them: bit 1 << what. */
typedef uint64_t assumed_set;

static inline assumed_set assumed_bit(enum assumed what) {
    return (assumed_set)1 << what;
}

/* What an instruction that waits adds; nothing unless its waiting is assumed. */
static inline assumed_set assumed_wait(enum ptx_wait wait) {
    return ptx_wait_answer(wait) == PTX_ASSUMED ? (assumed_set)1 << (ASSUMED_WAITS + (int)wait) : 0;
}

/* The assumption as reports print it. */
const char *assumed_text(enum assumed what);

/* Writes the texts of a set to `texts`, which has room for ASSUMED_COUNT of them; returns how many. */
size_t assumed_list(assumed_set set, const char **texts);

#endif
