/* When each warp's next instruction has its operands: a binary heap, earliest first, so that the simulator
 * jumps over idle time. */
#ifndef WB_SIM_WAKE_QUEUE_H
#define WB_SIM_WAKE_QUEUE_H

#include <stdint.h>

#include "base/cycles.h"

struct wake {
    cycles at;
    uint32_t warp;
};

/* Room for one entry a warp, given by whoever makes the queue. */
struct wake_queue {
    struct wake *items;
    uint32_t count;
};

/* The earliest time, or CYCLES_SATURATED when the queue is empty. */
static inline cycles wake_queue_first(const struct wake_queue *queue) {
    return queue->count == 0 ? CYCLES_SATURATED : queue->items[0].at;
}

void wake_queue_push(struct wake_queue *queue, cycles at, uint32_t warp);

/* Removes the earliest entry of a queue that is not empty and returns its warp. */
uint32_t wake_queue_pop(struct wake_queue *queue);

#endif
