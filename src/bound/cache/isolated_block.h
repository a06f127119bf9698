/* An isolated block on a GPU with caches: turns bounds of blocks with known times into bounds for it
 * (docs/memory-bounds.md, section 9). */
#ifndef WB_BOUND_CACHE_ISOLATED_BLOCK_H
#define WB_BOUND_CACHE_ISOLATED_BLOCK_H

#include "bound/cache/memory_work.h"
#include "bound/method/method.h"
#include "warp/path/path.h"
#include "warp/timed/timed.h"

/* Gives each recorded access of the block, warp 0 first, its largest latency while no server is busy, and
 * counts loads that can miss; `work` is of the grid of the isolated block. WB_ERR_LIMIT with a message when
 * memory is exhausted. */
wb_status isolated_block_latencies(struct memory_work *work, wb_diagnostics *diagnostics,
                                   struct execution_cost *costs);

/* Adds to a bound of a block with these latencies what memory can add besides; where the proof does not cover
 * the machine, the result is an estimate. */
void isolated_block_add_memory(const struct bound_method *method, const struct memory_work *work,
                               wb_bound *bound);

#endif
