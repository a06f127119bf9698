/* Values that say where in its block a warp is, such as %tid.x / 32: the same in all its threads, where the
 * shape of the block puts them side by side. docs/control-flow.md has the proof. */
#ifndef WB_FLOW_THREAD_ROWS_H
#define WB_FLOW_THREAD_ROWS_H

#include "flow/ssa.h"

/* Whether the threads of every warp of a block of that shape have equal %tid.y and %tid.z, and equal bits of
 * %tid.x but for the low five. `block` has the threads in each dimension: 0 in the first: not known; 0 in
 * others: 1. */
bool thread_rows_in_block(const uint32_t block[3]);

/* In such blocks: whether each value is the same in all threads of a warp, whenever they computed it, since
 * it is made of those bits and of constants alone. In memory of the arena. WB_ERR_LIMIT without a message
 * when memory is exhausted. */
wb_status thread_rows_same(const struct ssa *ssa, struct arena *arena, bool **same);

#endif
