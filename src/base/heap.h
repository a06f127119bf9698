/* What happens when, so that a simulator jumps over idle time: the binary heap, least key first, and the
 * timing wheel. */
#ifndef WB_BASE_HEAP_H
#define WB_BASE_HEAP_H

#include <assert.h>
#include <stdint.h>

#include "base/base.h"
#include "base/cycles.h"

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

/* ---- The timing wheel ---- */

/* The timing wheel: what happens when, mostly within some hundred cycles, in the order of time and, within a
 * cycle, of what was added first. Adding and taking take as long however many items there are. */

/* Cycles that the wheel covers; what is further off waits in a heap. A power of two. */
#define WHEEL_CYCLES 1024u
#define WHEEL_WORDS (WHEEL_CYCLES / 64)

#define WHEEL_NO_ITEM UINT32_MAX

struct wheel_item {
    uint32_t id;   /* the owner's */
    uint32_t next; /* of its cycle, or among those that are free */
};

/* The items of a cycle, of one that has some. */
struct wheel_slot {
    uint32_t first, last;
};

struct wheel {
    struct arena *arena;        /* protected while items are added */
    cycles now;                 /* the slots are those of [now, now + WHEEL_CYCLES) */
    cycles first;               /* when the next item is due, or CYCLES_SATURATED */
    struct wheel_slot *slots;   /* [cycle % WHEEL_CYCLES] */
    uint64_t used[WHEEL_WORDS]; /* of them those that have items, */
    uint32_t used_words;        /* and words of that that are not 0 */
    VEC(struct wheel_item) items;
    uint32_t free;
    VEC(struct heap_item) far_room; /* of: */
    struct heap far;
    uint64_t far_count; /* added to it so far */
};

/* An empty wheel, at cycle 0, whose memory is that of the protected arena. */
void wheel_init(struct wheel *wheel, struct arena *arena);

/* What cannot be done in place: another place for items; an item that is far off; items that have come near;
 * the next item when a cycle has no more. */
uint32_t wheel_grow(struct wheel *wheel);
void wheel_add_far(struct wheel *wheel, cycles at, uint32_t id);
void wheel_come_near(struct wheel *wheel);
cycles wheel_find_first(const struct wheel *wheel);

/* Time goes on to cycle `now`, with nothing due before. */
static inline void wheel_advance(struct wheel *wheel, cycles now) {
    assert(now >= wheel->now && now <= wheel->first);
    wheel->now = now;
    if (wheel->far.count > 0 && heap_first(&wheel->far) - now < WHEEL_CYCLES) wheel_come_near(wheel);
}

/* Adds an item that is due in cycle `at`, of those that the wheel covers. */
static inline void wheel_add_near(struct wheel *wheel, cycles at, uint32_t id) {
    const uint32_t place = wheel->free != WHEEL_NO_ITEM ? wheel->free : wheel_grow(wheel);
    const uint32_t cycle = (uint32_t)at % WHEEL_CYCLES;
    const uint64_t bit = UINT64_C(1) << (cycle % 64);
    struct wheel_item *item = &wheel->items.items[place];
    struct wheel_slot *slot = &wheel->slots[cycle];
    wheel->free = item->next;
    *item = (struct wheel_item){id, WHEEL_NO_ITEM};
    if ((wheel->used[cycle / 64] & bit) != 0)
        wheel->items.items[slot->last].next = place;
    else
        slot->first = place;
    slot->last = place;
    wheel->used[cycle / 64] |= bit;
    wheel->used_words |= 1u << (cycle / 64);
    wheel->first = cycles_min(wheel->first, at);
}

/* Adds an item that is due in cycle `at`, which is not over. Ends the arena's pass when memory is exhausted.
 */
static inline void wheel_add(struct wheel *wheel, cycles at, uint32_t id) {
    assert(at >= wheel->now && at < CYCLES_SATURATED);
    if (at - wheel->now < WHEEL_CYCLES)
        wheel_add_near(wheel, at, id);
    else
        wheel_add_far(wheel, at, id);
}

/* Takes the item that is due first, which is so in this cycle. */
static inline uint32_t wheel_take(struct wheel *wheel) {
    assert(wheel->first == wheel->now);
    const uint32_t cycle = (uint32_t)wheel->now % WHEEL_CYCLES;
    struct wheel_slot *slot = &wheel->slots[cycle];
    const uint32_t place = slot->first;
    struct wheel_item *item = &wheel->items.items[place];
    if (place != slot->last) {
        slot->first = item->next;
    } else {
        wheel->used[cycle / 64] &= ~(UINT64_C(1) << (cycle % 64));
        if (wheel->used[cycle / 64] == 0) wheel->used_words &= ~(1u << (cycle / 64));
        wheel->first = wheel_find_first(wheel);
    }
    item->next = wheel->free;
    wheel->free = place;
    return item->id;
}

#endif
