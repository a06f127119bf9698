#include "sim/sm_ifetch.h"
#include "sim/sm_memory.h"

/* Takes a unit that admits nothing more in this cycle, and its waiting warps, out of the choice. */
static void sm_close_unit(struct sm *sm, struct sm_unit *unit) {
    if (unit->closed || unit->queue.open_from <= sm->now) return;
    unit->closed = true;
    sm->closed[sm->closed_count++] = (uint32_t)(unit - sm->units);
    for (uint32_t i = 0; i < sm->words; i++)
        sm->ready[i] &= ~unit->waiting[i];
}

/* Gives their waiting warps back to units with room again. */
static void sm_open_units(struct sm *sm) {
    for (uint32_t c = 0; c < sm->closed_count;) {
        struct sm_unit *unit = &sm->units[sm->closed[c]];
        if (unit->queue.open_from > sm->now) {
            c++;
            continue;
        }
        unit->closed = false;
        sm->closed[c] = sm->closed[--sm->closed_count];
        for (uint32_t i = 0; i < sm->words; i++)
            sm->ready[i] |= unit->waiting[i];
    }
}

/* Everything that becomes possible in this cycle: blocks, units with room again, fetches, warps with their
 * operands and instructions. */
static wb_status sm_begin_cycle(struct sm *sm) {
    if (cycles_min(heap_first(&sm->passes), sm->slot_event) <= sm->now) sm_catch_up(sm, sm->now);
    if (sm->held_count > 0) WB_TRY(sm_start_held(sm));
    sm_open_units(sm);
    if (sm->ifetch != NULL && sm->ifetch->look_at <= sm->now) sm_ifetch_cycle(sm);
    while (heap_first(&sm->wakes) <= sm->now) {
        uint32_t index = heap_pop(&sm->wakes).id;
        struct sm_unit *unit = sm->warps[index].unit;
        warp_set_add(unit->waiting, index);
        if (!unit->closed) warp_set_add(sm->ready, index);
    }
    return WB_OK;
}

/* Puts the next instruction of a ready warp into its unit's queue; *event: what is known of its times. */
static wb_status sm_enter_unit(struct sm *sm, uint32_t index, struct sim_event *event) {
    struct sm_warp *warp = &sm->warps[index];
    const bool flies = warp->unit->ends_late || warp->request != NULL;
    event->completion = CYCLES_SATURATED;
    event->flight = flies ? sm->memory->issued : FLIGHT_NONE;
    if (warp->unit->ends_late) return sm_hold(sm, index, event);
    event->start = unit_queue_push(&warp->unit->queue, sm->now, warp->busy, &event->instance);
    event->init_end = event->start + warp->busy;
    if (warp->request != NULL) return sm_enter_channel(sm, index, event->init_end);
    event->completion = event->init_end + warp->head->latency;
    sm_complete(sm, warp, event->completion);
    return WB_OK;
}

/* Hands an issue on to the sink. */
static wb_status sm_report(const struct sm *sm, uint32_t index, struct sim_event *event) {
    const struct sm_warp *warp = &sm->warps[index];
    event->block = sm->slots[warp->slot].block;
    event->slot = warp->slot;
    event->warp = index - warp->slot * sm->program->warp_count;
    event->sub_core = warp->sub_core;
    event->step = warp->step;
    event->instruction = (uint32_t)(warp->head - sm->program->code->insts);
    event->unit = warp->head->unit;
    event->issue = sm->now;
    return sm->sink->event(sm->sink->user, event);
}

/* Issues the next instruction of a ready warp in this cycle. */
static wb_status sm_issue(struct sm *sm, uint32_t index) {
    struct sm_unit *unit = sm->warps[index].unit;
    struct sim_event event;
    warp_set_remove(unit->waiting, index);
    warp_set_remove(sm->ready, index);
    WB_TRY(sm_enter_unit(sm, index, &event));
    sm_close_unit(sm, unit);
    sm->last_issue = sm->now;
    if (sm->sink != NULL) WB_TRY(sm_report(sm, index, &event));
    sm_advance(sm, index);
    return WB_OK;
}

/* A ready warp takes its turn: its next instruction, and with it those that follow, while they are ready for
 * units of their own. */
static wb_status sm_take_turn(struct sm *sm, struct policy_view *view, uint32_t index) {
    sm->turn = (struct sm_turn){.warp = index, .left = sm->program->machine->issue_per_warp};
    view->last = index;
    do {
        if (sm->turn.left > 0) sm->turn.left--;
        sm->turn.units |= UINT32_C(1) << sm->warps[index].head->unit;
        view->issued++;
        WB_TRY(sm_issue(sm, index));
    } while (warp_set_has(sm->ready, index));
    return WB_OK;
}

/* Gives every sub-core its slots; those that used one may have more warps to issue. */
static wb_status sm_issue_slots(struct sm *sm) {
    const struct wb_machine *machine = sm->program->machine;
    bool issued = false;
    for (uint32_t s = 0; s < machine->sub_cores; s++) {
        struct policy_view *view = &sm->sub_cores[s];
        for (uint32_t slot = 0; slot < machine->issue_width; slot++) {
            uint32_t warp = sm->policy->pick(view);
            if (warp == WARP_NONE) break;
            issued = true;
            WB_TRY(sm_take_turn(sm, view, warp));
        }
    }
    sm->turn.left = 0;
    sm->look_at = issued && !warp_set_empty(sm->ready, sm->words) ? sm->now + 1 : CYCLES_SATURATED;
    return WB_OK;
}

cycles sm_next_event(const struct sm *sm) {
    if (sm->look_at == sm->now + 1) return sm->look_at;
    cycles next = cycles_min(heap_first(&sm->wakes), heap_first(&sm->passes));
    next = cycles_min(next, cycles_min(sm->slot_event, sm->look_at));
    if (sm->held_count > 0) next = cycles_min(next, sm_next_start(sm));
    if (sm->ifetch != NULL) next = cycles_min(next, sm->ifetch->look_at);
    if (sm->memory != NULL && sm->memory->is_contended) next = cycles_min(next, sm_next_send(sm));
    for (uint32_t c = 0; c < sm->closed_count; c++) {
        const struct sm_unit *unit = &sm->units[sm->closed[c]];
        if (unit->queue.open_from < next && !warp_set_empty(unit->waiting, sm->words))
            next = unit->queue.open_from;
    }
    return next;
}

wb_status sm_run(struct sm *sm, cycles until) {
    for (cycles next; (next = sm_next_event(sm)) < until;) {
        sm->now = next;
        WB_TRY(sm_begin_cycle(sm));
        WB_TRY(sm_issue_slots(sm));
        if (sm->memory != NULL && sm->memory->is_contended) WB_TRY(sm_send(sm));
    }
    return WB_OK;
}
