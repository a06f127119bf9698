#include <assert.h>
#include <string.h>

#include "sim/gpu/gpu.h"

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
    made->free = arena_array(&gpu->arena, gpu->sm_count, sizeof *made->free);
    made->freed.items = arena_array(&gpu->arena, all, sizeof *made->freed.items);
    uint32_t *slots = arena_array(&gpu->arena, all, sizeof *slots);
    if (made->free == NULL || made->freed.items == NULL || slots == NULL) return WB_ERR_LIMIT;
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        made->free[s] = (struct free_slots){.slots = slots + (size_t)s * gpu->slots, .next_block = s};
    return WB_OK;
}

/* A slot is free in the cycle that is being looked at. */
static void open_slot(struct gpu_dispatcher *dispatcher, uint32_t sm, uint32_t slot) {
    struct free_slots *slots_of = &dispatcher->free[sm];
    uint32_t place = slots_of->count++;
    for (; place > 0 && slots_of->slots[place - 1] > slot; place--)
        slots_of->slots[place] = slots_of->slots[place - 1];
    slots_of->slots[place] = slot;
    dispatcher->free_count++;
}

/* Gives away the lowest free slot of an SM. */
static uint32_t take_slot(struct gpu_dispatcher *dispatcher, uint32_t sm) {
    struct free_slots *slots_of = &dispatcher->free[sm];
    assert(slots_of->count > 0 && dispatcher->free_count > 0);
    uint32_t slot = slots_of->slots[0];
    memmove(slots_of->slots, slots_of->slots + 1, --slots_of->count * sizeof *slots_of->slots);
    dispatcher->free_count--;
    return slot;
}

/* Whether an SM could get a block now. */
static bool can_take(const struct gpu_dispatcher *dispatcher, uint32_t sm) {
    if (dispatcher->free[sm].count == 0) return false;
    return dispatcher->rule != DISPATCH_STATIC || dispatcher->free[sm].next_block < dispatcher->block_count;
}

/* The SM with the lowest free slot; sm_count: none. */
static uint32_t lowest_slot(const struct gpu_dispatcher *dispatcher) {
    uint32_t best = dispatcher->sm_count;
    for (uint32_t s = 0; s < dispatcher->sm_count; s++) {
        if (!can_take(dispatcher, s)) continue;
        if (best == dispatcher->sm_count || dispatcher->free[s].slots[0] < dispatcher->free[best].slots[0])
            best = s;
    }
    return best;
}

/* The next SM with a free slot behind the one that got the last block. */
static uint32_t next_in_turn(const struct gpu_dispatcher *dispatcher) {
    uint32_t sm = dispatcher->last_sm;
    do
        sm = sm + 1 < dispatcher->sm_count ? sm + 1 : 0;
    while (dispatcher->free[sm].count == 0);
    return sm;
}

/* The SM with most free slots. */
static uint32_t most_free(const struct gpu_dispatcher *dispatcher) {
    uint32_t best = 0;
    for (uint32_t s = 1; s < dispatcher->sm_count; s++)
        if (dispatcher->free[s].count > dispatcher->free[best].count) best = s;
    return best;
}

/* The SM that the plan of a dispatcher chooses that may give a block to any; sm_count: none has a free slot.
 */
static uint32_t planned(const struct gpu_dispatcher *dispatcher) {
    uint32_t able = 0;
    for (uint32_t s = 0; s < dispatcher->sm_count; s++)
        able += dispatcher->free[s].count > 0;
    if (able == 0) return dispatcher->sm_count;
    uint32_t skip = dispatcher->plan->choices[dispatcher->dispatched] % able;
    for (uint32_t s = 0;; s++)
        if (dispatcher->free[s].count > 0 && skip-- == 0) return s;
}

/* The SM that gets the next block, while some have free slots; sm_count: none of these gets any more. */
static uint32_t choose_sm(const struct gpu_dispatcher *dispatcher) {
    switch ((enum block_dispatch)dispatcher->rule) {
    case DISPATCH_ROUND_ROBIN: return next_in_turn(dispatcher);
    case DISPATCH_MOST_FREE: return most_free(dispatcher);
    case DISPATCH_ANY:
        if (dispatcher->plan == NULL) break;
        return dispatcher->fits ? next_in_turn(dispatcher) : planned(dispatcher);
    case DISPATCH_STATIC:
    case DISPATCH_GREEDY: break;
    }
    return lowest_slot(dispatcher);
}

