/* How often the loops of a function can run: from constants, launch parameters and thread identifiers, by
 * intervals, congruences and values that are affine in %tid on SSA form. */
#ifndef WB_FLOW_BOUNDS_LOOP_BOUNDS_H
#define WB_FLOW_BOUNDS_LOOP_BOUNDS_H

#include "flow/bounds/value_state.h"
#include "flow/graph/loops.h"

/* A higher bound may say no more than how many values the loop's counter has: of a loop whose exits unknown
 * values decide, it is then asked how often the loop runs. */
#define LOOP_BOUND_TELLING_MAX (UINT64_C(1) << 17)

static inline bool loop_bound_is_telling(const struct loop_bound *bound) {
    return bound->known && bound->headers <= LOOP_BOUND_TELLING_MAX;
}

/* A bound for every loop of `loops` (an array of loops->count) that holds for every thread the environment
 * describes, whatever the contents of memory. */
struct loop_bound *loop_bounds_find(const struct ssa *ssa, const struct dominators *dominators,
                                    const struct loops *loops, const struct loop_environment *environment,
                                    struct arena *arena);

#endif
