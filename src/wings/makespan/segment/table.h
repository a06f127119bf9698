/* The exact tail (states/exact_tail.h) as cells of a segment abstraction: what is known of the compositions
 * with few warps (docs/makespan-proofs.md, T3). */
#ifndef WB_MAKESPAN_SEGMENT_TABLE_H
#define WB_MAKESPAN_SEGMENT_TABLE_H

#include "wings/makespan/segment/layout.h"
#include "wings/makespan/states/exact_tail.h"

/* The cell of one state. */
struct segment_tail_cell {
    uint32_t layer;
    uint32_t composition;
    uint32_t row;
    int32_t column; /* counter 0 */
    uint32_t cycles;
};

/* Compositions of at most `warps` warps have the cells of these states and no others. */
struct segment_tail {
    uint32_t warps;
    VEC(struct segment_tail_cell) cells; /* by layer */
};

/* Places all states of the table in a protected arena, or only the one in which all warps have finished where
 * `exact` is NULL. */
void segment_tail_make(const struct segment_layout *layout, const struct exact_tail *exact,
                       struct arena *arena, struct segment_tail *tail);

/* Upper bounds on the longest remaining time of the cells of a segment abstraction, layer by layer
 * (docs/makespan-bounds.md, section 2). Only as many layers are kept as one cycle can cross. */

/* The bound of a table in which no number was too large for its cells. */
#define SEGMENT_NO_BOUND UINT32_MAX

/* Computes the bound of the initial state within `memory` bytes of run->arena. SEGMENT_NO_BOUND where those
 * do not suffice, numbers grow too large, or makespan_goes_on says no. */
uint32_t segment_table_bound(const struct makespan_run *run, const struct segment_layout *layout,
                             const struct segment_tail *tail, uint64_t memory);

#endif
