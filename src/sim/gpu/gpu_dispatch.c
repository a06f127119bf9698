#include <string.h>

#include "sim/gpu/gpu_state.h"

/* Of several slots that become free in one cycle the lowest comes first, then the lowest SM. */
#define SLOT_SHIFT 32

wb_status gpu_dispatcher_init(struct gpu *gpu) {
    struct gpu_dispatcher *made = &gpu->dispatcher;
    const uint64_t all = (uint64_t)gpu->sm_count * gpu->slots;
    *made = (struct gpu_dispatcher){.rule = gpu->memory->dispatch,
                                    .plan = gpu->options->plan,
                                    .fits = gpu->block_count <= all,
                                    .sm_count = gpu->sm_count,
                                    .block_count = gpu->block_count,
                                    .last_sm = gpu->sm_count - 1};
    made->rooms = arena_array(&gpu->arena, gpu->sm_count, sizeof *made->rooms);
    made->freed.items = arena_array(&gpu->arena, all, sizeof *made->freed.items);
    uint32_t *slots = arena_array(&gpu->arena, all, sizeof *slots);
    if (made->rooms == NULL || made->freed.items == NULL || slots == NULL) return WB_ERR_LIMIT;
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        made->rooms[s] = (struct free_rooms){.slots = slots + (size_t)s * gpu->slots, .next_block = s};
    return WB_OK;
}

/* A slot is free in the cycle that is being looked at. */
static void open_room(struct gpu_dispatcher *dispatcher, uint32_t sm, uint32_t slot) {
    struct free_rooms *rooms = &dispatcher->rooms[sm];
    uint32_t place = rooms->count++;
    for (; place > 0 && rooms->slots[place - 1] > slot; place--)
        rooms->slots[place] = rooms->slots[place - 1];
    rooms->slots[place] = slot;
    dispatcher->room_count++;
}

/* Gives away the lowest free slot of an SM. */
static uint32_t take_room(struct gpu_dispatcher *dispatcher, uint32_t sm) {
    struct free_rooms *rooms = &dispatcher->rooms[sm];
    uint32_t slot = rooms->slots[0];
    memmove(rooms->slots, rooms->slots + 1, --rooms->count * sizeof *rooms->slots);
    dispatcher->room_count--;
    return slot;
}

/* Whether an SM could get a block now. */
static bool can_take(const struct gpu_dispatcher *dispatcher, uint32_t sm) {
    if (dispatcher->rooms[sm].count == 0) return false;
    return dispatcher->rule != DISPATCH_STATIC || dispatcher->rooms[sm].next_block < dispatcher->block_count;
}

/* The SM with the lowest free slot, for static and greedy dispatch; sm_count: none. */
static uint32_t lowest_slot(const struct gpu_dispatcher *dispatcher) {
    uint32_t best = dispatcher->sm_count;
    for (uint32_t s = 0; s < dispatcher->sm_count; s++) {
        if (!can_take(dispatcher, s)) continue;
        if (best == dispatcher->sm_count || dispatcher->rooms[s].slots[0] < dispatcher->rooms[best].slots[0])
            best = s;
    }
    return best;
}

/* The next SM with room behind the one that got the last block. */
static uint32_t next_in_turn(const struct gpu_dispatcher *dispatcher) {
    uint32_t sm = dispatcher->last_sm;
    do
        sm = sm + 1 < dispatcher->sm_count ? sm + 1 : 0;
    while (dispatcher->rooms[sm].count == 0);
    return sm;
}

/* The SM with most free rooms. */
static uint32_t most_rooms(const struct gpu_dispatcher *dispatcher) {
    uint32_t best = 0;
    for (uint32_t s = 1; s < dispatcher->sm_count; s++)
        if (dispatcher->rooms[s].count > dispatcher->rooms[best].count) best = s;
    return best;
}

/* The SM that a plan chooses; sm_count: none has room. */
static uint32_t planned(const struct gpu_dispatcher *dispatcher) {
    uint32_t able = 0;
    for (uint32_t s = 0; s < dispatcher->sm_count; s++)
        able += dispatcher->rooms[s].count > 0;
    if (able == 0) return dispatcher->sm_count;
    uint32_t skip = dispatcher->plan->choices[dispatcher->dispatched] % able;
    for (uint32_t s = 0;; s++)
        if (dispatcher->rooms[s].count > 0 && skip-- == 0) return s;
}

