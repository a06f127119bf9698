/* Divergence analysis (Hirvisalo, WCET 2014): which values and branches can differ between the threads of a
 * warp. docs/control-flow.md defines "uniform" and proves the rules. */
#ifndef WB_FLOW_VALUES_DIVERGENCE_H
#define WB_FLOW_VALUES_DIVERGENCE_H

#include "flow/graph/dominators.h"
#include "flow/values/divergence_rules.h"
#include "flow/values/ssa.h"

struct divergence_reason {
    uint8_t cause;   /* enum divergence_cause */
    uint32_t from;   /* a divergent value, or SSA_NONE */
    uint32_t branch; /* of DIVERGENCE_GATE: the block whose branch parts the threads; GRAPH_NONE: none, the
                        predicate is the guard of the value's own instruction */
    uint32_t late;   /* of DIVERGENCE_GATE: the value that threads read which computed it in different
                        iterations (behind the loop, the eta of `from` and it); SSA_NONE: a phi's choice */
};

/* A uniform value can still differ between threads that left the loop it is computed in at different times:
 * what reads it there is divergent by DIVERGENCE_GATE (the eta functions of gated SSA). */
struct divergence {
    struct divergence_reason *values; /* per value of the SSA form */
    uint32_t *parting; /* per value that is uniform itself: a block in a cycle with it whose branch parts
                          threads that go on with different ones behind that; GRAPH_NONE: there is none */
    struct divergence_reason *decisions; /* per block: why its threads can part at its end */
    bool *branches; /* per block: they can, at its branch or at its guarded `ret` or `exit` */
};

/* Analyses a function given its SSA form, the dominators of its graph (from CFG_ENTRY) and the
 * post-dominators (to the exit), where threads meet again. `block` has the threads of a block in each
 * dimension; NULL: they are not known but by the function itself (.reqntid). Every chain of `from` ends at a
 * cause without one, by about as few steps as possible. */
struct divergence divergence_analyse(const struct ssa *ssa, const struct dominators *dominators,
                                     const struct dominators *post_dominators, const uint32_t block[3],
                                     struct arena *arena);

/* Values that say where in its block a warp is, such as %tid.x / 32: the same in all its threads, where the
 * shape of the block puts them side by side. docs/control-flow.md has the proof.
 *
 * Whether the threads of every warp of a block of that shape have equal %tid.y and %tid.z, and equal bits of
 * %tid.x but for the low five. `block` has the threads in each dimension: 0 in the first: not known; 0 in
 * others: 1. */
bool thread_rows_in_block(const uint32_t block[3]);

/* In such blocks: whether each value is the same in all threads of a warp, whenever they computed it, since
 * it is made of those bits and of constants alone. */
bool *thread_rows_same(const struct ssa *ssa, struct arena *arena);

#endif
