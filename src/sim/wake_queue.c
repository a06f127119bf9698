#include "sim/wake_queue.h"

void wake_queue_push(struct wake_queue *queue, cycles at, uint32_t warp) {
    uint32_t place = queue->count++;
    while (place > 0) {
        uint32_t parent = (place - 1) / 2;
        if (queue->items[parent].at <= at) break;
        queue->items[place] = queue->items[parent];
        place = parent;
    }
    queue->items[place] = (struct wake){at, warp};
}

uint32_t wake_queue_pop(struct wake_queue *queue) {
    uint32_t warp = queue->items[0].warp;
    struct wake moved = queue->items[--queue->count];
    uint32_t place = 0;
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= queue->count) break;
        if (child + 1 < queue->count && queue->items[child + 1].at < queue->items[child].at) child++;
        if (moved.at <= queue->items[child].at) break;
        queue->items[place] = queue->items[child];
        place = child;
    }
    queue->items[place] = moved;
    return warp;
}
