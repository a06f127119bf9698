/* Analyses of whole kernels: all blocks of a grid in the rooms of all SMs, and beside them the block that
 * takes longest. */
#ifndef WB_BOUND_ANALYSIS_KERNEL_H
#define WB_BOUND_ANALYSIS_KERNEL_H

#include "bound/analysis.h"

/* Makes an analysis, which is empty, one of a grid; on a machine with caches under the default scheme. With
 * `covering`, the analysis of covering paths of the same launch, the block that is looked at by itself is the
 * one of that. Errors, each with a message, as wb_analysis_new_kernel. */
wb_status analysis_of_grid(wb_analysis *made, const struct wb_grid *grid, const struct wb_machine *machine,
                           const struct wb_analysis *covering, const wb_watch *watch,
                           wb_diagnostics *diagnostics);

/* The same of a grid written by hand, which made->by_hand holds. */
wb_status analysis_of_hand_grid(wb_analysis *made, wb_diagnostics *diagnostics);

#endif
