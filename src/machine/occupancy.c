#include "machine/occupancy.h"

/* Threads of a warp, which take room together, those that do not exist included. */
#define WARP_THREADS 32u

/* Takes one resource into account: `each` of it a block, `available` of it on the SM, 0 of either: no limit.
 */
static void limit_by(uint64_t each, uint64_t available, uint32_t *blocks) {
    if (each == 0 || available == 0) return;
    uint64_t fit = available / each;
    if (fit < *blocks) *blocks = (uint32_t)fit;
}

uint32_t machine_resident_blocks(const struct wb_machine *machine, const struct block_demand *demand) {
    const struct machine_limits *limits = &machine->limits;
    if (limits->threads_per_block != 0 && demand->threads > limits->threads_per_block) return 0;
    uint32_t blocks = BLOCKS_UNLIMITED;
    limit_by(1, limits->blocks, &blocks);
    limit_by(demand->warps, limits->warps, &blocks);
    limit_by((uint64_t)demand->warps * WARP_THREADS, limits->threads, &blocks);
    limit_by(demand->shared_bytes, limits->shared_bytes, &blocks);
    limit_by((uint64_t)demand->thread_registers * demand->warps * WARP_THREADS, limits->registers, &blocks);
    return blocks;
}

uint32_t machine_resident_blocks_reordered(const struct wb_machine *machine,
                                           const struct block_demand *demand) {
    uint32_t blocks = machine_resident_blocks(machine, demand);
    limit_by(demand->warps, machine->memory.channels, &blocks);
    return blocks;
}
