/* Units and the instructions on their way through them: queues are served in the order in which instructions
 * come, but of a warp none overtakes an older one. A stage whose next one has no room stays held. */
#include <assert.h>

#include "sim/sass/sass_simulate.h"

/* ---- Units --------------------------------------------------------------------------------------------- */

void sass_units_init(struct sass_sm *sm) {
    const struct wb_machine *machine = sm->machine;
    const uint32_t count = machine->unit_count * machine->sub_cores;
    sm->units = arena_array(&sm->arena, count, sizeof *sm->units);
    sm->unit_of = arena_array(&sm->arena, count, sizeof(struct sass_unit *));
    sm->dirty = arena_array(&sm->arena, count, sizeof(struct sass_unit *));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t unit = i / machine->sub_cores;
        sm->units[i] = (struct sass_unit){.first = FLIGHT_END,
                                          .last = FLIGHT_END,
                                          .number = (uint8_t)unit,
                                          .clash = (sm->program->clash >> unit & 1) != 0,
                                          .queue = machine->units[unit].queue};
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t unit = i % machine->unit_count, sub_core = i / machine->unit_count;
        sm->unit_of[i] = &sm->units[unit * machine->sub_cores + (machine->units[unit].shared ? 0 : sub_core)];
    }
    sm->free_flights = FLIGHT_END;
}

static void mark(struct sass_sm *sm, struct sass_unit *unit) {
    if (unit->dirty) return;
    unit->dirty = true;
    sm->dirty[sm->dirty_count++] = unit;
}

/* ---- Flights ------------------------------------------------------------------------------------------- */

static uint32_t new_flight(struct sass_sm *sm, uint32_t index) {
    struct sass_warp *warp = &sm->warps[index];
    uint32_t number = sm->free_flights;
    if (number != FLIGHT_END) {
        sm->free_flights = sm->flights.items[number].next;
    } else {
        const struct sass_flight none = {0};
        number = (uint32_t)sm->flights.count;
        if (number >= SASS_UNIT_FREE || vec_push(&sm->flights, none) != WB_OK)
            arena_fail(&sm->arena, WB_ERR_LIMIT);
    }
    struct sass_flight *flight = &sm->flights.items[number];
    *flight = (struct sass_flight){.number = sm->flight_count++,
                                   .step = warp->step,
                                   .accesses = warp->access,
                                   .warp = index,
                                   .timed = warp->head,
                                   .unit = warp->unit,
                                   .next = FLIGHT_END};
    sass_slot_of(sm, index)->flights++;
    for (uint32_t i = 0; i < warp->head->stage_count; i++)
        flight->tickets[i] = warp->taken[warp->head->stages[i].unit]++;
    return number;
}

/* The unit of another stage of the flight. */
static struct sass_unit *stage_unit(const struct sass_sm *sm, const struct sass_flight *flight,
                                    uint32_t stage) {
    return sass_unit_of(sm, &sm->warps[flight->warp], flight->timed->stages[stage].unit);
}

/* The flight holds the unit of its stage from now on. */
static void start(struct sass_sm *sm, uint32_t number) {
    struct sass_flight *flight = &sm->flights.items[number];
    struct sass_unit *unit = flight->unit;
    assert(sass_unit_is_free(sm, unit));
    unit->free_at = sm->now + sass_take(sm, 1, flight->timed->stages[flight->stage].init);
    sm->warps[flight->warp].served[unit->number]++;
    if (flight->stage == 0) {
        flight->start = sm->now;
        flight->init_end = unit->free_at;
    }
    const struct sim_moment moment = {
        .kind = SIM_STAGE, .stage = flight->stage, .step = flight->step, .until = unit->free_at};
    sass_tell_moment(sm, flight->warp, moment);
    sass_event(sm, unit->free_at, number);
}

/* The flight waits for the unit of its stage. */
static void queue_up(struct sass_sm *sm, uint32_t number) {
    struct sass_flight *flight = &sm->flights.items[number];
    struct sass_unit *unit = flight->unit;
    flight->next = FLIGHT_END;
    if (unit->last == FLIGHT_END)
        unit->first = number;
    else
        sm->flights.items[unit->last].next = number;
    unit->last = number;
    if (flight->stage == 0)
        unit->entered++;
    else if (flight->blocks)
        unit->blocking++;
    else
        unit->passing++;
    mark(sm, unit);
}

