/* Misses of the first-level caches under the reordering extension: the caches see one order of accesses
 * (memory/access_order.h), so that replaying it tells which loads miss (JCSE'17, section III). */
#ifndef WB_MEMORY_MISS_ESTIMATE_H
#define WB_MEMORY_MISS_ESTIMATE_H

#include "memory/traffic.h"

struct miss_counts {
    uint64_t accesses;      /* warp instructions that make requests */
    uint64_t requests;      /* of them all */
    uint64_t load_requests; /* of loads: stores and atomics always go to the second level */
    uint64_t load_misses;
    uint64_t load_unsure; /* of covering paths: those that hit, miss or are not made, depending on data */
};

struct miss_estimate {
    struct miss_counts total;
    struct miss_counts *instructions; /* per instruction of the grid */
    uint32_t instruction_count;
    uint32_t resident; /* blocks that an SM holds at a time */
};

/* Replays the accesses of all SMs, whose caches start empty and do not share anything; up to `threads` SMs at
 * a time, with the same result whatever the number. Errors, each with a message: WB_ERR_INPUT when the
 * machine has no first-level cache or no room for a block; WB_ERR_LIMIT when memory is exhausted.
 * miss_estimate_free in any case. */
wb_status miss_estimate_make(const struct traffic *traffic, uint32_t threads, wb_diagnostics *diagnostics,
                             struct miss_estimate *estimate);

/* Misses per request of a load; 0 without loads. */
double miss_rate(const struct miss_counts *counts);

void miss_estimate_free(struct miss_estimate *estimate);

#endif
