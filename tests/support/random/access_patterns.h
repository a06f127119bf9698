/* What small kernels access, as grids written by hand: blocks of 8 warps. Matrices are of floats, row-major,
 * and begin at lines of their own. */
#ifndef WB_TESTS_ACCESS_PATTERNS_H
#define WB_TESTS_ACCESS_PATTERNS_H

#include "hand_grid.h"

/* c[i] = a[i] + b[i]. */
void pattern_vecadd(struct hand_grid *hand, uint32_t blocks);

/* A five-point stencil, 32 x 8 threads a block: the centre, the rows above and below, left and right. */
void pattern_stencil(struct hand_grid *hand, uint32_t width, uint32_t height);

/* Products of n x n matrices, 16 x 16 threads a block: straight from memory, or through tiles of 16 x 16. */
void pattern_matmul(struct hand_grid *hand, uint32_t n);
void pattern_matmul_tiled(struct hand_grid *hand, uint32_t n);

/* A transpose that reads columns: 32 rows and 8 columns a block, blocks below one another, `pitch` elements
 * from row to row. */
void pattern_transpose(struct hand_grid *hand, uint32_t blocks, uint32_t pitch);

/* Each warp goes `times` times through 4 lines of its own. */
void pattern_private(struct hand_grid *hand, uint32_t blocks, uint32_t times);

#endif
