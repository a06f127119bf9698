/* Acknowledgements of stores and replies to atomics. Stores are acknowledged long after the last instruction
 * that could notice: while no atomic waits for a reply, nobody looks at the single cycles. */
#include "sim/gpgpusim_sm.h"

void gs_queue_push(struct gs_queue *queue, struct gs_due due, wb_status *status) {
    if (queue->count == queue->capacity) {
        size_t capacity = queue->capacity == 0 ? 64 : 2 * queue->capacity;
        struct gs_due *items = capacity > SIZE_MAX / sizeof *items ? NULL : malloc(capacity * sizeof *items);
        if (items == NULL) {
            *status = WB_ERR_LIMIT;
            return;
        }
        for (size_t i = 0; i < queue->count; i++)
            items[i] = queue->items[(queue->head + i) & (queue->capacity - 1)];
        free(queue->items);
        *queue = (struct gs_queue){.items = items, .count = queue->count, .capacity = capacity};
    }
    queue->items[(queue->head + queue->count++) & (queue->capacity - 1)] = due;
}

struct gs_due *gs_queue_front(const struct gs_queue *queue) {
    return queue->count == 0 ? NULL : &queue->items[queue->head];
}

void gs_queue_pop(struct gs_queue *queue) {
    queue->head = (queue->head + 1) & (queue->capacity - 1);
    queue->count--;
}

/* Takes one of the front's accesses. */
static void take_one(struct gs_queue *queue) {
    if (--gs_queue_front(queue)->count == 0) gs_queue_pop(queue);
}

uint32_t gs_replies_receive(struct gs_replies *replies, cycles now, bool take) {
    const struct gs_due *front = gs_queue_front(&replies->way);
    if (front == NULL || front->at >= now) return GS_NONE;
    uint32_t flight = front->flight;
    if (flight == GS_NONE)
        replies->last = now;
    else if (!take)
        return GS_NONE;
    else
        replies->atomics--;
    take_one(&replies->way);
    return flight;
}

void gs_replies_send(struct gs_replies *replies, cycles now, wb_status *status) {
    const struct gs_due *front = gs_queue_front(&replies->cache);
    if (front == NULL || front->at > now) return;
    take_one(&replies->cache);
    gs_queue_push(&replies->way, (struct gs_due){now, GS_NONE, 1}, status);
}

void gs_replies_advance(struct gs_replies *replies, cycles now, wb_status *status) {
    while (replies->done < now && *status == WB_OK) {
        if (replies->way.count > 0) {
            (void)gs_replies_receive(replies, replies->done, false);
            gs_replies_send(replies, replies->done, status);
            replies->done++;
            continue;
        }
        struct gs_due *front = gs_queue_front(&replies->cache);
        cycles start = front == NULL ? now : cycles_max(replies->done, front->at);
        if (start >= now) {
            replies->done = now;
            return;
        }
        /* One leaves the cache in each cycle from `start` on, and is acknowledged in the next. */
        uint32_t sent = (uint32_t)cycles_min(front->count, now - start);
        front->count -= sent - 1;
        take_one(&replies->cache);
        replies->done = replies->last = start + sent;
    }
}

void gs_replies_store(struct gs_replies *replies, cycles now, uint32_t count, uint32_t delay,
                      wb_status *status) {
    if (count == 0) return;
    /* The last cycle of the delay is that of the way back. */
    struct gs_queue *queue = delay > 1 ? &replies->cache : &replies->way;
    gs_queue_push(queue, (struct gs_due){now + delay - 1, GS_NONE, count}, status);
}

void gs_replies_atomic(struct gs_replies *replies, cycles now, uint32_t flight, wb_status *status) {
    gs_queue_push(&replies->way, (struct gs_due){now, flight, 1}, status);
    replies->atomics++;
}

void gs_replies_free(struct gs_replies *replies) {
    free(replies->cache.items);
    free(replies->way.items);
}
