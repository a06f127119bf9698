#include "base/heap.h"

#include <stdbool.h>

static inline bool is_before(uint64_t key, uint64_t rank, const struct heap_item *item) {
    return key != item->key ? key < item->key : rank < item->rank;
}

/* Items are passed field by field: as a whole they would go through memory in pieces of other sizes. */
static inline void put(struct heap_item *item, uint64_t key, uint64_t rank, uint32_t id) {
    item->key = key;
    item->rank = rank;
    item->id = id;
}

void heap_push(struct heap *heap, uint64_t key, uint64_t rank, uint32_t id) {
    struct heap_item *items = heap->items;
    assert(heap->count < UINT32_MAX);
    uint32_t place = heap->count++;
    while (place > 0) {
        const struct heap_item *parent = &items[(place - 1) / 2];
        if (!is_before(key, rank, parent)) break;
        put(&items[place], parent->key, parent->rank, parent->id);
        place = (place - 1) / 2;
    }
    put(&items[place], key, rank, id);
}

/* Puts an item where it belongs, from the top down, where nothing stands. */
static inline void sift_down(const struct heap *heap, uint64_t key, uint64_t rank, uint32_t id) {
    struct heap_item *items = heap->items;
    uint32_t place = 0;
    for (uint32_t child; (child = 2 * place + 1) < heap->count; place = child) {
        const struct heap_item *next = &items[child];
        if (child + 1 < heap->count && is_before(next[1].key, next[1].rank, next)) {
            next++;
            child++;
        }
        if (!is_before(next->key, next->rank, &(struct heap_item){key, rank, id})) break;
        put(&items[place], next->key, next->rank, next->id);
    }
    put(&items[place], key, rank, id);
}

struct heap_item heap_pop(struct heap *heap) {
    assert(heap->count > 0);
    const struct heap_item first = heap->items[0], *last = &heap->items[--heap->count];
    sift_down(heap, last->key, last->rank, last->id);
    return first;
}

void heap_change_first(struct heap *heap, uint64_t key) {
    assert(heap->count > 0);
    sift_down(heap, key, heap->items[0].rank, heap->items[0].id);
}
