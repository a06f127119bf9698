/* Random blocks and grids of all that the definitions of proofs/ know. */
#ifndef WB_TESTS_EXTRACTED_BLOCK_H
#define WB_TESTS_EXTRACTED_BLOCK_H

#include "random_block.h"
#include "random_grid.h"

/* The block of a seed; free it with synthetic_block_free. */
static inline void extracted_block_make(uint64_t seed, struct random_block *random) {
    static const uint32_t depths[] = {0, 0, 1, 2, DEPTH_UNLIMITED, DEPTH_UNLIMITED};
    static const struct random_shape shape = {
        SHAPE_BLOCK(3, 5, 9, 5, 7), .barrier_percent = 20, .real_percent = 10, .alias_percent = 30,
        SHAPE_SM(2, 3, 2),          .release = 3,          .copy_percent = 20, .fence_percent = 10};
    random_block_make(seed, &shape, depths, sizeof depths / sizeof *depths, random);
}

/* The grid of a seed, of at most so many blocks; must not be moved; free it with random_grid_free. */
static inline void extracted_grid_make(uint64_t seed, uint32_t blocks, struct random_grid *random) {
    static const uint32_t depths[] = {0, 0, 1, 2, DEPTH_UNLIMITED, DEPTH_UNLIMITED};
    const struct random_grid_shape shape = {.block = {SHAPE_BLOCK(3, 5, 9, 3, 4), .barrier_percent = 20,
                                                      .real_percent = 10, .alias_percent = 30,
                                                      SHAPE_SM(2, 2, 2), .release = 3},
                                            SHAPE_GRID(depths, 3, blocks, 3, 4),
                                            .dispatch_latency = 3,
                                            .dispatch_service = 1,
                                            .oldest_first = true,
                                            .free_percent = 20};
    random_grid_make(seed, &shape, random);
}

#endif
