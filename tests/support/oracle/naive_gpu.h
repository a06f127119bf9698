/* A second simulator of whole GPUs, written from docs/memory-model.md and docs/proofs.md, section 1, alone:
 * it steps through every cycle and keeps everything that ever was issued. Slow, and without any regard for
 * memory. */
#ifndef WB_TESTS_NAIVE_GPU_H
#define WB_TESTS_NAIVE_GPU_H

#include "memory/requests/requests.h"

/* What has to agree, as the simulator under test counts it. */
struct naive_issue {
    uint32_t sm;
    cycles at;
    uint32_t block, warp;
    uint64_t step;
};

struct naive_turn {
    uint32_t sm;
    cycles at;
    uint32_t block, warp;
    uint32_t instruction;
    uint64_t address;
    uint32_t outcome; /* 0: a load misses, 1: hits, 2: hits under a miss, 3: no load */
};

struct naive_block {
    cycles start, end;
};

struct naive_gpu_result {
    cycles end;
    uint64_t instructions, loads, hits, misses, hits_under_miss, stores, atomics;
    uint64_t l2_hits, l2_misses, dram_reads, dram_writes;
    uint64_t mshr_stalls, victim_stalls, reorder_stalls, channel_stalls;
    uint64_t fetches, fetch_misses;
    uint64_t most_on_the_way; /* without caches: requests of an SM at a time; */
    cycles longest_wait;      /* of a request from its arrival at the memory to the end of its service */
    VEC(struct naive_issue) issues;
    VEC(struct naive_turn) turns;
    struct naive_block *blocks;
};

/* Whose requests the memory of a GPU without caches serves, too: in no time more than `requests`, and `rate`
 * in `per` cycles. */
struct naive_neighbours {
    int64_t requests, rate, per;
    uint64_t seed;
    uint32_t eager; /* of 256 times they come first when others wait */
};

/* `slots`: blocks that an SM holds at a time; `neighbours` may be NULL. Free the result with naive_gpu_free.
 */
void naive_gpu_simulate(const struct timed_grid *grid, const char *policy, bool reorder, uint32_t slots,
                        const struct naive_neighbours *neighbours, struct naive_gpu_result *result);

void naive_gpu_free(struct naive_gpu_result *result);

#endif
