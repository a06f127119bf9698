/* The binary heap: least key first, such as what happens when, so that a simulator jumps over idle time. */
#ifndef WB_BASE_HEAP_H
#define WB_BASE_HEAP_H

#include <stdint.h>

struct heap_item {
    uint64_t key;
    uint64_t rank; /* who comes first of items with one key */
    uint32_t id;   /* the owner's */
};

/* Room for all items is given by whoever makes the heap. */
struct heap {
    struct heap_item *items;
    uint32_t count;
};

/* The least key, or UINT64_MAX (of times CYCLES_SATURATED) when the heap is empty. */
static inline uint64_t heap_first(const struct heap *heap) {
    return heap->count == 0 ? UINT64_MAX : heap->items[0].key;
}

void heap_push(struct heap *heap, uint64_t key, uint64_t rank, uint32_t id);

/* Removes the least item of a heap that is not empty. */
struct heap_item heap_pop(struct heap *heap);

/* Gives the least item of a heap that is not empty another key. */
void heap_change_first(struct heap *heap, uint64_t key);

#endif
