/* What the executed memory instructions of a traced block cost on a machine that counts their transactions:
 * initiation by the rules of memory/requests.h, latency of the class. */
#ifndef WB_MEMORY_ACCESS_COSTS_H
#define WB_MEMORY_ACCESS_COSTS_H

#include "warp/timed/block_timing.h"

/* A cost for each recorded access of the block, those of warp 0 first (see timed_block_from), to be freed;
 * NULL for a machine with ideal requests, where every instruction costs what its class does. Errors, each
 * with a message: WB_ERR_INPUT when the accesses were not recorded, or the machine follows GPGPU-Sim, which
 * has rules of its own; WB_ERR_DECLINED when the accesses of some instruction are not known; WB_ERR_LIMIT
 * when memory is exhausted.
 */
wb_status access_costs_make(const struct wb_block *block, const struct wb_machine *machine,
                            wb_diagnostics *diagnostics, struct execution_cost **costs);

#endif
