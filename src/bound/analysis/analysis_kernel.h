/* Analyses of whole kernels: all blocks of a grid in the rooms of all SMs, and beside them the blocks
 * by themselves. */
#ifndef WB_BOUND_ANALYSIS_ANALYSIS_KERNEL_H
#define WB_BOUND_ANALYSIS_ANALYSIS_KERNEL_H

#include "bound/analysis/analysis.h"

/* Makes an analysis, which is empty, one of a grid written by hand, which made->by_hand holds. Errors, each
 * with a message, as wb_analysis_new_kernel. */
wb_status analysis_of_hand_grid(wb_analysis *made, wb_diagnostics *diagnostics);

#endif
