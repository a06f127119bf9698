/* One functional unit with its dispatch queue, as docs/proofs.md, R3 and R4, has it: instructions start in
 * the order of their issue as soon as an instance is free, so that the start is known at the issue and the
 * queue needs no entries of its own, only the starts of the last `depth` instructions. */
#ifndef WB_SIM_SM_UNIT_QUEUE_H
#define WB_SIM_SM_UNIT_QUEUE_H

#include "base/arena.h"
#include "base/cycles.h"
#include "machine/machine.h"

struct unit_queue {
    cycles open_from; /* first cycle in which the next instruction may be issued to it */
    cycles *free_at;  /* per instance, when its last initiation ends */
    uint32_t count;   /* instances */
    uint32_t depth;   /* queue entries, or DEPTH_UNLIMITED */
    cycles *starts;   /* ring of the last `depth` starts; none for depth 0 and DEPTH_UNLIMITED */
    uint32_t next;    /* ring position of the oldest of them */
};

/* An idle unit; its arrays come from `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status unit_queue_init(struct unit_queue *queue, uint32_t count, uint32_t depth, struct arena *arena);

/* The instance that is free first; the lowest of them. */
static inline uint32_t unit_queue_first_free(const struct unit_queue *queue) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < queue->count; i++) {
        if (queue->free_at[i] < queue->free_at[first]) first = i;
    }
    return first;
}

/* Issues an instruction in cycle `issue` (open_from or later): returns the cycle in which its initiation
 * starts, and on which instance. */
static inline cycles unit_queue_push(struct unit_queue *queue, cycles issue, uint32_t init,
                                     uint32_t *instance) {
    uint32_t chosen = unit_queue_first_free(queue);
    cycles start = cycles_max(issue, queue->free_at[chosen]);
    queue->free_at[chosen] = start + init;
    *instance = chosen;
    if (queue->depth == 0) {
        queue->open_from = queue->free_at[unit_queue_first_free(queue)];
    } else if (queue->depth != DEPTH_UNLIMITED) {
        /* Fewer than `depth` instructions wait once the `depth`-th last of them has started; the ring starts
         * as zeros, so a queue that was never full is open. */
        queue->starts[queue->next] = start;
        queue->next = queue->next + 1 == queue->depth ? 0 : queue->next + 1;
        queue->open_from = queue->starts[queue->next];
    }
    return start;
}

#endif
