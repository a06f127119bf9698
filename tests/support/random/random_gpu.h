/* Random small GPUs with random grids written by hand, for holding bounds against simulations. */
#ifndef WB_TESTS_RANDOM_GPU_H
#define WB_TESTS_RANDOM_GPU_H

#include "hand_grid.h"
#include "memory/requests/requests.h"

/* What varies in a family of random GPUs. */
struct random_gpu_family {
    uint32_t sms, sub_cores, width; /* at most */
    uint32_t per_warp;              /* instructions of a warp in a cycle, at most; 0: as 1 */
    uint32_t units;                 /* instances of the memory unit, at most */
    uint32_t blocks, resident;      /* in the grid; of an SM at a time, at most */
    struct hand_shape shape;        /* of blocks; warps and accesses at most */
    uint32_t dispatch;              /* enum block_dispatch */
    bool contended;                 /* no caches, but one memory for all SMs */
    bool waits; /* for accesses together: groups of copies and fences, in half of the grids */
};

/* GPUs of at most three SMs with two sub-cores, and grids of at most six blocks. */
extern const struct random_gpu_family random_small_gpus;

struct random_gpu {
    struct hand_grid hand;
    struct timed_grid timed;
    struct text label; /* the machine and the grid, for messages */
};

/* The GPU and the grid of a seed. Must not be moved. */
void random_gpu_make(uint64_t seed, const struct random_gpu_family *family, struct random_gpu *gpu);

/* What random_gpu_make leaves out: requests of two units; accesses that keep their unit longer than their
 * requests need; instructions without a unit that wait for operands, and are not counted. */
void random_gpu_vary_code(uint64_t seed, struct random_gpu *gpu);

void random_gpu_free(struct random_gpu *gpu);

#endif
