/* A grid written by hand, with what its blocks amount to in the bounds of kernels. */
#ifndef WB_TESTS_WRITTEN_GRID_H
#define WB_TESTS_WRITTEN_GRID_H

#include "bound/grid/block_classes.h"
#include "warp/synthetic/synthetic.h"

struct written_grid {
    struct synthetic_block block;
    struct grid_work work;
    wb_diagnostics *diagnostics;
};

/* What cannot be read fails the test. */
static inline void written_grid_open(struct written_grid *grid, const char *text) {
    *grid = (struct written_grid){.diagnostics = wb_diagnostics_new()};
    wb_status status = synthetic_file_parse("grid", text, strlen(text), grid->diagnostics, &grid->block);
    if (status == WB_OK) status = block_classes_by_hand(&grid->block, NULL, grid->diagnostics, &grid->work);
    if (status != WB_OK) fail_msg("%s\n%s", wb_diagnostics_text(grid->diagnostics), text);
}

static inline void written_grid_close(struct written_grid *grid) {
    grid_work_free(&grid->work);
    synthetic_block_free(&grid->block);
    wb_diagnostics_free(grid->diagnostics);
}

#endif
