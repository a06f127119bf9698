/* An SM from its start to its end: its parts, the slots of its blocks, and its cycles. */
#include <assert.h>
#include <string.h>

#include "sim/sm/sm.h"

wb_status unit_queue_init(struct unit_queue *queue, uint32_t count, uint32_t depth, struct arena *arena) {
    *queue = (struct unit_queue){.count = count, .depth = depth};
    queue->free_at = arena_array(arena, count, sizeof *queue->free_at);
    if (queue->free_at == NULL) return WB_ERR_LIMIT;
    if (depth == 0 || depth == DEPTH_UNLIMITED) return WB_OK;
    queue->starts = arena_array(arena, depth, sizeof *queue->starts);
    return queue->starts == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* The functions that make its parts belong to the pass of sm_init. */
static void init_units(struct sm *sm) {
    const struct wb_machine *machine = sm->program->machine;
    sm->unit_count = machine->unit_count * machine->sub_cores;
    sm->units = arena_array(&sm->arena, sm->unit_count, sizeof *sm->units);
    sm->closed = arena_array(&sm->arena, sm->unit_count, sizeof *sm->closed);
    sm->unit_of = arena_array(&sm->arena, sm->unit_count, sizeof(struct sm_unit *));
    for (uint32_t i = 0; i < sm->unit_count; i++) {
        uint32_t unit = i % machine->unit_count, sub_core = i / machine->unit_count;
        sm->unit_of[i] = &sm->units[unit * machine->sub_cores + (machine->units[unit].shared ? 0 : sub_core)];
    }
    for (uint32_t i = 0; i < sm->unit_count; i++) {
        struct sm_unit *unit = &sm->units[i];
        uint32_t instances = machine->units[i / machine->sub_cores].count;
        unit->held = FLIGHT_LIST_EMPTY;
        unit->ends_late = (sm->program->late_units >> (i / machine->sub_cores) & 1) != 0;
        unit->waiting = arena_array(&sm->arena, sm->words, sizeof *unit->waiting);
        if (unit_queue_init(&unit->queue, instances, machine->dispatch_depth, &sm->arena) != WB_OK)
            arena_fail(&sm->arena, WB_ERR_LIMIT);
    }
}

static void init_sub_cores(struct sm *sm) {
    const uint32_t sub_cores = sm->program->machine->sub_cores;
    sm->sub_cores = arena_array(&sm->arena, sub_cores, sizeof *sm->sub_cores);
    sm->ready = arena_array(&sm->arena, sm->words, sizeof *sm->ready);
    sm->running = arena_array(&sm->arena, sm->words, sizeof *sm->running);
    sm->places = arena_array(&sm->arena, sm->warp_count, sizeof *sm->places);
    for (uint32_t s = 0; s < sub_cores; s++) {
        uint64_t *members = arena_array(&sm->arena, sm->words, sizeof *members);
        for (uint32_t w = s; w < sm->warp_count; w += sub_cores)
            warp_set_add(members, w);
        sm->sub_cores[s] = (struct policy_view){.ready = sm->ready,
                                                .running = sm->running,
                                                .members = members,
                                                .words = sm->words,
                                                .policy = sm->policy,
                                                .oldest_first = sm->host.oldest_first,
                                                .blocks = sm->host.slot_count,
                                                .block_warps = sm->program->warp_count,
                                                .last = WARP_NONE,
                                                .warps = sm->places};
    }
}

static void init_warps(struct sm *sm) {
    sm->warps = arena_array(&sm->arena, sm->warp_count, sizeof *sm->warps);
    sm->wakes.items = arena_array(&sm->arena, sm->warp_count, sizeof *sm->wakes.items);
    sm->passes.items = arena_array(&sm->arena, sm->warp_count, sizeof *sm->passes.items);
    for (uint32_t w = 0; w < sm->warp_count; w++) {
        struct sm_warp *warp = &sm->warps[w];
        warp->slot = w / sm->program->warp_count;
        warp->sub_core = w % sm->program->machine->sub_cores;
        warp->unit_of = sm->unit_of + warp->sub_core * sm->program->machine->unit_count;
        warp->channel = FLIGHT_LIST_EMPTY;
        warp->ready = arena_array(&sm->arena, sm->program->code->register_count, sizeof *warp->ready);
        for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
            const uint32_t count = sm->program->code->queues[q].count;
            warp->joined[q] = arena_array(&sm->arena, (size_t)count + 1, sizeof *warp->joined[q]);
        }
    }
}

