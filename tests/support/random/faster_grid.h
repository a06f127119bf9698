/* A grid that turns out faster than stated, each warp of each block in its own way: what a bound with the
 * times that a machine states must hold for as well. */
#ifndef WB_TESTS_FASTER_GRID_H
#define WB_TESTS_FASTER_GRID_H

#include "random_grid.h"

/* The grid of a seed that executes what `stated` does in times that are at most as stated. Blocks of a class
 * are of a few classes then. Must not be moved; free it with random_grid_free, before `stated`. */
void faster_grid_make(uint64_t seed, const struct random_grid *stated, struct random_grid *made);

#endif
