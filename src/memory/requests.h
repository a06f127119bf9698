/* From the addresses of a warp's lanes to the transactions of one executed memory instruction (JCSE'17,
 * algorithm 3, with the addresses aligned first). */
#ifndef WB_MEMORY_REQUESTS_H
#define WB_MEMORY_REQUESTS_H

#include "machine/machine.h"
#include "warp/block.h"

/* Most requests of one instruction: 32 lanes of 16 bytes, each over a border of sectors. */
#define REQUESTS_MAX 64u

/* The addresses of the lanes of one executed instruction. */
struct lane_addresses {
    uint64_t address[WARP_LANES];
    uint32_t mask;
    uint32_t bytes; /* per lane: 1, 2, 4, 8 or 16 */
};

/* Reads the addresses of a record; `base` is added to each (0 for records of struct wb_block). */
void lane_addresses_read(const struct access *access, const uint64_t *tables, uint64_t base,
                         struct lane_addresses *lanes);

/* The distinct blocks of `granule` bytes that the lanes touch, aligned, in the order of the first lane that
 * touches each; returns how many. */
uint32_t requests_coalesce(const struct lane_addresses *lanes, uint32_t granule,
                           uint64_t requests[REQUESTS_MAX]);

/* Where local memory of the lanes lies: consecutive words of 4 bytes of a lane are 32 words apart, so that
 * equal addresses of all lanes make one line. */
void lane_addresses_interleave(struct lane_addresses *lanes);

/* Cycles that the banks of shared memory need: the largest number of distinct words of any bank, 64- and
 * 128-bit accesses by half and quarter warps; for atomics lanes on one word conflict, too. At least 1. */
uint32_t shared_conflicts(const struct lane_addresses *lanes, bool is_atomic);

/* Cycles of the constant cache, which broadcasts one word a cycle: the number of distinct words. */
uint32_t constant_broadcasts(const struct lane_addresses *lanes);

/* Cycles that the unit of a class with initiation interval `init` is busy with `transactions`: at least the
 * interval, in which the lanes' addresses pass. */
uint32_t transaction_cycles(const struct machine_memory *memory, uint32_t init, uint32_t transactions);

#endif