/* The SM that gets the next block, while some have room; sm_count: none of these gets any more. */
static uint32_t choose_sm(const struct gpu_dispatcher *dispatcher) {
    if (dispatcher->plan != NULL && dispatcher->rule != DISPATCH_STATIC)
        return dispatcher->fits ? next_in_turn(dispatcher) : planned(dispatcher);
    switch ((enum block_dispatch)dispatcher->rule) {
    case DISPATCH_ROUND_ROBIN: return next_in_turn(dispatcher);
    case DISPATCH_MOST_FREE: return most_rooms(dispatcher);
    case DISPATCH_STATIC:
    case DISPATCH_GREEDY: break;
    }
    return lowest_slot(dispatcher);
}

/* The block that an SM gets as the next one. */
static uint32_t next_block(struct gpu_dispatcher *dispatcher, uint32_t sm) {
    uint32_t number = dispatcher->dispatched++;
    if (dispatcher->rule != DISPATCH_STATIC)
        return dispatcher->plan == NULL ? number : dispatcher->plan->blocks[number];
    uint32_t block = dispatcher->rooms[sm].next_block;
    dispatcher->rooms[sm].next_block =
        block <= UINT32_MAX - dispatcher->sm_count ? block + dispatcher->sm_count : UINT32_MAX;
    return block;
}

/* Takes over the slots that an SM has reported. */
static void take_freed(struct gpu *gpu, uint32_t number) {
    struct sm *sm = &gpu->sms[number].sm;
    for (uint32_t r = 0; r < sm->room_count; r++) {
        const struct sm_room room = sm->rooms[r];
        heap_push(&gpu->dispatcher.freed, room.at, (uint64_t)room.slot << SLOT_SHIFT | number, number);
    }
    sm->room_count = 0;
}

/* The rooms that become free in cycle `at`, which comes next. */
static void open_freed(struct gpu_dispatcher *dispatcher, cycles at) {
    while (heap_first(&dispatcher->freed) == at) {
        const struct heap_item room = heap_pop(&dispatcher->freed);
        open_room(dispatcher, room.id, (uint32_t)(room.rank >> SLOT_SHIFT));
    }
}

/* Gives a block to a room that is free in cycle `at`; `latency`: behind the dispatcher's own time. False when
 * nobody can have one. */
static bool dispatch_one(struct gpu *gpu, cycles at, uint32_t latency, uint32_t *sm) {
    struct gpu_dispatcher *dispatcher = &gpu->dispatcher;
    if (dispatcher->room_count == 0 || !gpu_blocks_left(gpu)) return false;
    *sm = choose_sm(dispatcher);
    if (*sm == dispatcher->sm_count) return false;
    dispatcher->busy_until = cycles_max(dispatcher->busy_until, at) + gpu->memory->dispatch_service;
    uint32_t slot = take_room(dispatcher, *sm);
    sm_place(&gpu->sms[*sm].sm, slot, next_block(dispatcher, *sm), dispatcher->busy_until + latency);
    dispatcher->last_sm = *sm;
    return true;
}

/* Gives blocks to the SMs whose blocks are known from the start. */
static void place_own(struct gpu *gpu) {
    for (uint32_t s = 0; s < gpu->sm_count; s++) {
        struct sm *sm = &gpu->sms[s].sm;
        for (uint32_t slot = 0; slot < gpu->slots && sm->feed.next < sm->feed.end; slot++) {
            sm_place(sm, slot, (uint32_t)sm->feed.next, 0);
            sm->feed.next += sm->feed.stride;
        }
    }
}

void gpu_dispatch_first(struct gpu *gpu) {
    uint32_t sm;
    if (!gpu->dispatches) {
        place_own(gpu);
        return;
    }
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        for (uint32_t slot = 0; slot < gpu->slots; slot++)
            open_room(&gpu->dispatcher, s, slot);
    while (dispatch_one(gpu, 0, 0, &sm))
        continue;
}

void gpu_dispatch(struct gpu *gpu, cycles now) {
    struct gpu_dispatcher *dispatcher = &gpu->dispatcher;
    for (uint32_t s = 0; s < gpu->sm_count; s++) {
        sm_catch_up(&gpu->sms[s].sm, now);
        take_freed(gpu, s);
    }
    while (dispatcher->freed.count > 0 && gpu_blocks_left(gpu)) {
        const cycles at = heap_first(&dispatcher->freed);
        uint32_t sm;
        open_freed(dispatcher, at);
        while (dispatch_one(gpu, at, gpu->memory->dispatch_latency, &sm)) {
            /* A block that does nothing has ended by now, too. */
            sm_catch_up(&gpu->sms[sm].sm, now);
            take_freed(gpu, sm);
            open_freed(dispatcher, at);
        }
    }
}
