/* One block of a grid by itself. */
#ifndef WB_WARP_PATH_GRID_BLOCK_H
#define WB_WARP_PATH_GRID_BLOCK_H

#include "warp/path/grid.h"

/* Makes the block number `number` of a grid without steered warps, as wb_block_trace would have recorded it;
 * it refers to the grid's kernel. Free it with wb_block_free. WB_ERR_LIMIT with a message when memory is
 * exhausted. */
wb_status grid_block_make(const struct wb_grid *grid, uint32_t number, wb_diagnostics *diagnostics,
                          struct wb_block **block);

#endif
