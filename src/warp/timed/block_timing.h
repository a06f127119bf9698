/* From what the warps execute to how long each instruction takes: a traced block on a machine. */
#ifndef WB_WARP_TIMED_BLOCK_TIMING_H
#define WB_WARP_TIMED_BLOCK_TIMING_H

#include "warp/path/block.h"
#include "warp/timed/code_variants.h"

/* Makes `timed` (to be freed with timed_block_free on success) from a block and a machine, both of which it
 * refers to. Issued instruction i of function f has index block->code_first[f] + i; only instructions on some
 * path get times. `costs` has a cost for each recorded access of the block, those of warp 0 first, then those
 * of warp 1; of accesses of one step, which are one instruction, that of the first counts. An execution
 * without a record costs what the machine gives its class, and so does every one where `costs` is NULL. An
 * instruction whose executions cost different things has an entry of the code for each cost, and the paths
 * are rewritten accordingly. Errors, each with a message: WB_ERR_INPUT when the machine does not give a class
 * that is needed; WB_ERR_DECLINED for barriers that join a part of the block's warps (counted or
 * arrive-only) or that a warp skips, which neither simulator nor analyses model; WB_ERR_LIMIT when memory is
 * exhausted. A barrier that part of a warp executes holds the whole warp. */
wb_status timed_block_from(const struct wb_block *block, const struct wb_machine *machine,
                           const struct execution_cost *costs, wb_diagnostics *diagnostics,
                           struct timed_block *timed);

/* Gives the code of `timed`, made from `block` by the classes of its instructions, the costs of recorded
 * accesses (see timed_block_from), and rewrites the paths where an instruction has several. WB_ERR_LIMIT
 * without a message when memory is exhausted. */
wb_status timed_variants_make(const struct wb_block *block, const struct execution_cost *costs,
                              struct timed_block *timed);

#endif
