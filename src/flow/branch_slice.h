/* Which values decide where control goes: those that the conditions of branches are computed of. */
#ifndef WB_FLOW_BRANCH_SLICE_H
#define WB_FLOW_BRANCH_SLICE_H

#include "flow/ssa.h"

/* Marks, in an array of value_count entries in memory of the arena, the guards of instructions that end
 * blocks, and what they are computed of by arithmetic, phis and guarded instructions. What was loaded, or
 * exchanged between threads, is in it, but not what that depends on. WB_ERR_LIMIT, without a message, when
 * memory is exhausted. */
wb_status branch_slice_find(const struct ssa *ssa, struct arena *arena, bool **in_slice);

#endif
