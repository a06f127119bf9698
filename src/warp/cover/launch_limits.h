/* The loops of a kernel in a launch: what the launch says of special registers and parameters, as the bounds
 * of loops need it, and what analysis finds with that. */
#ifndef WB_WARP_COVER_LAUNCH_LIMITS_H
#define WB_WARP_COVER_LAUNCH_LIMITS_H

#include "flow/bounds/loop_bounds.h"
#include "flow/bounds/waiting.h"
#include "launch/facts.h"
#include "launch/launch.h"

/* Threads of a block, numbered along x first: those of a warp, or all. */
struct thread_span {
    uint32_t first, last;
};

/* Which threads are asked about. */
struct launch_scope {
    const uint32_t *block;             /* index of a block in the grid, three numbers; NULL: any block */
    const struct thread_span *threads; /* of the block; NULL: all */
};

/* An environment with what its callback needs: it must stay where it is. Nothing of it is to be freed. */
struct launch_environment {
    const struct wb_kernel *kernel;
    const struct wb_launch *launch;
    struct loop_environment environment;
};

/* Fills the environment of a launch that fits the kernel. Arguments that are scalars or structs by value are
 * known where the launch gives them; addresses of buffers are not. Kernel and launch must outlive it. */
void launch_environment_fill(const struct wb_kernel *kernel, const struct wb_launch *launch,
                             const struct launch_scope *scope, struct launch_environment *filled);

/* What analysis finds of the loops of one function, for every launch and for one: what facts that were found
 * are held to, and what a template of facts states. */
struct found_limits {
    struct cfg cfg;
    struct dominators dominators;
    struct loops loops;
    struct loop_bound *always;   /* per loop, whatever is launched */
    struct loop_bound *launched; /* per loop, in the launch that is given */
    enum waiting *waiting;       /* per loop */
    struct unrolled *unrolled;   /* per loop: signs that the compiler unrolled it */
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
