/* Executions of one instruction that take different times: an entry of the code for each of them. */
#ifndef WB_WARP_TIMED_VARIANTS_H
#define WB_WARP_TIMED_VARIANTS_H

#include "warp/block_timing.h"

/* Gives the code of `timed`, made from `block` by the classes of its instructions, the costs of recorded
 * accesses (see timed_block_from), and rewrites the paths where an instruction has several. WB_ERR_LIMIT
 * without a message when memory is exhausted. */
wb_status timed_variants_make(const struct wb_block *block, const struct execution_cost *costs,
                              struct timed_block *timed);

#endif
