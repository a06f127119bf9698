/* Warps on their way instruction by instruction, by latencies alone (stepped.c). */
#ifndef WARPBOUND_CHECK_STEPPED_H
#define WARPBOUND_CHECK_STEPPED_H

#include "kernel.h"

/* A path: of each instruction twice its number, and 1 if it is a barrier. */
struct unrolled {
    number_list steps;
    const struct block *of;
    uint64_t path, in_row;
};
struct unrolled **unroll_all(const struct grid *grid); /* the paths of each class */
void drop_paths(const struct grid *grid, struct unrolled **paths);

/* A warp. */
struct turning {
    const struct unrolled *path;
    uint64_t *times, at;      /* the step at hand */
    uint64_t first, sub_core; /* the first warp of its block */
    bool running, held;
};

const struct inst *inst_of(const struct turning *warp);
uint64_t issue(struct turning *warp, uint64_t earliest); /* of what it is at, no sooner than that */
/* Behind it, its result being there then; a barrier holds the warp. */
void complete_at(struct turning *warp, uint64_t there);
void complete(struct turning *warp); /* the same, by its latency */
/* The paths of the warps of a block in the order in which it has them: to be dropped. */
number_list order_of(const struct grid *grid, const struct block *of);

#endif
