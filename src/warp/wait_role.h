/* What an instruction has to do with the queues of a warp (warp/timed_block.h): what joins them, what ends
 * groups, what waits. docs/execution.md, "Waiting". */
#ifndef WB_WARP_WAIT_ROLE_H
#define WB_WARP_WAIT_ROLE_H

#include "ptx/ptx.h"
#include "warp/wait_queues.h"

struct wait_role {
    uint8_t joins, commits; /* bit q: queue q */
    enum wait_queue queue;  /* that it waits for, or QUEUE_COUNT */
    uint32_t since;         /* for all that joined before the `since`-th last commit */
    bool on_chip;           /* has no part of its class's latency that is the way to memory */
    bool fence;             /* whatever follows waits for it */
    const char *unmodelled; /* why its waiting cannot be timed, or NULL */
};

struct wait_role wait_role_of(const struct ptx_function *function, const struct ptx_inst *inst);

#endif
