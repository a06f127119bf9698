/* The functional units but for the LSU: their dispatch registers, pipelines and result buses. When an
 * instruction comes out of its unit is known as it enters; both pipeline slot and result bus are reserved by
 * that cycle. */
#include "sim/gpgpusim_sm.h"

/* Cycles from the end of a unit's latency to the write-back: out of the pipeline, into the write-back stage.
 */
#define WRITE_BACK_CYCLES 2u

bool gs_units_init(struct gs_sm *sm) {
    struct gs_units *units = &sm->units;
    size_t slots = 64;
    while (slots <= (size_t)sm->code.longest + WRITE_BACK_CYCLES)
        slots *= 2;
    units->slot_mask = (uint32_t)slots - 1;
    units->slots = arena_array(&sm->arena, slots, sizeof *units->slots);
    units->filled = arena_array(&sm->arena, slots / 64, sizeof *units->filled);
    for (uint32_t u = 0; u < GPGPUSIM_UNITS; u++)
        units->oc_ex[u] = GS_NONE;
    return units->slots != NULL && units->filled != NULL;
}

void gs_units_write_back(struct gs_sm *sm) {
    struct gs_units *units = &sm->units;
    uint32_t index = (uint32_t)sm->now & units->slot_mask;
    struct gs_slot *slot = &units->slots[index];
    if (slot->count == 0) return;
    for (uint32_t i = 0; i < slot->count; i++) {
        uint32_t flight = slot->flights[i];
        uint32_t written = 0;
        /* A second result for the same bank is written all the same. */
        (void)gs_collector_write(sm, flight, &written);
        gs_frontend_release(sm, gs_flight_at(sm, flight)->warp, gs_flight_at(sm, flight)->inst);
        gs_complete(sm, flight);
    }
    slot->count = 0;
    slot->units = 0;
    units->filled[index / 64] &= ~(UINT64_C(1) << (index % 64));
    units->filled_count--;
    sm->moved = true;
}

/* Puts the instruction that waits for a unit into it, unless that is busy, its pipeline has a result in the
 * same cycle, or no result bus is free then. */
static void start(struct gs_sm *sm, uint32_t unit) {
    struct gs_units *units = &sm->units;
    uint32_t flight = units->oc_ex[unit];
    const struct gs_inst *inst = gs_flight_at(sm, flight)->inst;
    cycles end = sm->now + inst->latency + WRITE_BACK_CYCLES;
    uint32_t index = (uint32_t)end & units->slot_mask;
    struct gs_slot *slot = &units->slots[index];
    if (units->free_at[unit] > sm->now || (slot->units >> unit & 1) != 0 ||
        slot->count == sm->config->result_buses)
        return;
    units->filled_count += slot->count == 0;
    units->filled[index / 64] |= UINT64_C(1) << (index % 64);
    slot->units |= (uint8_t)(1u << unit);
    slot->flights[slot->count++] = flight;
    units->free_at[unit] = sm->now + inst->init;
    units->oc_ex[unit] = GS_NONE;
    units->waiting &= ~(1u << unit);
    sm->moved = true;
    struct sim_event *event = gs_event_of(sm, flight);
    if (event == NULL) return;
    event->start = sm->now;
    event->init_end = sm->now + inst->init;
}

void gs_units_start(struct gs_sm *sm) {
    uint32_t waiting = sm->units.waiting & ~(1u << GPGPUSIM_LSU);
    for (; waiting != 0; waiting &= waiting - 1)
        start(sm, (uint32_t)__builtin_ctz(waiting));
}

/* The cycle of the next write-back after this cycle; there is one. */
static cycles next_write_back(const struct gs_sm *sm) {
    const struct gs_units *units = &sm->units;
    cycles at = sm->now + 1;
    for (;;) {
        uint32_t index = (uint32_t)at & units->slot_mask;
        uint64_t rest = units->filled[index / 64] >> (index % 64);
        if (rest != 0) return at + (uint32_t)__builtin_ctzll(rest);
        at += 64 - index % 64;
    }
}

cycles gs_units_next(const struct gs_sm *sm) {
    const struct gs_units *units = &sm->units;
    cycles next = units->filled_count > 0 ? next_write_back(sm) : CYCLES_SATURATED;
    uint32_t waiting = units->waiting & ~(1u << GPGPUSIM_LSU);
    for (; waiting != 0; waiting &= waiting - 1)
        next = cycles_min(next, cycles_max(units->free_at[__builtin_ctz(waiting)], sm->now + 1));
    return next;
}
