/* What the execution of one block and that of the blocks of a grid by themselves have in common. */
#ifndef WB_WARP_TRACE_BLOCK_TRACE_H
#define WB_WARP_TRACE_BLOCK_TRACE_H

#include "warp/interpret/run.h"
#include "warp/path/block.h"

/* Executes the block run->index and keeps what its warps do in `block`, which is empty but for kernel and
 * code_first. Errors other than exhausted memory have a message, but for WB_ERR_DECLINED when facts are
 * lacking (run->needs). */
wb_status block_execute(struct wb_block *block, struct run *run, bool record_accesses);

/* The memory that addresses of the run can be in, in the order in which records refer to it. WB_ERR_LIMIT,
 * without a message, when memory is exhausted. */
wb_status memory_objects_of(const struct run *run, struct memory_objects *objects);

/* Facts must be complete, of this kernel, and where they were found, of this launch. Errors have messages. */
wb_status block_check_facts(const struct run *run, const struct wb_facts *facts);

#endif
