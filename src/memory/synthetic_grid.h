/* A grid written by hand (warp/synthetic/synthetic_block.h) in the form that the GPU simulator executes. */
#ifndef WB_MEMORY_SYNTHETIC_GRID_H
#define WB_MEMORY_SYNTHETIC_GRID_H

#include "memory/timed_grid.h"
#include "warp/synthetic/synthetic_block.h"

/* Makes the grid of a block's kinds, those of the first kind first, and the same with times; both refer to
 * the block and its machine. To be freed with grid_clear and timed_grid_free in any case. WB_ERR_LIMIT with a
 * message when memory is exhausted. */
wb_status synthetic_grid_make(const struct synthetic_block *block, wb_diagnostics *diagnostics,
                              struct wb_grid *grid, struct timed_grid *timed);

/* The same of a grid of one block, of kind number `kind`. */
wb_status synthetic_grid_make_block(const struct synthetic_block *block, size_t kind,
                                    wb_diagnostics *diagnostics, struct wb_grid *grid,
                                    struct timed_grid *timed);

#endif
