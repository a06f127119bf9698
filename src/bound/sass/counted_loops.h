/* Loops of whose passes flow facts bound the sum over all warps of a block or of the kernel, or over all that
 * a warp does: what a pass takes at most, so that bounds can count passes apart from the paths
 * (docs/covering-paths.md, section 10). */
#ifndef WB_BOUND_SASS_COUNTED_LOOPS_H
#define WB_BOUND_SASS_COUNTED_LOOPS_H

#include "bound/sass/way_rules.h"

struct counted_loop {
    uint32_t function, header;  /* its first instruction in the function */
    uint64_t most[FACT_SCOPES]; /* passes of a warp, a block, the kernel; UINT64_MAX: no fact says so */
    uint64_t passes;            /* of all warps of the block, on their paths or by facts */
    cycles work, held, chain;   /* of a pass at most: of E, of H, of lam */
};

/* The same loops in the same order for all blocks of a launch. */
struct counted_loops {
    struct counted_loop *items;
    uint32_t count;
    uint32_t *of; /* per entry of the code 1 + the loop that it is in, or 0 */
};

/* Finds those of a block, with rules made from it; there are none unless its paths are covering ones. All
 * memory is the arena's. WB_ERR_LIMIT, without a message, when it is exhausted. */
wb_status counted_loops_make(const struct pipeline_rules *rules, struct arena *arena,
                             struct counted_loops *counted);

/* What passes take at most. */
struct counted_time {
    cycles work, held, chain;
};

/* Of all warps of the block, which have `sections` sections. */
struct counted_time counted_loops_of_block(const struct counted_loops *counted, uint64_t sections);

#endif
