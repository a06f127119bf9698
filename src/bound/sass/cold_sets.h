/* Which lines of instructions and constants the warps of a block touch, for misses that each line makes once:
 * beside the times of a block, and of blocks that follow each other on an SM (docs/machine-code-bounds.md,
 * section 6). */
#ifndef WB_BOUND_SASS_COLD_SETS_H
#define WB_BOUND_SASS_COLD_SETS_H

#include "base/base.h"
#include "warp/timed/timed.h"

/* The lines of a block, or of several that execute parts of the same code, constants first. */
struct cold_sets {
    struct sass_footprint footprint;
    uint32_t constants, count; /* lines; how many of them are constants */
    uint32_t l1_lines;         /* of the L1, that a line of the L0 is in at most */
    uint64_t *any;             /* a set of lines: that warps of some sub-core touch, */
    uint64_t *all;             /* that warps of every sub-core of every block touch for certain */
    cycles chain; /* F: what misses of L0s take, at most, that keep back any chain of a block's warps */
};

/* Finds those of a block; the sets are of `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status cold_sets_make(const struct timed_block *block, struct arena *arena, struct cold_sets *sets);

/* Adds another block of the same grid to `sum`, whose sets are changed; for the first one it is zero, and
 * takes over those of `other`. */
void cold_sets_join(struct cold_sets *sum, const struct cold_sets *other);

/* V: what all misses but those of L0s take on an SM with so many sub-cores. */
cycles cold_shared_time(const struct sass_footprint *footprint, uint32_t sub_cores);

/* The extra time of misses of L0s that delay chains of consecutive blocks. */
cycles cold_turns_time(const struct cold_sets *sum, uint32_t sub_cores);

/* The time of misses of all caches on lines that some block may not touch. */
cycles cold_unsure_time(const struct cold_sets *sum, uint32_t sub_cores);

#endif
