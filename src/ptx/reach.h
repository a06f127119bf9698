/* Which functions of a module a kernel can execute. */
#ifndef WB_PTX_REACH_H
#define WB_PTX_REACH_H

#include "ptx/ptx.h"

struct ptx_reach {
    uint32_t
        *functions; /* of the module, in the order in which their calls are met: the kernel's own first */
    uint32_t count;
};

/* The kernel and all that it can call, directly or not; a call through a register can reach every function
 * that is no entry. In memory of the arena. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status ptx_reach(const struct wb_kernel *kernel, struct arena *arena, struct ptx_reach *reach);

#endif
