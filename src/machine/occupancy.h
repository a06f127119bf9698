/* How many blocks an SM holds at a time. */
#ifndef WB_MACHINE_OCCUPANCY_H
#define WB_MACHINE_OCCUPANCY_H

#include "machine/machine.h"

/* No limit that the machine states is reached by any number of blocks. */
#define BLOCKS_UNLIMITED UINT32_MAX

/* What a block takes of its SM. */
struct block_demand {
    uint32_t warps, threads;
    uint32_t thread_registers; /* 0: not known. PTX counts virtual registers, so only a launch can say it */
    uint64_t shared_bytes;
};

/* Blocks that fit at a time: 0 when not even one does, BLOCKS_UNLIMITED when no limit is stated. Registers
 * are given to whole warps; they count only when both sides are known. */
uint32_t machine_resident_blocks(const struct wb_machine *machine, const struct block_demand *demand);

/* The same under the reordering extension, where each warp has a channel of its own (JCSE'17). */
uint32_t machine_resident_blocks_reordered(const struct wb_machine *machine,
                                           const struct block_demand *demand);

#endif
