/* What a launch says of special registers and parameters, as the bounds of loops need it. */
#ifndef WB_WARP_COVER_LAUNCH_ENVIRONMENT_H
#define WB_WARP_COVER_LAUNCH_ENVIRONMENT_H

#include "flow/bounds/loop_bounds.h"
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

#endif
