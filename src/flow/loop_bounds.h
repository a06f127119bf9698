/* How often the loops of a function can run: from constants, launch parameters and thread identifiers, by
 * intervals, congruences and values that are affine in %tid on SSA form. */
#ifndef WB_FLOW_LOOP_BOUNDS_H
#define WB_FLOW_LOOP_BOUNDS_H

#include "flow/loops.h"
#include "flow/ssa.h"

/* Values of one kind of special register over the threads that are asked about: [low, high]. */
struct sreg_range {
    bool known;
    uint64_t low, high;
};

/* What is known of a launch when a function is looked at. */
struct loop_environment {
    struct sreg_range sregs[PTX_SREG_COUNT]; /* by enum ptx_sreg */
    /* Whether the `bytes` bytes at `offset` of parameter variable `variable` (of the module) are known, and
     * their value; NULL: no parameter is known. */
    bool (*parameter)(const void *user, uint32_t variable, uint64_t offset, uint32_t bytes, uint64_t *value);
    const void *user;
};

struct loop_bound {
    bool known;
    uint64_t headers; /* most executions of the header each time the loop is entered, by any one thread; at
                         least 1, also of a loop that cannot be entered */
};

/* A higher bound may say no more than how many values the loop's counter has: of a loop whose exits unknown
 * values decide, it is then asked how often the loop runs. */
#define LOOP_BOUND_TELLING_MAX (UINT64_C(1) << 17)

static inline bool loop_bound_is_telling(const struct loop_bound *bound) {
    return bound->known && bound->headers <= LOOP_BOUND_TELLING_MAX;
}

/* A bound for every loop of `loops` (an array of loops->count, in memory of the arena) that holds for every
 * thread the environment describes, whatever the contents of memory. WB_ERR_LIMIT, without a message, when
 * memory is exhausted. */
wb_status loop_bounds_find(const struct ssa *ssa, const struct dominators *dominators,
                           const struct loops *loops, const struct loop_environment *environment,
                           struct arena *arena, struct loop_bound **bounds);

#endif
