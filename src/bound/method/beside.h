/* What of machine code is counted beside the times of warps (docs/machine-code-bounds.md, section 7): atomics
 * of global memory (ATOM, ATOMG, RED), which the second level serves one after the other where they are on
 * one word, whichever SM they come from; and what caches fill once. */
#ifndef WB_BOUND_METHOD_BESIDE_H
#define WB_BOUND_METHOD_BESIDE_H

#include "memory/requests/requests.h"
#include "warp/timed/timed.h"

/* How many atomics a block of machine code executes at most, each lane's for itself; CYCLES_SATURATED: too
 * many to count. */
uint64_t atomics_of(const struct timed_block *block);

/* How many requests it makes at most of the memory behind its SM, as budgets of neighbours count them. */
uint64_t requests_of(const struct timed_block *block);

/* And so many SMs, however many blocks they get: of the kernel's code and constants. */
uint64_t requests_once(const struct wb_machine *machine, const struct wb_kernel *kernel, uint64_t sms);

/* Counts of a block, or of a kernel, on one machine. */
struct beside_counts {
    uint64_t atomics;
    uint64_t sectors; /* that come from DRAM or go there */
    uint32_t visits;  /* how often the translations of an SM count: 1, or 2 (theorem 7) */
    bool of_block;    /* what leaves the first level; the times of kernels count it block by block */
};

/* The cycles that each takes at most. */
struct beside_times {
    cycles atomics, translations, sectors, requests;
};

struct beside_times beside_times_of(const struct wb_machine *machine, const struct beside_counts *counts);

static inline cycles beside_sum(const struct beside_times *times) {
    return cycles_add(cycles_add(times->atomics, times->requests),
                      cycles_add(times->translations, times->sectors));
}

#endif
