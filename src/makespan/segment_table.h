/* Upper bounds on the longest remaining time of the cells of a segment abstraction, layer by layer
 * (docs/makespan-bounds.md, section 2). Only as many layers are kept as one cycle can cross. */
#ifndef WB_MAKESPAN_SEGMENT_TABLE_H
#define WB_MAKESPAN_SEGMENT_TABLE_H

#include "makespan/segment_tail.h"

/* The bound of a table in which no number was too large for its cells. */
#define SEGMENT_NO_BOUND UINT32_MAX

/* Computes the bound of the initial state within `memory` bytes. SEGMENT_NO_BOUND where those do not suffice,
 * numbers grow too large, or makespan_goes_on says no. WB_ERR_LIMIT without a message when memory is
 * exhausted.
 */
wb_status segment_table_bound(const struct makespan_run *run, const struct segment_layout *layout,
                              const struct segment_tail *tail, uint64_t memory, uint32_t *bound);

#endif