/* Whether no older instruction of its warp has yet to start on the unit. */
static bool is_next_of_warp(const struct sass_sm *sm, const struct sass_unit *unit,
                            const struct sass_flight *flight) {
    return unit->clash || flight->tickets[flight->stage] == sm->warps[flight->warp].served[unit->number];
}

/* The first flight of the queue that may start, of a warp that does not yield to others if there is one, or
 * FLIGHT_END; *before: the one in front of it. */
static uint32_t next_in_queue(const struct sass_sm *sm, const struct sass_unit *unit, uint32_t *before) {
    const struct sim_policy *policy = sm->run->policy;
    uint32_t found = FLIGHT_END;
    *before = FLIGHT_END;
    for (uint32_t last = FLIGHT_END, f = unit->first; f != FLIGHT_END;
         last = f, f = sm->flights.items[f].next) {
        const struct sass_flight *flight = &sm->flights.items[f];
        if (!is_next_of_warp(sm, unit, flight)) continue;
        const bool yields = policy->yields != NULL && policy->yields(policy, flight->warp);
        if (yields && found != FLIGHT_END) continue;
        found = f;
        *before = last;
        if (!yields) break;
    }
    return found;
}

/* Takes the flight that starts next out of the queue; FLIGHT_END: there is none. */
static uint32_t dequeue(struct sass_sm *sm, struct sass_unit *unit) {
    uint32_t before;
    const uint32_t number = next_in_queue(sm, unit, &before);
    if (number == FLIGHT_END) return FLIGHT_END;
    const struct sass_flight *flight = &sm->flights.items[number];
    if (before == FLIGHT_END)
        unit->first = flight->next;
    else
        sm->flights.items[before].next = flight->next;
    if (unit->last == number) unit->last = before;
    if (flight->stage == 0)
        unit->entered--;
    else if (flight->blocks)
        unit->blocking--;
    else
        unit->passing--;
    return number;
}

/* The flight no longer holds the stage before the one that it waits for. */
static void unblock(struct sass_sm *sm, struct sass_flight *flight) {
    struct sass_unit *before = stage_unit(sm, flight, flight->stage - 1u);
    flight->blocks = false;
    before->blocked = false;
    mark(sm, before);
}

/* Places of the queue that have become free are taken: by flights that hold the stage before, and by those
 * that hold an issue stage, the longest there first. */
static void fill_room(struct sass_sm *sm, struct sass_unit *unit) {
    for (uint32_t f = unit->first; unit->blocking > 0 && unit->passing < unit->queue;
         f = sm->flights.items[f].next) {
        if (!sm->flights.items[f].blocks) continue;
        unblock(sm, &sm->flights.items[f]);
        unit->passing++;
        unit->blocking--;
    }
    while (sm->no_room_count > 0 && sass_unit_has_room(unit)) {
        struct sass_core *longest = NULL;
        for (uint32_t c = 0; c < sm->machine->sub_cores; c++) {
            struct sass_core *core = &sm->cores[c];
            if (core->no_room == FLIGHT_END || core->no_room_in != unit) continue;
            if (longest == NULL || core->no_room_since < longest->no_room_since) longest = core;
        }
        if (longest == NULL) return;
        const struct sass_flight *flight = &sm->flights.items[longest->no_room];
        sass_tell_moment(sm, flight->warp, (struct sim_moment){.kind = SIM_ROOM, .step = flight->step});
        queue_up(sm, longest->no_room);
        longest->no_room = FLIGHT_END;
        sm->no_room_count--;
    }
}

void sass_serve(struct sass_sm *sm) {
    while (sm->dirty_count > 0) {
        struct sass_unit *unit = sm->dirty[--sm->dirty_count];
        unit->dirty = false;
        if (sass_unit_is_free(sm, unit)) {
            const uint32_t number = dequeue(sm, unit);
            if (number != FLIGHT_END) {
                if (sm->flights.items[number].blocks) unblock(sm, &sm->flights.items[number]);
                start(sm, number);
            }
        }
        if (unit->queue != 0 && unit->queue != DEPTH_UNLIMITED) fill_room(sm, unit);
    }
}

