/* What the execution of one block and that of the blocks of a grid by themselves have in common. */
#ifndef WB_WARP_TRACE_BLOCK_TRACE_H
#define WB_WARP_TRACE_BLOCK_TRACE_H

#include "warp/interpret/run.h"
#include "warp/path/block.h"

/* A run as the options ask for; they are those of a block, too (wb_trace_options), as a grid with one_block.
 * The options must outlive it. */
struct run run_as_asked(const wb_kernel *kernel, const wb_launch *launch, const wb_grid_options *options,
                        wb_diagnostics *diagnostics);

/* Numbers the instructions of the code and begins the run, as run_begin does. Facts (or NULL) must be
 * complete, of this kernel, and where they were found, of this launch. Errors other than exhausted memory
 * have messages.
 */
wb_status run_begin_as_asked(struct run *run, const wb_facts *facts, struct arena *arena,
                             uint32_t **code_first);

/* Executes the block run->index and keeps what its warps do in `block`, which is empty but for kernel and
 * code_first. Errors other than exhausted memory have a message, but for WB_ERR_DECLINED when facts are
 * lacking (run->needs). */
wb_status block_execute(struct wb_block *block, struct run *run, bool record_accesses);

/* The memory that addresses of the run can be in, in the order in which records refer to it. WB_ERR_LIMIT,
 * without a message, when memory is exhausted. */
wb_status memory_objects_of(const struct run *run, struct memory_objects *objects);

#endif
