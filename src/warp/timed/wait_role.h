/* What instructions wait for: the queues of their warp (struct timed_queue), which they join, end groups of
 * or wait for; the other warps of the block. docs/execution.md, "Waiting". */
#ifndef WB_WARP_TIMED_WAIT_ROLE_H
#define WB_WARP_TIMED_WAIT_ROLE_H

#include "ptx/ptx.h"
#include "warp/timed/wait_queues.h"

struct wait_role {
    uint8_t joins, commits; /* bit q: queue q */
    enum wait_queue queue;  /* that it waits for, or QUEUE_COUNT */
    uint32_t since;         /* for all that joined before the `since`-th last commit */
    bool on_chip;           /* has no part of its class's latency that is the way to memory */
    bool fence;             /* whatever follows waits for it */
    const char *unmodelled; /* why its waiting cannot be timed, or NULL */
};

struct wait_role wait_role_of(const struct ptx_function *function, const struct ptx_inst *inst);

/* Of whom an instruction is a barrier. */
enum barrier_scope {
    BARRIER_NONE,  /* no barrier, or one within a warp */
    BARRIER_WHOLE, /* joins all warps of the block */
    BARRIER_PART,  /* joins a part of them (counted, or arrive-only), or other blocks as well */
};

/* The scope of an instruction in a block of `size` threads in warps of `warp_width`. Which of the 16 barriers
 * it is does not matter: warps that all wait for all others wait for the same one, or for ever. */
enum barrier_scope barrier_scope_of(const struct ptx_function *function, const struct ptx_inst *inst,
                                    const uint32_t size[3], uint32_t warp_width);

#endif
