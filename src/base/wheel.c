#include "base/heap.h"

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
