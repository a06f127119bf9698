/* Random grids of blocks in the notation of warp/synthetic/synthetic.h, on GPUs without caches. */
#ifndef WB_TESTS_RANDOM_GRID_H
#define WB_TESTS_RANDOM_GRID_H

#include "memory/requests/requests.h"
#include "random_block.h"
#include "sim/gpu/gpu.h"

/* Largest values; the least are 1 (0 for the dispatcher's times). */
struct random_grid_shape {
    struct random_shape block;
    const uint32_t *depths;
    uint32_t depth_count;
    uint32_t classes, blocks; /* of blocks, in the grid */
    uint32_t sms, resident;
    uint32_t dispatch_latency, dispatch_service;
    bool kernel_like;      /* units with the times of a GPU's: arithmetic, special functions, memory */
    bool dynamic;          /* any block may go to any SM: no static dispatch */
    bool oldest_first;     /* the machine says that the oldest block issues first */
    uint32_t free_percent; /* of grids: the dispatcher takes no time at all */
};

/* Members of a shape: its dispatch depths, an array, and its grid. */
#define SHAPE_GRID(depths_, classes_, blocks_, sms_, resident_)                                              \
    .depths = (depths_), .depth_count = sizeof(depths_) / sizeof *(depths_), .classes = (classes_),          \
    .blocks = (blocks_), .sms = (sms_), .resident = (resident_)

struct random_grid {
    struct synthetic_block block;
    struct wb_grid grid;
    struct timed_grid timed;
    char label[8192]; /* the grid as a YAML file and its seed: what a failing test prints */
};

/* The grid of a seed. Must not be moved. Free it with random_grid_free. */
void random_grid_make(uint64_t seed, const struct random_grid_shape *shape, struct random_grid *made);

/* The last part of that: grid and times of `block` of `made`, which has neither yet. */
void random_grid_make_times(struct random_grid *made);

/* The grid that is left of `made` when `block` of it has been changed: its times, number of blocks, machine.
 */
void random_grid_remake(struct random_grid *made);

/* How long the grid takes under a policy; `plan`: or NULL. */
cycles random_grid_simulate(const struct random_grid *grid, const struct sim_policy *policy,
                            const struct dispatch_plan *plan);

void random_grid_free(struct random_grid *made);

#endif
