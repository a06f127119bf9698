/* What is known of the registers of a kernel's threads: PTX counts virtual ones. */
#ifndef WB_MACHINE_OCCUPANCY_H
#define WB_MACHINE_OCCUPANCY_H

#include <stdint.h>

#include "machine/machine.h"

/* 0: not stated. */
struct register_facts {
    uint32_t exact;         /* so many, says the launch or the code; the rest does not matter then */
    bool of_code;           /* of exact: the code */
    uint32_t most;          /* at most so many (.maxnreg) */
    uint32_t bound_threads; /* so few that, of blocks of so many threads (.maxntid, .reqntid), */
    uint32_t bound_blocks;  /* so many fit on an SM (.minnctapersm), or one */
};

/* How many blocks an SM holds at a time, by the rules of NVIDIA's occupancy calculator (docs/occupancy.md).
 */

/* What a block takes of its SM. */
struct block_demand {
    uint32_t warps, threads;
    uint64_t shared_bytes;
    struct register_facts registers;
};

/* What blocks share on an SM. */
enum machine_resource {
    RESOURCE_BLOCKS,
    RESOURCE_WARPS,
    RESOURCE_THREADS,
    RESOURCE_REGISTERS,
    RESOURCE_SHARED,
    RESOURCE_COUNT
};

struct resource_use {
    uint64_t taken;     /* by a block, with what is given to it in vain */
    uint64_t available; /* of an SM; 0: not stated */
    uint32_t blocks;    /* that find room; WB_UNLIMITED: any number */
};

/* Fills `uses` for threads of so many registers. */
void machine_resource_uses(const struct wb_machine *machine, const struct block_demand *demand,
                           uint32_t registers, struct resource_use uses[RESOURCE_COUNT]);

/* Blocks that fit at a time when threads have so many registers: 0 when not even one does, WB_UNLIMITED
 * when no limit is stated. demand->registers does not count. */
uint32_t machine_resident_blocks(const struct wb_machine *machine, const struct block_demand *demand,
                                 uint32_t registers);

/* Most registers of a thread with which `blocks` blocks find room, as far as registers go; 0: there are none.
 * WB_UNLIMITED when the machine states no limit. */
uint32_t machine_registers_for(const struct wb_machine *machine, const struct block_demand *demand,
                               uint32_t blocks);

/* How many registers a thread may have. */
struct register_range {
    uint32_t least, most; /* WB_UNLIMITED: not known */
    wb_register_source source;
};

struct register_range machine_register_range(const struct wb_machine *machine,
                                             const struct block_demand *demand);

/* How many blocks fit at a time: as many as `most` with the fewest registers that a thread may have, as few
 * as `least` with the most. */
struct resident_range {
    uint32_t least, most;
};

/* `reordered`: under the reordering extension, where each warp has a channel of its own (JCSE'17).
 * WB_ERR_INPUT with a message when no block fits. */
wb_status machine_resident_range(const struct wb_machine *machine, const struct block_demand *demand,
                                 bool reordered, wb_diagnostics *diagnostics, struct resident_range *range);

/* Fills all numbers of an occupancy; no block may fit. */
void machine_occupancy(const struct wb_machine *machine, const struct block_demand *demand,
                       wb_occupancy *occupancy);

#endif
