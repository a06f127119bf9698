/* Whether two grids say the same of a kernel. */
#ifndef WB_TESTS_SAME_GRID_H
#define WB_TESTS_SAME_GRID_H

#include <stdbool.h>

#include "base/base.h"
#include "warp/trace/trace.h"

/* The grid of a kernel by classes (classes_from = 1), or of which every block is executed (UINT32_MAX); NULL:
 * it can not be had. */
wb_grid *same_grid_trace(const wb_kernel *kernel, const wb_launch *launch, uint32_t classes_from,
                         wb_diagnostics *diagnostics);

/* The same on covering paths, with the facts (or NULL). */
wb_grid *same_grid_cover(const wb_kernel *kernel, const wb_launch *launch, const wb_facts *facts,
                         uint32_t classes_from, wb_diagnostics *diagnostics);

/* Byte for byte, but for notes: `a` may have fewer. False: *difference says where they differ. */
bool same_grid(const wb_grid *a, const wb_grid *b, struct text *difference);

#endif
