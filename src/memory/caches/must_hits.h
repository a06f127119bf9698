/* What is known of the first-level cache of an SM without reordering: loads that hit in every interleaving of
 * its warps and blocks, and how many loads can miss at most. docs/must-hits.md states the assumptions and
 * proves both. */
#ifndef WB_MEMORY_CACHES_MUST_HITS_H
#define WB_MEMORY_CACHES_MUST_HITS_H

#include "memory/caches/miss_bound.h"
#include "memory/requests/timed_grid.h"

/* Requests of the loads of one instruction. */
struct hit_counts {
    uint64_t loads;
    uint64_t must_hits;
    uint64_t must_data; /* must hits whose data has come */
};

struct must_hits {
    struct arena arena;
    enum port_order order;
    uint32_t warp_count, sms;
    const uint8_t **rows; /* per block of the SM and warp, per request of its pattern enum must_verdict */
    struct hit_counts *instructions; /* per instruction of the grid */
    struct miss_bound misses;
};

/* Analyses the blocks of an SM. Under static dispatch they are those of `share`; under greedy dispatch
 * share->sms is 1, so that every block may be on it, and what is found holds for each SM. The machine has a
 * first-level cache, `code` the units and registers of the grid's instructions. WB_ERR_LIMIT with a message
 * when memory is exhausted; must_hits_free in any case. */
wb_status must_hits_make(const struct traffic *traffic, const struct timed_code *code,
                         const struct sm_share *share, wb_diagnostics *diagnostics, struct must_hits *hits);

/* The verdicts on the requests of a warp of a block of the SM: one a request of its pattern. */
static inline const uint8_t *must_hits_of(const struct must_hits *hits, uint32_t block, uint32_t warp) {
    return hits->rows[(size_t)(block / hits->sms) * hits->warp_count + warp];
}

void must_hits_free(struct must_hits *hits);

#endif
