/* Random kernels whose control flow has no structure: blocks that end in branches to any block, in front of
 * them or behind them, so that loops have several exits, share headers and are entered at several places. */
#ifndef WB_TESTS_RANDOM_FLOW_H
#define WB_TESTS_RANDOM_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

/* What the kernels may have. */
struct random_flow_shape {
    uint32_t blocks;     /* at least 2; block i starts with label B<i> */
    uint32_t back_edges; /* most that a thread takes; in a function: of one call */
    uint32_t operations; /* most of a block */
    bool ends;           /* guarded `exit` and `ret` in the middle */
    bool calls;          /* of functions with such flow, some by address */
    bool barriers;
};

/* Appends module text with kernel `k` (parameters: an input buffer of 64 u32, an output buffer of 256 u32),
 * which uses only what one thread of a block of 64 owns of the output. */
void random_flow_put(uint64_t seed, const struct random_flow_shape *shape, struct text *ptx);

#endif
