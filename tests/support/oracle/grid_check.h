/* Comparing a grid with the blocks that were put into it. */
#ifndef WB_TESTS_GRID_CHECK_H
#define WB_TESTS_GRID_CHECK_H

#include "warp/trace/trace.h"

/* Fails the running test unless the warp executes `path` and accesses what `list` says, lane by lane. */
void check_grid_warp(const struct wb_grid *grid, uint32_t block, uint32_t warp, const struct path *path,
                     const struct access_list *list);

#endif
