/* What happens when: a binary heap, earliest first, so that the simulator jumps over idle time. */
#ifndef WB_SIM_EVENT_QUEUE_H
#define WB_SIM_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cycles.h"

struct event {
    cycles at;
    uint64_t rank; /* who comes first of events of one cycle */
    uint32_t id;   /* the owner's */
};

/* Room for all entries is given by whoever makes the queue. */
struct event_queue {
    struct event *items;
    uint32_t count;
};

/* The earliest time, or CYCLES_SATURATED when the queue is empty. */
static inline cycles event_queue_first(const struct event_queue *queue) {
    return queue->count == 0 ? CYCLES_SATURATED : queue->items[0].at;
}

void event_queue_push(struct event_queue *queue, cycles at, uint64_t rank, uint32_t id);

/* Removes the earliest entry of a queue that is not empty. */
struct event event_queue_pop(struct event_queue *queue);

#endif
