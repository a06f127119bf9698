/* What a block of a launch takes of its SM, which is known without executing anything. */
#ifndef WB_WARP_INTERPRET_LAUNCH_DEMAND_H
#define WB_WARP_INTERPRET_LAUNCH_DEMAND_H

#include "launch/launch.h"
#include "machine/occupancy.h"
#include "ptx/ptx.h"

/* What launch and kernel say of the registers of a thread. */
struct register_facts launch_registers(const struct wb_kernel *kernel, const struct wb_launch *launch);

/* Of warps of `warp_width` threads. Errors, each with a message: WB_ERR_INPUT when the block is not given or
 * the kernel does not take such blocks; WB_ERR_LIMIT when memory is exhausted. */
wb_status launch_demand(const struct wb_kernel *kernel, const struct wb_launch *launch, uint32_t warp_width,
                        wb_diagnostics *diagnostics, struct block_demand *demand);

/* The same of a block that was executed. */
struct wb_block;
struct block_demand block_demand_of(const struct wb_block *block);

#endif
