/* Who reads each value of an SSA form, and which values decide where control goes. */
#ifndef WB_FLOW_VALUES_DEF_USE_H
#define WB_FLOW_VALUES_DEF_USE_H

#include "flow/values/ssa.h"

/* An instruction; or a value that takes the one read over: a phi, or what a guarded instruction writes. */
struct ssa_reader {
    uint32_t index; /* instruction, or value */
    uint32_t block; /* where it reads: of a value ssa_argument_block, or CFG_ENTRY where that is none */
    bool is_value;
};

/* The readers of value v are items[first[v]] .. items[first[v + 1] - 1]. */
struct ssa_readers {
    uint32_t *first; /* value_count + 1 entries */
    struct ssa_reader *items;
};

/* Where a value takes its argument `a` over: of a phi the block that the edge comes from, GRAPH_NONE of the
 * argument that stands for entering the function; else the value's own block. */
uint32_t ssa_argument_block(const struct ssa *ssa, const struct ssa_value *value, uint32_t a);

/* The readers of all values. */
struct ssa_readers ssa_readers_build(const struct ssa *ssa, struct arena *arena);

/* By value, whether the conditions of branches are computed of it: the guards of instructions that end
 * blocks, and what they are computed of by arithmetic, phis and guarded instructions. What was loaded, or
 * exchanged between threads, is in it, but not what that depends on. */
bool *branch_slice_find(const struct ssa *ssa, struct arena *arena);

#endif
