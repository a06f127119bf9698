/* The dispatcher of all SMs: which block goes to which SM when rooms are free, and what the dispatcher takes
 * for it. docs/memory-model.md, section 2, states the rules. */
#ifndef WB_SIM_GPU_DISPATCH_H
#define WB_SIM_GPU_DISPATCH_H

#include "base/heap.h"
#include "machine/memory.h"

/* Choices of somebody who wants to see what a dispatcher might do. Where all blocks fit at the start, they
 * are dealt out to the SMs in turn whatever the choices say. */
struct dispatch_plan {
    const uint32_t *blocks;  /* in the order in which they are dispatched */
    const uint32_t *choices; /* per dispatch: of the n SMs with room the one of number choice mod n, from 0 */
};

/* The free rooms of one SM. */
struct free_rooms {
    uint32_t *slots; /* the lowest first */
    uint32_t count;
    uint32_t next_block; /* of static dispatch */
};

struct gpu_dispatcher {
    uint32_t rule;                    /* enum block_dispatch */
    const struct dispatch_plan *plan; /* or NULL */
    bool fits;                        /* all blocks have rooms at the start */
    uint32_t sm_count, block_count;
    uint32_t dispatched;      /* blocks so far */
    uint32_t last_sm;         /* that got the last one */
    cycles busy_until;        /* the dispatcher itself */
    struct heap freed;        /* slots that have become free and may not be given away yet; id: the SM */
    struct free_rooms *rooms; /* per SM: free in the cycle that is being looked at */
    uint32_t room_count;      /* of all SMs */
};

#endif
