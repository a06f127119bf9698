/* What the execution of one block and that of the blocks of a grid by themselves have in common. */
#ifndef WB_WARP_BLOCK_TRACE_H
#define WB_WARP_BLOCK_TRACE_H

#include "warp/block.h"
#include "warp/run.h"

/* Executes the block run->index and keeps what its warps do in `block`, which is empty but for kernel and
 * code_first. Errors other than exhausted memory have a message. */
wb_status block_execute(struct wb_block *block, struct run *run, bool record_accesses);

/* Facts must be of this kernel, and say something. Errors have messages. */
wb_status block_check_facts(const struct wb_kernel *kernel, const struct wb_facts *facts,
                            wb_diagnostics *diagnostics);

#endif
