/* What is known of the loads of a grid at the first-level caches: estimated under reordering, guaranteed
 * without it, and simulated beside both. */
#ifndef WB_SIM_GPU_CACHE_SUMMARY_H
#define WB_SIM_GPU_CACHE_SUMMARY_H

#include "sim/gpu/gpu_results.h"

/* Of covering paths the first three are at most, misses_estimated at least, guaranteed are hits of those
 * requests that are made, and simulated ones are not there. */
struct cache_counts {
    uint64_t accesses;         /* warp instructions that make requests */
    uint64_t requests;         /* of them all: lines, or sectors */
    uint64_t loads;            /* requests of loads; all numbers below are of these */
    uint64_t misses_estimated; /* by replaying the order of the reordering extension */
    uint64_t most_estimated;   /* of covering paths at most so many; else the same */
    uint64_t guaranteed_hits;  /* hits in every order, without reordering */
    uint64_t misses_reordered; /* simulated, scheme reorder */
    uint64_t misses_default;   /* simulated, scheme default */
};

struct cache_summary {
    struct cache_counts total;
    struct cache_counts *instructions; /* per instruction of the grid */
    uint32_t instruction_count;
    bool covering;        /* the paths cover those of all data */
    uint64_t most_misses; /* of all loads, in any order, without reordering */
    char *no_order;       /* of covering paths: why nothing is known under reordering, or NULL */
};

/* Estimates, analyses and simulates; freed with cache_summary_free in any case. Errors, each with a message:
 * as gpu_simulate. */
wb_status cache_summary_make(struct wb_gpu *gpu, const wb_watch *watch, wb_diagnostics *diagnostics,
                             struct cache_summary *summary);

void cache_summary_free(struct cache_summary *summary);

#endif
