#include "sim/event_queue.h"

static inline bool is_before(cycles at, uint64_t rank, const struct event *event) {
    return at != event->at ? at < event->at : rank < event->rank;
}

/* Events are passed field by field: as a whole they would go through memory in pieces of other sizes. */
static inline void put(struct event *event, cycles at, uint64_t rank, uint32_t id) {
    event->at = at;
    event->rank = rank;
    event->id = id;
}

void event_queue_push(struct event_queue *queue, cycles at, uint64_t rank, uint32_t id) {
    struct event *items = queue->items;
    uint32_t place = queue->count++;
    while (place > 0) {
        const struct event *parent = &items[(place - 1) / 2];
        if (!is_before(at, rank, parent)) break;
        put(&items[place], parent->at, parent->rank, parent->id);
        place = (place - 1) / 2;
    }
    put(&items[place], at, rank, id);
}

struct event event_queue_pop(struct event_queue *queue) {
    struct event *items = queue->items;
    const struct event first = items[0];
    const uint32_t count = --queue->count;
    const cycles at = items[count].at;
    const uint64_t rank = items[count].rank;
    uint32_t place = 0;
    for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
        const struct event *next = &items[child];
        if (child + 1 < count && is_before(next[1].at, next[1].rank, next)) {
            next++;
            child++;
        }
        if (!is_before(next->at, next->rank, &items[count])) break;
        put(&items[place], next->at, next->rank, next->id);
    }
    put(&items[place], at, rank, items[count].id);
    return first;
}
