/* The directions in which cells of the segment abstraction are tested. */
#ifndef WB_MAKESPAN_SEGMENT_HULL_H
#define WB_MAKESPAN_SEGMENT_HULL_H

#include "makespan/segment_abstraction.h"

/* Chooses abstraction->directions: the fixed ones and normals of the edges of convex hulls, the longest edges
 * first. Any set of directions is safe. Places, moves, counters and `left` are made. WB_ERR_LIMIT without a
 * message when memory is exhausted. */
wb_status segment_directions_choose(struct segment_abstraction *abstraction);

#endif
