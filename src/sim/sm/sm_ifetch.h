/* How an SM fetches instructions: its instruction cache, and the fetches of its warps. docs/memory-model.md,
 * section 10. */
#ifndef WB_SIM_SM_SM_IFETCH_H
#define WB_SIM_SM_SM_IFETCH_H

#include "memory/caches/cache.h"
#include "sim/sm/sm.h"

/* A line of code on its way to the cache. */
struct line_under_way {
    uint64_t number;
    cycles data_at;
};

struct sm_ifetch {
    const struct machine_fetch *config;
    struct cache cache;
    struct line_under_way *under_way; /* config->misses at most */
    uint32_t under_way_count;
    uint64_t
        *asking;    /* warps whose next instruction is not in their buffer and that nothing is fetched for */
    uint32_t last;  /* the warp that was fetched for last, or WARP_NONE */
    cycles look_at; /* when a fetch may be possible next; CYCLES_SATURATED: no warp asks */
    uint64_t fetches, misses; /* so far; a fetch of a line under way is no miss */
};

/* Fetch for an SM on a machine where it can stall; its memory is the arena's, which
 * a pass protects. */
void sm_ifetch_init(struct sm *sm);

/* The warp number `index` has come to its next instruction: notes whether its buffer has it, and asks for a
 * fetch if not. */
void sm_ifetch_ask(struct sm *sm, uint32_t index);

/* The fetches that begin in this cycle. */
void sm_ifetch_cycle(struct sm *sm);

#endif
