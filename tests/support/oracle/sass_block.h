/* Blocks of random grids of machine code as the analyses take them. */
#ifndef WB_TESTS_SASS_BLOCK_H
#define WB_TESTS_SASS_BLOCK_H

#include "naive_sass.h"
#include "warp/timed/timed_block.h"

/* The machine of a grid, and the block that has its first warps, each with a path of its own on which its
 * program comes `times` times; unfolded: each time with instructions of its own. To be freed with
 * timed_block_free; `machine` must outlive it. */
void sass_block_from(const struct sass_grid *grid, uint32_t times, bool unfolded, struct wb_machine *machine,
                     struct timed_block *block);

#endif