/* The block that an SM gets as the next one. */
static uint32_t next_block(struct gpu_dispatcher *dispatcher, uint32_t sm) {
    uint32_t number = dispatcher->dispatched++;
    if (dispatcher->rule == DISPATCH_ANY && dispatcher->plan != NULL) return dispatcher->plan->blocks[number];
    if (dispatcher->rule != DISPATCH_STATIC) return number;
    uint32_t block = dispatcher->free[sm].next_block;
    dispatcher->free[sm].next_block =
        block <= UINT32_MAX - dispatcher->sm_count ? block + dispatcher->sm_count : UINT32_MAX;
    return block;
}

/* Takes over the slots that an SM has reported. */
static void take_freed(struct gpu *gpu, uint32_t number) {
    struct sm_host *host = gpu->sms[number].host;
    for (uint32_t r = 0; r < host->freed_count; r++) {
        const struct freed_slot freed = host->freed[r];
        heap_push(&gpu->dispatcher.freed, freed.at, (uint64_t)freed.slot << SLOT_SHIFT | number, number);
    }
    host->freed_count = 0;
}

/* The slots that become free in cycle `at`, which comes next. */
static void open_freed(struct gpu_dispatcher *dispatcher, cycles at) {
    while (heap_first(&dispatcher->freed) == at) {
        const struct heap_item freed = heap_pop(&dispatcher->freed);
        open_slot(dispatcher, freed.id, (uint32_t)(freed.rank >> SLOT_SHIFT));
    }
}

/* Gives a block to a slot that is free in cycle `at`; `latency`: behind the dispatcher's own time. False when
 * nobody can have one. */
static bool dispatch_one(struct gpu *gpu, cycles at, uint32_t latency, uint32_t *sm) {
    struct gpu_dispatcher *dispatcher = &gpu->dispatcher;
    if (dispatcher->free_count == 0 || !gpu_blocks_left(gpu)) return false;
    *sm = choose_sm(dispatcher);
    if (*sm == dispatcher->sm_count) return false;
    dispatcher->busy_until = cycles_max(dispatcher->busy_until, at) + gpu->memory->dispatch_service;
    uint32_t slot = take_slot(dispatcher, *sm);
    sm_host_place(gpu->sms[*sm].host, slot, next_block(dispatcher, *sm), dispatcher->busy_until + latency);
    dispatcher->last_sm = *sm;
    return true;
}

/* Gives blocks to the SMs whose blocks are known from the start. */
static void place_own(struct gpu *gpu) {
    for (uint32_t s = 0; s < gpu->sm_count; s++) {
        struct sm_host *host = gpu->sms[s].host;
        for (uint32_t slot = 0; slot < gpu->slots && host->feed.next < host->feed.end; slot++) {
            sm_host_place(host, slot, (uint32_t)host->feed.next, 0);
            host->feed.next += host->feed.stride;
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
            open_slot(&gpu->dispatcher, s, slot);
    while (dispatch_one(gpu, 0, 0, &sm))
        continue;
}

/* What is due on an SM by cycle `now` happens, and its free slots are taken over. */
static wb_status catch_up(struct gpu *gpu, uint32_t number, cycles now) {
    struct sm_host *host = gpu->sms[number].host;
    WB_TRY(host->model->catch_up(host, now));
    take_freed(gpu, number);
    return WB_OK;
}

wb_status gpu_dispatch(struct gpu *gpu, cycles now) {
    struct gpu_dispatcher *dispatcher = &gpu->dispatcher;
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        WB_TRY(catch_up(gpu, s, now));
    while (dispatcher->freed.count > 0 && gpu_blocks_left(gpu)) {
        const cycles at = heap_first(&dispatcher->freed);
        uint32_t sm;
        open_freed(dispatcher, at);
        while (dispatch_one(gpu, at, gpu->memory->dispatch_latency, &sm)) {
            /* A block that does nothing has ended by now, too. */
            WB_TRY(catch_up(gpu, sm, now));
            open_freed(dispatcher, at);
        }
    }
    return WB_OK;
}
