/* When in its block each access of a warp happens, whatever the schedule: between which barriers, and in
 * which epoch of the access order (docs/access-order.md). */
#ifndef WB_MEMORY_ACCESS_POSITIONS_H
#define WB_MEMORY_ACCESS_POSITIONS_H

#include "warp/path/grid.h"

struct access_position {
    uint32_t phase; /* barriers that the warp has crossed before it */
    uint32_t epoch; /* grows when the program address of a request does not, and at every barrier */
};

/* Of the blocks of one shape. */
struct shape_positions {
    struct access_position **positions; /* per warp and access of its stream */
    uint32_t phases;                    /* most barriers that a warp crosses, plus 1 */
    uint32_t epochs;                    /* the largest epoch of an access, plus 1 */
};

/* The positions of all shapes of a grid, from the arena. WB_ERR_LIMIT without a message when memory is
 * exhausted or a warp crosses too many barriers to count. */
wb_status access_positions_make(const struct wb_grid *grid, struct arena *arena,
                                struct shape_positions *shapes);

#endif
