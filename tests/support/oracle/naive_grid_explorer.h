/* A second search for the worst case of a grid, written from docs/proofs.md, sections 1 and 12, alone: every
 * choice is a recursive call, and nothing is remembered. For very small grids only. */
#ifndef WB_TESTS_NAIVE_GRID_EXPLORER_H
#define WB_TESTS_NAIVE_GRID_EXPLORER_H

#include "warp/synthetic/synthetic.h"

/* What a grid may have. */
#define NAIVE_GRID_BLOCKS 8
#define NAIVE_GRID_WARPS 4 /* of a block */
#define NAIVE_GRID_SMS 3
#define NAIVE_GRID_ROOMS 3
#define NAIVE_GRID_UNITS 4
#define NAIVE_GRID_INSTANCES 3
#define NAIVE_GRID_SUB_CORES 3

/* The longest time in which the grid can end, or 0 when it has more than that, its programs more than
 * naive_sim.h allows, or the search takes more than `steps` choices. */
cycles naive_grid_explore(const struct synthetic_block *grid, uint64_t steps);

#endif
