#include "sim/event_queue.h"

static bool is_before(const struct event *a, const struct event *b) {
    return a->at != b->at ? a->at < b->at : a->rank < b->rank;
}

void event_queue_push(struct event_queue *queue, struct event event) {
    uint32_t place = queue->count++;
    while (place > 0) {
        uint32_t parent = (place - 1) / 2;
        if (!is_before(&event, &queue->items[parent])) break;
        queue->items[place] = queue->items[parent];
        place = parent;
    }
    queue->items[place] = event;
}

struct event event_queue_pop(struct event_queue *queue) {
    struct event first = queue->items[0];
    struct event moved = queue->items[--queue->count];
    uint32_t place = 0;
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= queue->count) break;
        if (child + 1 < queue->count && is_before(&queue->items[child + 1], &queue->items[child])) child++;
        if (!is_before(&queue->items[child], &moved)) break;
        queue->items[place] = queue->items[child];
        place = child;
    }
    queue->items[place] = moved;
    return first;
}
