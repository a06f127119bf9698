/* Paths through what warps execute that count latencies only: initiations, issue slots and queues weigh
 * nothing, because the cycles that they take are counted elsewhere (docs/memory-bounds.md, section 5). */
#ifndef WB_BOUND_CACHE_LATENCY_PATH_H
#define WB_BOUND_CACHE_LATENCY_PATH_H

#include "bound/cache/memory_work.h"
#include "bound/grid/block_requests.h"
#include "bound/profile/chain.h"
#include "memory/caches/misses.h"

/* A warp on its way. */
struct latency_warp {
    struct warp_steps steps;
    const uint8_t *verdicts;      /* on its requests (enum must_verdict), or NULL: nothing is known of them */
    struct chain_time *registers; /* per register of the code, the longest path to when it can be read */
    struct chain_time issue;      /* to the issue of the last instruction */
    struct chain_time complete;   /* to the latest completion */
    bool ended;
};

/* The warps of a block on their way. */
struct latency_block {
    const struct timed_grid *timed;
    const struct must_hits *hits; /* of the block's SM, or NULL */
    struct request_latencies latencies;
    struct latency_warp *warps;
    struct chains *chains; /* NULL: nobody asks for the parts of the paths */
    uint32_t longest_link; /* the chain of the path that latency_block_run found */
};

/* Room for a block of the grid, of whose requests nothing is known. WB_ERR_LIMIT when memory is exhausted. */
wb_status latency_block_init(struct latency_block *block, const struct timed_grid *timed,
                             struct arena *arena);

/* Puts all warps of block number `number` at their start, `start` behind the start of all paths. */
void latency_block_begin(struct latency_block *block, uint32_t number, cycles start);

/* The longest path of the block to a completion: lam. */
cycles latency_block_run(struct latency_block *block);

/* The longest path to the issue of the warp's next instruction, not below `earliest`. */
cycles latency_warp_issue(struct latency_warp *warp, const struct timed_inst *inst, cycles earliest);

/* The results of an instruction of the warp are there at the end of a path of length `at`. */
void latency_warp_complete(struct latency_warp *warp, const struct timed_inst *inst, cycles at);

/* lat(k): the latency of the class and, of an instruction with requests, the longest that one of them can
 * take in place of what the class says of memory. */
cycles latency_of_step(const struct request_latencies *latencies, const struct warp_step *step,
                       const uint8_t *verdicts);

/* The latest of the last issues of the warps of a block, for a barrier: all go on from there. */
cycles latency_block_join(struct latency_block *block);

#endif
