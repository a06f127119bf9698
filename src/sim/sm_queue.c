#include "sim/sm_memory.h"

/* The instance of a unit that is free first, and when that is, as far as known. */
static uint32_t first_free(const struct sm_unit *unit, cycles *at) {
    uint32_t instance = unit_queue_first_free(&unit->queue);
    *at = unit->queue.free_at[instance];
    return instance;
}

/* Notes from when on the unit admits another instruction: while fewer wait than its queue has entries, or,
 * without a queue, when an instance is free. */
static void update_open(struct sm_unit *unit) {
    cycles free_at;
    (void)first_free(unit, &free_at);
    unit->queue.open_from = unit->held.count < unit->queue.depth ? 0 : free_at;
}

/* An instruction starts in this cycle. One with requests keeps its unit until the last of them has had its
 * turn. */
static wb_status start(struct sm *sm, struct sm_unit *unit, uint32_t index, uint32_t instance) {
    struct sm_flight *flight = sm_flight_at(sm, index);
    flight->start = sm->now;
    flight->instance = instance;
    if (flight->access != NULL) {
        unit->queue.free_at[instance] = CYCLES_SATURATED;
        flight->turn_at = sm->now;
        flight_list_append(sm, &sm->memory->port, index);
        return sm->memory->is_contended ? WB_OK : sm_serve_started(sm);
    }
    cycles end = sm->now + flight->busy;
    unit->queue.free_at[instance] = flight->left = end;
    sm_flight_land(sm, index, end + flight->inst->latency);
    return WB_OK;
}

wb_status sm_hold(struct sm *sm, uint32_t warp, struct sim_event *event) {
    struct sm_unit *unit = sm->warps[warp].unit;
    uint32_t flight;
    cycles free_at;
    event->start = event->init_end = CYCLES_SATURATED;
    event->instance = 0;
    uint32_t instance = first_free(unit, &free_at);
    WB_TRY(sm_take_off(sm, warp, &flight));
    if (unit->held.count == 0 && free_at <= sm->now) {
        event->start = sm->now;
        event->instance = instance;
        WB_TRY(start(sm, unit, flight, instance));
    } else {
        flight_list_append(sm, &unit->held, flight);
        sm->held_count++;
    }
    update_open(unit);
    return WB_OK;
}

/* The unit whose first held instruction was issued before those of the others that can start now, or NULL. */
static struct sm_unit *next_to_start(const struct sm *sm) {
    struct sm_unit *next = NULL;
    for (uint32_t u = 0; u < sm->unit_count; u++) {
        struct sm_unit *unit = &sm->units[u];
        cycles free_at;
        if (unit->held.count == 0) continue;
        (void)first_free(unit, &free_at);
        if (free_at > sm->now) continue;
        if (next == NULL ||
            sm_flight_at(sm, unit->held.first)->number < sm_flight_at(sm, next->held.first)->number)
            next = unit;
    }
    return next;
}

wb_status sm_start_held(struct sm *sm) {
    for (struct sm_unit *unit; (unit = next_to_start(sm)) != NULL;) {
        uint32_t flight = flight_list_pop(sm, &unit->held);
        cycles free_at;
        uint32_t instance = first_free(unit, &free_at);
        sm->held_count--;
        WB_TRY(start(sm, unit, flight, instance));
        update_open(unit);
    }
    return WB_OK;
}

cycles sm_next_start(const struct sm *sm) {
    cycles next = CYCLES_SATURATED;
    for (uint32_t u = 0; u < sm->unit_count; u++) {
        cycles free_at;
        if (sm->units[u].held.count == 0) continue;
        (void)first_free(&sm->units[u], &free_at);
        next = cycles_min(next, free_at);
    }
    return next;
}

void sm_end_turns(struct sm *sm, uint32_t index, cycles turns_end) {
    struct sm_flight *flight = sm_flight_at(sm, index);
    struct sm_unit *unit = &sm->units[flight->unit];
    cycles left_at = cycles_max(flight->start + flight->busy, turns_end);
    unit->queue.free_at[flight->instance] = flight->left = left_at;
    flight->data = cycles_max(flight->data, left_at); /* no result before the unit is free */
    update_open(unit);
    sm_try_land(sm, index);
}

wb_status sm_serve_started(struct sm *sm) {
    struct flight_list *port = &sm->memory->port;
    while (port->count > 0) {
        uint32_t index = port->first;
        struct sm_flight *flight = sm_flight_at(sm, index);
        bool done;
        WB_TRY(sm_l1_serve(sm, index, flight->start, &done));
        if (!done) return WB_OK;
        (void)flight_list_pop(sm, port);
        sm_end_turns(sm, index, sm->memory->free_at);
    }
    return WB_OK;
}
