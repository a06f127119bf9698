/* Whether two grids say the same of a kernel. */
#ifndef WB_TESTS_SAME_GRID_H
#define WB_TESTS_SAME_GRID_H

#include <stdbool.h>

#include "base/base.h"
#include "warp/trace/trace.h"

/* The grid of a kernel by classes, listed or counted, or of which every block is executed; NULL: it can not
 * be had. */
enum grid_how { GRID_BY_CLASSES, GRID_COUNTED_BLOCKS, GRID_EXECUTED };
wb_grid *same_grid_trace(const wb_kernel *kernel, const wb_launch *launch, enum grid_how how,
                         wb_diagnostics *diagnostics);

/* The same on covering paths, with the facts (or NULL). */
wb_grid *same_grid_cover(const wb_kernel *kernel, const wb_launch *launch, const wb_facts *facts,
                         uint32_t classes_from, wb_diagnostics *diagnostics);

/* Byte for byte, but for notes: `a` may have fewer. False: *difference says where they differ. */
bool same_grid(const wb_grid *a, const wb_grid *b, struct text *difference);

/* Whether the blocks of a grid that is counted stand for those of `whole`, which has them all. */
bool same_grid_counted(const wb_grid *counted, const wb_grid *whole, struct text *difference);

#endif
