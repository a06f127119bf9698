/* Bounds of grids on machines with caches, as JCSE 2017 has them or for its schemes of access. */
#ifndef WB_WINGS_JCSE2017_METHODS_H
#define WB_WINGS_JCSE2017_METHODS_H

#include "bound/method/method.h"

extern const struct bound_method bound_reorder_chain, bound_turn_chain;   /* docs/memory-bounds.md */
extern const struct bound_method bound_segments, bound_segments_missrate; /* the published formulas */

/* The objection of methods that walk every instruction of the grid. */
const char *too_long_to_walk(const struct bound_input *input);

#endif
