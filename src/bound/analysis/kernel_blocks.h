/* The blocks of a kernel by themselves: one of each class, and every method asked of all of them, so that
 * what is said of "the block that takes longest" is true whichever that is. */
#ifndef WB_BOUND_ANALYSIS_KERNEL_BLOCKS_H
#define WB_BOUND_ANALYSIS_KERNEL_BLOCKS_H

#include "bound/analysis/analysis.h"

/* Most classes of which a block is looked at by itself; of the others their cap is taken for what a method
 * would say. */
#define KERNEL_BLOCKS_MAX 64u

/* Most classes that are searched where searches were not asked for by name: each takes a second or so. */
#define KERNEL_BLOCKS_SEARCHED 4u

/* Fills in kernel->blocks: kernel->longest, a block of class `longest`, and others, those with the largest
 * caps first. Errors as wb_analysis_new. */
wb_status kernel_blocks_make(wb_analysis *kernel, uint32_t longest, wb_diagnostics *diagnostics);

/* Asks every block by method `index` of the registry: *attempt has the largest bound, of the kind that it has
 * for all of them. Otherwise as analysis_try. */
wb_status kernel_blocks_try(wb_analysis *kernel, size_t index, const struct analysis_request *request,
                            wb_diagnostics *messages, struct analysis_attempt *attempt);

/* Lets the formulas for kernels know the least that is proven of each block that has an SM to itself, by the
 * tightest methods and by those that were asked. `work_left` says, by the number of a method, what it may do
 * unasked, and is counted down. WB_ERR_LIMIT with a message when memory is exhausted. */
wb_status kernel_blocks_sharpen(wb_analysis *kernel, uint64_t *work_left, const wb_watch *watch,
                                wb_diagnostics *diagnostics);

#endif
