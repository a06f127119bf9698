/* From the addresses of a warp's lanes to the transactions of one executed memory instruction (JCSE'17,
 * algorithm 3, with the addresses aligned first). docs/memory-model.md, section 1, states the rules. */
#ifndef WB_MEMORY_REQUESTS_REQUESTS_H
#define WB_MEMORY_REQUESTS_REQUESTS_H

#include "machine/machine.h"
#include "warp/path/block.h"
#include "warp/timed/block_timing.h"

/* Most requests of one instruction: 32 lanes of 32 unaligned bytes of local memory, nine words each. */
#define REQUESTS_MAX 288u

/* The addresses of the lanes of one executed instruction. */
struct lane_addresses {
    uint64_t address[WARP_LANES];
    uint32_t mask;
    uint32_t bytes; /* per lane: 1, 2, 4, 8, 16 or 32 */
};

/* Reads the addresses of a record; `base` is added to each (0 for records of struct wb_block). */
void lane_addresses_read(const struct access *access, const uint64_t *tables, uint64_t base,
                         struct lane_addresses *lanes);

/* The distinct blocks of `granule` bytes that the lanes touch, aligned, in the order of the first lane that
 * touches each; returns how many. */
uint32_t requests_coalesce(const struct lane_addresses *lanes, uint32_t granule,
                           uint64_t requests[REQUESTS_MAX]);

/* Whether an access leaves the SM's own memories: only such accesses have requests and make epochs. */
static inline bool access_makes_requests(const struct access *access) {
    return access->space == PTX_SPACE_GLOBAL || access->space == PTX_SPACE_LOCAL;
}

/* The requests of a recorded access of global or local memory, by its rule above but faster for regular
 * addresses; `base` is added to the addresses, and of local memory before it is interleaved. 0 of other
 * spaces. */
uint32_t access_requests(const struct access *access, const uint64_t *tables, uint64_t base, uint32_t granule,
                         uint64_t requests[REQUESTS_MAX]);

/* Which of the `count` requests of a recorded access at known addresses, as access_requests gives them, are
 * made whatever lanes are there that perhaps are: those that another lane touches. Of atomics none, where
 * some lane is one of these. */
void access_requests_sure(const struct access *access, const uint64_t *tables, uint64_t base,
                          uint32_t granule, const uint64_t *requests, uint32_t count, bool *sure);

/* The wavefronts of a recorded access of shared memory, constants or parameters, by its rule above. */
uint32_t access_wavefronts(const struct access *access, const uint64_t *tables, uint64_t base);

/* How many requests (of global and local memory) and wavefronts (of other memory) a recorded access makes: of
 * unknown addresses the most that there can be if they are aligned to what each lane accesses
 * (docs/covering-paths.md, section 4). */
uint32_t access_request_count(const struct access *access, const uint64_t *tables, uint32_t granule);
uint32_t access_wavefront_count(const struct access *access, const uint64_t *tables);

/* What the accesses of one executed instruction count on a machine that times machine code. */
struct access_sums {
    uint32_t of[SASS_COUNTS];
};

/* Adds an access; `base` is added to its addresses. */
void access_sums_add(const struct access *access, const uint64_t *tables, uint64_t base,
                     struct access_sums *sums);

/* How many there are of each beyond the first. */
struct access_counts access_sums_counts(const struct access_sums *sums);

/* Cycles that a unit is busy with `requests` of an instruction whose class has initiation interval `init`: at
 * least the interval, in which the lanes' addresses pass. */
static inline uint32_t transaction_cycles(const struct machine_memory *memory, uint32_t init,
                                          uint32_t requests) {
    uint32_t passing = requests * memory->request_cycles;
    return passing > init ? passing : init;
}

/* Cycles that a unit is busy with wavefronts over memory of the SM: the interval is that of one. */
static inline uint32_t wavefront_cycles(uint32_t init, uint32_t wavefronts) {
    return init * wavefronts;
}

/* What the executed memory instructions of a traced block cost on a machine that counts their transactions:
 * initiation by the rules above, latency of the class. */

/* A cost for each recorded access of the block, those of warp 0 first (see timed_block_from), to be freed;
 * NULL for a machine with ideal requests, where every instruction costs what its class does. Errors, each
 * with a message: WB_ERR_INPUT when the accesses were not recorded, or the machine follows GPGPU-Sim, which
 * has rules of its own; WB_ERR_DECLINED when the accesses of some instruction are not known; WB_ERR_LIMIT
 * when memory is exhausted.
 */
wb_status access_costs_make(const struct wb_block *block, const struct wb_machine *machine,
                            wb_diagnostics *diagnostics, struct execution_cost **costs);

#endif