/* The last stage of the flight has ended. */
static void complete(struct sass_sm *sm, uint32_t number) {
    const struct sass_flight flight = sm->flights.items[number];
    const struct sass_timed *timed = flight.timed;
    const struct sim_sink *sink = sm->host.sink;
    struct sm_slot *slot = sass_slot_of(sm, flight.warp);
    const cycles there = sass_filled(sm, &flight);
    const cycles back = sass_count_back(sm, flight.warp, flight.step, timed, there);
    sass_lasts(slot, back);
    slot->flights--;
    sm_host_settle(&sm->host, slot);
    if (sink != NULL && sink->land != NULL) {
        const struct sim_landing landing = {
            .flight = flight.number, .start = flight.start, .init_end = flight.init_end, .completion = back};
        sink->land(sink->user, &landing);
    }
    sm->flights.items[number].next = sm->free_flights;
    sm->free_flights = number;
}

/* The flight comes to its next stage: from a transfer, or from the stage before. */
static void arrive(struct sass_sm *sm, uint32_t number, bool from_stage) {
    struct sass_flight *flight = &sm->flights.items[number];
    struct sass_unit *before = flight->unit;
    flight->moves = false;
    flight->stage++;
    flight->unit = stage_unit(sm, flight, flight->stage);
    const struct sass_unit *unit = flight->unit;
    const bool room = unit->queue == DEPTH_UNLIMITED || unit->passing < unit->queue;
    flight->blocks = from_stage && !room;
    if (flight->blocks) before->blocked = true;
    queue_up(sm, number);
}

void sass_unit_freed(struct sass_sm *sm, uint32_t unit) {
    mark(sm, &sm->units[unit]);
}

void sass_flight_moves(struct sass_sm *sm, uint32_t number) {
    struct sass_flight *flight = &sm->flights.items[number];
    const struct sass_timed *timed = flight->timed;
    if (flight->moves) {
        arrive(sm, number, false);
        return;
    }
    mark(sm, flight->unit);
    if (flight->stage + 1u >= timed->stage_count) {
        complete(sm, number);
        return;
    }
    const uint32_t stated = timed->stages[flight->stage].transfer, transfer = sass_take(sm, 0, stated);
    if (transfer == 0) {
        arrive(sm, number, stated == 0);
        return;
    }
    flight->moves = true;
    sass_event(sm, sm->now + transfer, number);
}

/* ---- Issue --------------------------------------------------------------------------------------------- */

/* An instruction without stages, or with one that is over when its unit is free again. */
static void enter_latch(struct sass_sm *sm, const struct sass_core *core, uint32_t index,
                        struct sim_event *event) {
    struct sass_warp *warp = &sm->warps[index];
    const struct sass_timed *timed = warp->head;
    event->start = sm->now;
    event->init_end = event->completion = core->hold_until;
    if (timed->stage_count > 0) {
        struct sass_unit *unit = warp->unit;
        unit->free_at = sm->now + sass_take(sm, 1, u32_max(1, timed->stages[0].init - warp->saved));
        event->init_end = event->completion = unit->free_at;
        warp->taken[unit->number]++;
        warp->served[unit->number]++;
        if (unit->clash) sass_event(sm, unit->free_at, SASS_UNIT_FREE | (uint32_t)(unit - sm->units));
    }
    if (sass_has_counters(timed)) event->completion = sass_count_back(sm, index, warp->step, timed, sm->now);
    sass_lasts(sass_slot_of(sm, index), event->completion);
}

void sass_enter(struct sass_sm *sm, struct sass_core *core, uint32_t index, struct sim_event *event) {
    const struct sass_warp *warp = &sm->warps[index];
    const struct sass_timed *timed = warp->head;
    event->flight = FLIGHT_NONE;
    if (timed->stage_count == 0 || (timed->fixed && !sass_has_counters(timed))) {
        enter_latch(sm, core, index, event);
        return;
    }
    const uint32_t number = new_flight(sm, index);
    const struct sass_unit *unit = warp->unit;
    event->flight = sm->flights.items[number].number;
    event->start = event->init_end = event->completion = CYCLES_SATURATED;
    if (sass_starts_at_issue(timed, unit)) {
        start(sm, number);
    } else if (sass_unit_has_room(unit)) {
        queue_up(sm, number);
        sass_serve(sm);
    } else {
        core->no_room = number;
        core->no_room_in = unit;
        sm->no_room_count++;
        core->no_room_since = sm->now;
    }
}
