/* Random grids of machine code as the bounds of kernels see them. */
#ifndef WB_TESTS_SASS_SUMS_H
#define WB_TESTS_SASS_SUMS_H

#include "bound/grid/grid_work.h"
#include "naive_sass.h"

/* Kinds of blocks of a random grid at most. */
#define SASS_KINDS 2u

struct sass_sums {
    struct wb_machine machine[SASS_KINDS], machine_of_all;
    struct timed_block blocks[SASS_KINDS];
    struct timed_block all; /* has the warps of all blocks: for its code */
    struct grid_work work;
};

/* Made where they stand; to be freed with sass_sums_free. */
void sass_sums_make(const struct sass_grid *grid, struct sass_sums *sums);
void sass_sums_free(struct sass_sums *sums);

#endif
