/* What instruction fetch adds to a bound of the same instructions without it, on machines with an instruction
 * cache: the cycles in which some warp can be waiting for its next instruction (docs/proofs.md, section 15).
 */
#ifndef WB_BOUND_GRID_FETCH_TIME_H
#define WB_BOUND_GRID_FETCH_TIME_H

#include "memory/requests/requests.h"

/* Lines of code, as a set of bits. Zero-initialised it is empty. */
struct code_lines {
    VEC(uint64_t) words;
};

/* Adds the lines of all instructions that warps of the block fetch. WB_ERR_LIMIT without a message when
 * memory is exhausted. */
wb_status code_lines_add(struct code_lines *lines, const struct timed_block *block);

void code_lines_free(struct code_lines *lines);

/* Fetches that all warps of the block begin at most, whatever parts of their paths they execute. */
wb_status code_fetches(const struct timed_block *block, uint64_t *fetches);

/* The same by entry of the code: counts[i] grows by the fetches that the entry begins. */
wb_status code_fetch_counts(const struct timed_block *block, uint64_t *counts);

/* The most fetches of a block of a grid, and the lines of all of them. */
wb_status grid_fetches(const struct timed_grid *timed, struct code_lines *lines, uint64_t *most);

/* What is asked of the instruction caches of some SMs. */
struct fetch_demand {
    uint64_t fetches;
    const struct code_lines *lines;
    uint64_t sms;   /* that have a part in it */
    uint64_t warps; /* that an SM holds at a time, at most */
};

/* The cycles, or CYCLES_SATURATED; 0 where fetch never stalls. */
cycles fetch_time(const struct machine_fetch *fetch, const struct fetch_demand *demand);

#endif
