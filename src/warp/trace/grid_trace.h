/* What flow facts the execution of a grid on covering paths lacks, and which ones its data contradicts.
 * Traces themselves are wb_grid_trace. */
#ifndef WB_WARP_TRACE_GRID_TRACE_H
#define WB_WARP_TRACE_GRID_TRACE_H

#include "warp/path/fact_needs.h"
#include "warp/trace/grid.h"

/* Finds the flow facts that covering the launch, which fits the kernel, lacks if buffers and variables may
 * contain anything. `complete`: these are all, as covering it takes no more than a moment and fails for no
 * other reason. The caller frees `needs`. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status grid_cover_needs(const struct wb_kernel *kernel, const struct wb_launch *launch,
                           struct fact_needs *needs, bool *complete);

/* Holds the flow facts of the options to what the launch gives: executes the blocks that the options ask for
 * one after another, as far as their limits, and what is known, allow. WB_ERR_INPUT with a message when a
 * fact is wrong. */
wb_status grid_hold_facts(const struct wb_kernel *kernel, const struct wb_launch *launch,
                          const wb_grid_options *options, wb_diagnostics *diagnostics);

#endif
