#include <stdbool.h>

#include "base/heap.h"

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

/* ---- The timing wheel ---- */

void wheel_init(struct wheel *wheel, struct arena *arena) {
    *wheel = (struct wheel){.arena = arena, .first = CYCLES_SATURATED, .free = WHEEL_NO_ITEM};
    wheel->slots = arena_array(arena, WHEEL_CYCLES, sizeof *wheel->slots);
}

uint32_t wheel_grow(struct wheel *wheel) {
    const struct wheel_item item = {0, WHEEL_NO_ITEM};
    if (wheel->items.count >= WHEEL_NO_ITEM) arena_fail(wheel->arena, WB_ERR_LIMIT);
    arena_push(wheel->arena, &wheel->items, item);
    return (uint32_t)wheel->items.count - 1;
}

void wheel_add_far(struct wheel *wheel, cycles at, uint32_t id) {
    arena_reserve(wheel->arena, &wheel->far_room, (size_t)wheel->far.count + 1);
    wheel->far.items = wheel->far_room.items;
    wheel->first = cycles_min(wheel->first, at);
    heap_push(&wheel->far, at, wheel->far_count++, id);
}

void wheel_come_near(struct wheel *wheel) {
    while (wheel->far.count > 0 && heap_first(&wheel->far) - wheel->now < WHEEL_CYCLES) {
        const struct heap_item item = heap_pop(&wheel->far);
        wheel_add_near(wheel, item.key, item.id);
    }
}

cycles wheel_find_first(const struct wheel *wheel) {
    const uint32_t start = (uint32_t)wheel->now % WHEEL_CYCLES, word = start / 64;
    const uint64_t rest = wheel->used[word] & UINT64_MAX << (start % 64);
    uint32_t found = word;
    if (wheel->used_words == 0) return heap_first(&wheel->far);
    if (rest == 0) {
        /* Words behind this one first; this one again, for cycles that come round to it, last. */
        const uint32_t behind = wheel->used_words & (uint32_t)(UINT64_MAX << (word + 1));
        found = (uint32_t)__builtin_ctz(behind != 0 ? behind : wheel->used_words);
    }
    const uint32_t cycle = found * 64 + (uint32_t)__builtin_ctzll(rest != 0 ? rest : wheel->used[found]);
    return wheel->now + (cycle - start) % WHEEL_CYCLES;
}
