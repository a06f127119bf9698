#include "sim/sm_ifetch.h"

/* Units, sub-cores and sets; false when memory is exhausted. */
static bool init_units(struct sm *sm) {
    const struct wb_machine *machine = sm->program->machine;
    sm->unit_count = machine->unit_count * machine->sub_cores;
    sm->units = arena_array(&sm->arena, sm->unit_count, sizeof *sm->units);
    sm->closed = arena_array(&sm->arena, sm->unit_count, sizeof *sm->closed);
    sm->unit_of = arena_array(&sm->arena, sm->unit_count, sizeof(struct sm_unit *));
    if (sm->units == NULL || sm->closed == NULL || sm->unit_of == NULL) return false;
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
        if (unit->waiting == NULL ||
            unit_queue_init(&unit->queue, instances, machine->dispatch_depth, &sm->arena) != WB_OK)
            return false;
    }
    return true;
}

static bool init_sub_cores(struct sm *sm, const struct sim_policy *policy) {
    const uint32_t sub_cores = sm->program->machine->sub_cores;
    sm->sub_cores = arena_array(&sm->arena, sub_cores, sizeof *sm->sub_cores);
    sm->ready = arena_array(&sm->arena, sm->words, sizeof *sm->ready);
    sm->running = arena_array(&sm->arena, sm->words, sizeof *sm->running);
    if (sm->sub_cores == NULL || sm->ready == NULL || sm->running == NULL) return false;
    for (uint32_t s = 0; s < sub_cores; s++) {
        uint64_t *members = arena_array(&sm->arena, sm->words, sizeof *members);
        if (members == NULL) return false;
        for (uint32_t w = s; w < sm->warp_count; w += sub_cores)
            warp_set_add(members, w);
        sm->sub_cores[s] = (struct policy_view){.ready = sm->ready,
                                                .running = sm->running,
                                                .members = members,
                                                .words = sm->words,
                                                .policy = policy,
                                                .oldest_first = sm->oldest_first,
                                                .blocks = sm->slot_count,
                                                .block_warps = sm->program->warp_count,
                                                .last = WARP_NONE};
    }
    return true;
}

static bool init_slots(struct sm *sm) {
    sm->slots = arena_array(&sm->arena, sm->slot_count, sizeof *sm->slots);
    sm->rooms = arena_array(&sm->arena, sm->slot_count, sizeof *sm->rooms);
    sm->oldest_first = arena_array(&sm->arena, sm->slot_count, sizeof *sm->oldest_first);
    if (sm->slots == NULL || sm->rooms == NULL || sm->oldest_first == NULL) return false;
    for (uint32_t s = 0; s < sm->slot_count; s++) {
        sm->slots[s] = (struct sm_slot){.block = SM_NONE, .event_at = CYCLES_SATURATED};
        sm->oldest_first[s] = s;
    }
    return true;
}

static bool init_warps(struct sm *sm) {
    sm->warps = arena_array(&sm->arena, sm->warp_count, sizeof *sm->warps);
    sm->wakes.items = arena_array(&sm->arena, sm->warp_count, sizeof *sm->wakes.items);
    sm->passes.items = arena_array(&sm->arena, sm->warp_count, sizeof *sm->passes.items);
    if (sm->warps == NULL || sm->wakes.items == NULL || sm->passes.items == NULL) return false;
    for (uint32_t w = 0; w < sm->warp_count; w++) {
        struct sm_warp *warp = &sm->warps[w];
        warp->slot = w / sm->program->warp_count;
        warp->sub_core = w % sm->program->machine->sub_cores;
        warp->unit_of = sm->unit_of + warp->sub_core * sm->program->machine->unit_count;
        warp->channel = FLIGHT_LIST_EMPTY;
        warp->ready = arena_array(&sm->arena, sm->program->code->register_count, sizeof *warp->ready);
        if (warp->ready == NULL) return false;
        for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
            const uint32_t count = sm->program->code->queues[q].count;
            warp->joined[q] = arena_array(&sm->arena, (size_t)count + 1, sizeof *warp->joined[q]);
            if (warp->joined[q] == NULL) return false;
        }
    }
    return true;
}

wb_status sm_init(struct sm *sm, const struct sm_program *program, const struct sim_policy *policy,
                  uint32_t slots) {
    uint32_t warp_count;
    if (__builtin_mul_overflow(slots, program->warp_count, &warp_count)) return WB_ERR_LIMIT;
    *sm = (struct sm){.program = program,
                      .policy = policy,
                      .slot_count = slots,
                      .warp_count = warp_count,
                      .words = warp_set_words(warp_count),
                      .slot_event = CYCLES_SATURATED,
                      .look_at = CYCLES_SATURATED};
    bool made = init_slots(sm) && init_units(sm) && init_sub_cores(sm, policy) && init_warps(sm);
    if (made && fetch_can_stall(&program->machine->fetch)) return sm_ifetch_init(sm);
    return made ? WB_OK : WB_ERR_LIMIT;
}

void sm_free(struct sm *sm) {
    arena_free(&sm->arena);
}
