/* What analysis finds of the loops of a kernel, for every launch and for one: what facts that were found are
 * held to, and what a template of facts states. */
#ifndef WB_WARP_COVER_FOUND_LIMITS_H
#define WB_WARP_COVER_FOUND_LIMITS_H

#include "flow/bounds/loop_bounds.h"
#include "launch/facts.h"

/* The loops of one function. */
struct found_limits {
    struct cfg cfg;
    struct dominators dominators;
    struct loops loops;
    struct loop_bound *always;   /* per loop, whatever is launched */
    struct loop_bound *launched; /* per loop, in the launch that is given */
};

/* WB_ERR_LIMIT, without a message, when memory is exhausted. All memory is the arena's. */
wb_status found_limits_find(const struct ptx_function *function, const struct loop_environment *launched,
                            struct arena *arena, struct found_limits *found);

/* WB_ERR_INPUT with a message when a fact calls found what analysis does not find. The launch fits the
 * kernel.
 */
wb_status found_limits_require(const struct wb_facts *facts, const struct wb_launch *launch,
                               wb_diagnostics *diagnostics);

#endif