static const struct sm_model plain_model;

static void init_parts(void *context) {
    struct sm *sm = context;
    sm_host_init(&sm->host, &plain_model, sm->host.slot_count, &sm->arena);
    init_units(sm);
    init_sub_cores(sm);
    init_warps(sm);
    if (fetch_can_stall(&sm->program->machine->fetch)) sm_ifetch_init(sm);
}

wb_status sm_init(struct sm *sm, const struct sm_program *program, const struct sim_policy *policy,
                  uint32_t slots) {
    uint32_t warp_count;
    if (__builtin_mul_overflow(slots, program->warp_count, &warp_count)) return WB_ERR_LIMIT;
    *sm = (struct sm){.host = {.slot_count = slots},
                      .program = program,
                      .policy = policy,
                      .warp_count = warp_count,
                      .words = warp_set_words(warp_count),
                      .look_at = CYCLES_SATURATED};
    return arena_protect(&sm->arena, init_parts, sm);
}

void sm_free(struct sm *sm) {
    arena_free(&sm->arena);
}

/* Everything happens that takes no time and is due by cycle `now`: instructions without a unit, starts and
 * ends of blocks. */
static void sm_catch_up(struct sm *sm, cycles now) {
    for (;;) {
        cycles pass = heap_first(&sm->passes);
        if (cycles_min(pass, sm->host.slot_event) > now) return;
        sm->look_at = cycles_min(sm->look_at, now); /* it may have become another warp's turn */
        if (pass <= sm->host.slot_event) {
            sm_pass(sm, heap_pop(&sm->passes));
        } else {
            struct sm_slot *starts = sm_host_change(&sm->host);
            if (starts != NULL) sm_begin_warps(sm, starts);
        }
    }
}

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
        unit->opened_at = sm->now;
        sm->closed[c] = sm->closed[--sm->closed_count];
        for (uint32_t i = 0; i < sm->words; i++)
            sm->ready[i] |= unit->waiting[i];
    }
}

/* Everything that becomes possible in this cycle: blocks, units with room again, fetches, warps with their
 * operands and instructions. */
static wb_status sm_begin_cycle(struct sm *sm) {
    if (cycles_min(heap_first(&sm->passes), sm->host.slot_event) <= sm->now) sm_catch_up(sm, sm->now);
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
    event->completion = event->init_end + sm_latency(sm, index);
    sm_complete(sm, warp, event->completion);
    return WB_OK;
}

/* Issues the next instruction of a ready warp in this cycle. */
static wb_status sm_issue(struct sm *sm, uint32_t index) {
    struct sm_unit *unit = sm->warps[index].unit;
    struct sim_event event;
    warp_set_remove(unit->waiting, index);
    warp_set_remove(sm->ready, index);
    if (sm->host.sink != NULL) sm_fill_waits(sm, index, &event.waits);
    WB_TRY(sm_enter_unit(sm, index, &event));
    sm_close_unit(sm, unit);
    sm->host.last_issue = sm->now;
    if (sm->host.sink != NULL) WB_TRY(sm_tell_issue(sm, index, &event));
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
    next = cycles_min(next, cycles_min(sm->host.slot_event, sm->look_at));
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

static wb_status plain_run(struct sm_host *host, cycles until) {
    struct sm *sm = (struct sm *)host;
    for (cycles next; (next = sm_next_event(sm)) < until;) {
        sm->now = next;
        WB_TRY(sm_begin_cycle(sm));
        WB_TRY(sm_issue_slots(sm));
        if (sm->memory != NULL && sm->memory->is_contended) WB_TRY(sm_send(sm));
    }
    return WB_OK;
}

static cycles plain_next(const struct sm_host *host) {
    return sm_next_activity((const struct sm *)host);
}

static wb_status plain_catch_up(struct sm_host *host, cycles now) {
    sm_catch_up((struct sm *)host, now);
    return WB_OK;
}

static const struct sm_model plain_model = {plain_run, plain_next, plain_catch_up};
