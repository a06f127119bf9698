#include "sim/sm_memory.h"

static void append_pending(struct sm *sm, uint32_t index) {
    struct sm_reorder *reorder = sm->memory->reorder;
    struct sm_flight *flight = sm_flight_at(sm, index);
    flight->older = reorder->pending.last;
    flight->newer = SM_NONE;
    if (reorder->pending.last == SM_NONE) {
        reorder->pending.first = index;
    } else {
        sm_flight_at(sm, reorder->pending.last)->newer = index;
    }
    reorder->pending.last = index;
}

static void remove_pending(struct sm *sm, const struct sm_flight *flight) {
    struct sm_reorder *reorder = sm->memory->reorder;
    if (flight->older == SM_NONE) {
        reorder->pending.first = flight->newer;
    } else {
        sm_flight_at(sm, flight->older)->newer = flight->newer;
    }
    if (flight->newer == SM_NONE) {
        reorder->pending.last = flight->older;
    } else {
        sm_flight_at(sm, flight->newer)->older = flight->older;
    }
}

/* The warp whose instruction has the next key; NULL while its block is not resident. */
static struct sm_warp *next_warp(const struct sm *sm) {
    const struct ordered_access *next = &sm->memory->reorder->next;
    for (uint32_t s = 0; s < sm->slot_count; s++) {
        if (sm->slots[s].block == next->block) return &sm->warps[s * sm->program->warp_count + next->warp];
    }
    return NULL;
}

/* Counts the cycles in which the first level could have taken requests of another instruction that had been
 * issued already, while the next in the order had not. */
static void count_wait(struct sm_memory *memory, const struct sm *sm, const struct sm_flight *flight) {
    cycles first_issue = sm_flight_at(sm, memory->reorder->pending.first)->issue;
    if (memory->reorder->waited_for) return;
    memory->reorder->waited_for = true;
    memory->counts.reorder_stalls += cycles_sub(flight->issue, cycles_max(memory->free_at, first_issue));
}

/* All requests of the first instruction in a warp's channel have had their turn: its entry is free, and the
 * order goes on. */
static void leave_channel(struct sm *sm, struct sm_warp *warp) {
    struct sm_reorder *reorder = sm->memory->reorder;
    uint32_t index = flight_list_pop(sm, &warp->channel);
    const struct sm_flight *flight = sm_flight_at(sm, index);
    remove_pending(sm, flight);
    warp->entries[flight->entry] = sm->memory->free_at;
    reorder->has_next = access_order_next(&reorder->order, &reorder->next);
    reorder->waited_for = false;
    sm_unblock(sm, flight->warp);
    sm_try_land(sm, index);
}

wb_status sm_serve_channels(struct sm *sm) {
    struct sm_memory *memory = sm->memory;
    while (memory->reorder->has_next) {
        struct sm_warp *warp = next_warp(sm);
        if (warp == NULL || warp->channel.count == 0) return WB_OK;
        const struct sm_flight *flight = sm_flight_at(sm, warp->channel.first);
        bool done;
        count_wait(memory, sm, flight);
        WB_TRY(sm_l1_serve(sm, warp->channel.first, flight->start, &done));
        if (!done) return WB_OK;
        leave_channel(sm, warp);
    }
    return WB_OK;
}

wb_status sm_enter_channel(struct sm *sm, uint32_t index, cycles at) {
    struct sm_warp *warp = &sm->warps[index];
    uint32_t flight;
    WB_TRY(sm_take_off(sm, index, &flight));
    sm_flight_at(sm, flight)->start = at;
    sm_flight_at(sm, flight)->entry = warp->next_entry;
    warp->entries[warp->next_entry] = CYCLES_SATURATED;
    warp->next_entry = (warp->next_entry + 1) % sm->memory->config->channel_depth;
    flight_list_append(sm, &warp->channel, flight);
    append_pending(sm, flight);
    return sm_serve_channels(sm);
}
