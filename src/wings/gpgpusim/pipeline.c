/* The issue stage: instruction buffers, scoreboard, barriers, the choice of the warp. */
#include "wings/gpgpusim/pipeline.h"

/* Instructions that a fetch puts into an empty instruction buffer. */
#define BUFFERED_MAX 2u

static uint64_t warp_bit(uint32_t warp) {
    return UINT64_C(1) << warp;
}

/* Puts a warp into the set that it belongs to, if nothing keeps it waiting. */
static void consider(struct gs_sm *sm, uint32_t index) {
    struct gs_frontend *frontend = &sm->frontend;
    struct gs_warp *warp = &frontend->warps[index];
    if (warp->ended || warp->at_barrier || warp->atomic > 0) return;
    if (warp->fenced && warp->pending_count > 0) return;
    warp->fenced = false;
    if (warp->stale) {
        frontend->stale |= warp_bit(index);
        return;
    }
    const uint32_t *checked = gs_checked(&sm->code, warp->head);
    for (uint32_t i = 0; i < warp->head->checked_count; i++) {
        if (warp->pending[checked[i]] == 0) continue;
        warp->blocked_on = checked[i];
        return;
    }
    warp->blocked_on = GS_NONE;
    frontend->ready[warp->head->unit] |= warp_bit(index);
}

void gs_frontend_release(struct gs_sm *sm, uint32_t index, const struct gs_inst *inst) {
    struct gs_warp *warp = &sm->frontend.warps[index];
    const uint32_t *results = gs_results(&sm->code, inst);
    bool unblocked = false;
    for (uint32_t i = 0; i < inst->result_count; i++) {
        if (warp->pending[results[i]] == 0) continue;
        warp->pending[results[i]] = 0;
        warp->pending_count--;
        unblocked |= warp->blocked_on == results[i];
    }
    if (unblocked || (warp->fenced && warp->pending_count == 0)) consider(sm, index);
}

void gs_frontend_reply(struct gs_sm *sm, uint32_t index) {
    struct gs_warp *warp = &sm->frontend.warps[index];
    if (warp->atomic > 0 && --warp->atomic == 0) consider(sm, index);
}

/* All live warps have reached the barrier: they can issue from the next cycle on. */
static void open_barrier(struct gs_sm *sm) {
    struct gs_frontend *frontend = &sm->frontend;
    if (frontend->arrived == 0 || frontend->arrived < frontend->live) return;
    uint64_t held = frontend->members & ~frontend->running;
    frontend->arrived = 0;
    for (; held != 0; held &= held - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(held);
        if (!frontend->warps[index].at_barrier) continue;
        frontend->warps[index].at_barrier = false;
        frontend->running |= warp_bit(index);
        consider(sm, index);
    }
}

/* Goes on to the next instruction of the path. What is not the next in the text is not in the instruction
 * buffer: fetching it costs a slot (see gs_frontend_issue). */
static void proceed(struct gs_sm *sm, uint32_t index) {
    struct gs_frontend *frontend = &sm->frontend;
    struct gs_warp *warp = &frontend->warps[index];
    uint32_t following = warp->next.instruction + 1;
    warp->blocked_on = GS_NONE;
    if (path_next(&warp->cursor, &warp->next)) {
        warp->step++;
        warp->head = &sm->code.insts[warp->next.instruction];
        warp->stale = warp->next.instruction != following;
        return;
    }
    warp->ended = true;
    frontend->running &= ~warp_bit(index);
    frontend->live--;
    if (!warp->at_barrier) return;
    warp->at_barrier = false;
    frontend->arrived--;
}

/* The records of the accesses of the warp's next instruction. */
static void find_accesses(struct gs_warp *warp, struct gs_flight *flight) {
    while (warp->access < warp->access_end && warp->access->step < warp->step)
        warp->access++;
    const struct access *end = warp->access;
    while (end < warp->access_end && end->step == warp->step)
        end++;
    flight->accesses = warp->access;
    flight->access_count = (uint32_t)(end - warp->access);
}

/* Begins the flight of the warp's next instruction; GS_NONE when memory is exhausted. */
static uint32_t begin_flight(struct gs_sm *sm, uint32_t index) {
    struct gs_warp *warp = &sm->frontend.warps[index];
    struct gs_flight flight = {.inst = warp->head, .warp = index};
    if (warp->head->unit == GPGPUSIM_LSU) find_accesses(warp, &flight);
    if (warp->head->kind == GS_ATOMIC && flight.access_count > 0) {
        bool shared = gs_accesses_shared(&flight);
        flight.replies = shared ? 0 : gs_atomic_accesses(sm, &flight);
        warp->atomic = shared ? 1 : flight.replies;
    }
    return gs_flight_begin(sm, &flight);
}

/* Issues the warp's next instruction. */
static wb_status issue(struct gs_sm *sm, uint32_t index) {
    struct gs_frontend *frontend = &sm->frontend;
    struct gs_warp *warp = &frontend->warps[index];
    const struct gs_inst *inst = warp->head;
    uint32_t number = begin_flight(sm, index);
    if (number == GS_NONE) return WB_ERR_LIMIT;
    frontend->ready[inst->unit] &= ~warp_bit(index);
    sm->collector.id_oc[inst->unit][sm->collector.id_oc_count[inst->unit]++] = number;
    const uint32_t *results = gs_results(&sm->code, inst);
    for (uint32_t i = 0; i < inst->result_count; i++) {
        warp->pending_count += warp->pending[results[i]] == 0;
        warp->pending[results[i]] = 1;
    }
    warp->fenced = inst->kind == GS_FENCE;
    if (inst->barrier) {
        warp->at_barrier = true;
        frontend->running &= ~warp_bit(index);
        frontend->arrived++;
    }
    proceed(sm, index);
    consider(sm, index);
    open_barrier(sm);
    frontend->last = index;
    sm->result.last_issue = sm->now;
    sm->result.warp_instructions += !inst->uncounted;
    sm->executed++;
    return WB_OK;
}

/* The warp flushes its instruction buffer, which is filled anew at the end of the cycle. */
static void flush(struct gs_frontend *frontend, uint32_t index, uint64_t *flushed) {
    frontend->stale &= ~warp_bit(index);
    frontend->warps[index].buffered = BUFFERED_MAX;
    *flushed |= warp_bit(index);
}

/* A warp issues, up to so many instructions as the machine allows of those in its buffer, each on another
 * unit. */
static void take_turn(struct gs_sm *sm, uint32_t index, uint64_t *flushed) {
    struct gs_frontend *frontend = &sm->frontend;
    struct gs_warp *warp = &frontend->warps[index];
    uint32_t units = 0, unit = warp->head->unit;
    for (uint32_t left = sm->timed->machine->issue_per_warp;; left--) {
        units |= UINT32_C(1) << unit;
        sm->status = issue(sm, index);
        if (sm->status != WB_OK || --warp->buffered == 0 || left <= 1) break;
        if ((frontend->stale & warp_bit(index)) != 0) {
            flush(frontend, index, flushed);
            return;
        }
        unit = warp->head->unit;
        if ((frontend->ready[unit] & warp_bit(index)) == 0 || (units >> unit & 1) != 0 ||
            !gs_collector_has_room(sm, unit))
            break;
    }
    if (warp->buffered == 0) warp->buffered = BUFFERED_MAX;
}

/* Warps are asked in the policy's order until one issues. One whose instruction buffer is wrong only flushes
 * it. */
void gs_frontend_issue(struct gs_sm *sm) {
    struct gs_frontend *frontend = &sm->frontend;
    uint64_t open = 0;
    for (uint32_t u = 0; u < GPGPUSIM_UNITS; u++)
        if (gs_collector_has_room(sm, u)) open |= frontend->ready[u];
    uint64_t flushed = 0;
    for (uint64_t candidates = open | frontend->stale; candidates != 0;) {
        const struct policy_view view = {.ready = &candidates,
                                         .running = &frontend->running,
                                         .members = &frontend->members,
                                         .words = 1,
                                         .last = frontend->last};
        uint32_t index = sm->policy->pick(&view);
        if (index == WARP_NONE) break;
        sm->moved = true;
        if ((frontend->stale & warp_bit(index)) == 0) {
            take_turn(sm, index, &flushed);
            break;
        }
        flush(frontend, index, &flushed);
        candidates &= ~warp_bit(index);
    }
    for (; flushed != 0; flushed &= flushed - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(flushed);
        frontend->warps[index].stale = false;
        consider(sm, index);
    }
}

bool gs_frontend_init(struct gs_sm *sm) {
    struct gs_frontend *frontend = &sm->frontend;
    const struct timed_block *timed = sm->timed;
    frontend->warps = arena_array(&sm->arena, timed->warp_count, sizeof *frontend->warps);
    if (frontend->warps == NULL) return false;
    frontend->last = WARP_NONE;
    frontend->live = timed->warp_count;
    for (uint32_t w = 0; w < timed->warp_count; w++) {
        struct gs_warp *warp = &frontend->warps[w];
        const struct path *path = &timed->paths[timed->warp_path[w]];
        const struct access_list *accesses = &sm->block->accesses[w];
        warp->cursor = path_begin(path);
        warp->access = accesses->items.items;
        warp->access_end = accesses->items.count > 0 ? warp->access + accesses->items.count : warp->access;
        warp->pending = arena_alloc(&sm->arena, (size_t)sm->code.register_count + 1);
        if (warp->pending == NULL) return false;
        frontend->members |= warp_bit(w);
        frontend->running |= warp_bit(w);
        sm->total += path->length;
        proceed(sm, w);
        warp->step = 0;
        warp->stale = false;
        warp->buffered = BUFFERED_MAX;
        consider(sm, w);
    }
    return true;
}

/* The operand collectors: issued instructions wait in collector units until their registers have been read,
 * one register a bank and step, and leave in turns for the registers in front of the units. */

/* In which order the units' own collectors are emptied, and in which they and the generic ones are filled. */
static const uint8_t emptying_order[GPGPUSIM_UNITS] = {
    GPGPUSIM_SP, GPGPUSIM_DP, GPGPUSIM_TENSOR, GPGPUSIM_SFU, GPGPUSIM_LSU, GPGPUSIM_INT, GPGPUSIM_MEM};
static const uint8_t own_filling_order[GPGPUSIM_UNITS] = {
    GPGPUSIM_SP, GPGPUSIM_DP, GPGPUSIM_SFU, GPGPUSIM_TENSOR, GPGPUSIM_LSU, GPGPUSIM_INT, GPGPUSIM_MEM};
static const uint8_t generic_filling_order[GPGPUSIM_UNITS] = {
    GPGPUSIM_SP, GPGPUSIM_SFU, GPGPUSIM_LSU, GPGPUSIM_TENSOR, GPGPUSIM_DP, GPGPUSIM_INT, GPGPUSIM_MEM};

static void init_set(struct gs_collector_set *set, uint32_t first, uint32_t count, uint32_t ports) {
    set->first = first;
    set->count = count;
    set->ports = ports;
    if (count > 0) set->members = (UINT64_MAX >> (GPGPUSIM_COLLECTORS_MAX - count)) << first;
}

wb_status gs_collector_init(struct gs_sm *sm, wb_diagnostics *diagnostics) {
    struct gs_collector *collector = &sm->collector;
    const struct machine_gpgpusim *config = sm->config;
    uint32_t total = config->generic_collectors;
    init_set(&collector->generic, 0, total, config->generic_ports);
    for (uint32_t u = 0; u < GPGPUSIM_UNITS && total <= GPGPUSIM_COLLECTORS_MAX; u++) {
        uint32_t count = config->collectors[u];
        if (total + count <= GPGPUSIM_COLLECTORS_MAX) init_set(&collector->own[u], total, count, 1);
        total += count;
    }
    if (total > GPGPUSIM_COLLECTORS_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, sm->timed->machine->name,
                 "the model gpgpusim has at most %u collector units in all", GPGPUSIM_COLLECTORS_MAX);
        return WB_ERR_INPUT;
    }
    for (uint32_t i = 0; i < GS_READS_MAX; i++)
        collector->reads[i].next = (uint16_t)(i + 1);
    return WB_OK;
}

/* The bank of a register number (reduced modulo the banks) of a warp. */
static uint32_t bank_of(const struct gs_sm *sm, uint32_t number, uint32_t warp) {
    return (number + warp) % sm->config->register_banks;
}

bool gs_collector_write(struct gs_sm *sm, uint32_t flight, uint32_t *written) {
    const struct gs_flight *at = gs_flight_at(sm, flight);
    const uint32_t *numbers = gs_writes(&sm->code, at->inst);
    for (; *written < at->inst->written_count; ++*written) {
        uint64_t bit = UINT64_C(1) << bank_of(sm, numbers[*written], at->warp);
        if (sm->collector.written & bit) return false;
        sm->collector.written |= bit;
    }
    return true;
}

/* The next member of `candidates` behind the one that the port emptied last, going round in the set. */
static uint32_t next_in_turn(const struct gs_collector_set *set, uint32_t port, uint64_t candidates) {
    uint64_t behind = candidates & (UINT64_MAX << (set->first + set->last[port])) &
                      ~(UINT64_C(1) << (set->first + set->last[port]));
    return (uint32_t)__builtin_ctzll(behind != 0 ? behind : candidates);
}

/* Moves the instructions of complete collector units of a set to the units that are free to take them. */
static bool empty_set(struct gs_sm *sm, struct gs_collector_set *set, uint64_t *candidates) {
    struct gs_collector *collector = &sm->collector;
    bool moved = false;
    for (uint32_t port = 0; port < set->ports && (*candidates & set->members) != 0; port++) {
        uint32_t unit_number = next_in_turn(set, port, *candidates & set->members);
        uint32_t flight = collector->flight[unit_number];
        uint32_t unit = gs_flight_at(sm, flight)->inst->unit;
        set->last[port] = (uint8_t)(unit_number - set->first);
        sm->units.oc_ex[unit] = flight;
        sm->units.waiting |= 1u << unit;
        *candidates &= ~collector->heading[unit];
        uint64_t bit = UINT64_C(1) << unit_number;
        collector->busy &= ~bit;
        collector->complete &= ~bit;
        collector->heading[unit] &= ~bit;
        moved = true;
    }
    return moved;
}

static bool empty_collectors(struct gs_sm *sm) {
    struct gs_collector *collector = &sm->collector;
    uint64_t candidates = collector->complete;
    for (uint32_t waiting = sm->units.waiting; waiting != 0; waiting &= waiting - 1)
        candidates &= ~collector->heading[__builtin_ctz(waiting)];
    if (candidates == 0) return false;
    bool moved = empty_set(sm, &collector->generic, &candidates);
    for (uint32_t i = 0; i < GPGPUSIM_UNITS && candidates != 0; i++)
        moved |= empty_set(sm, &collector->own[emptying_order[i]], &candidates);
    return moved;
}

/* Every bank serves the read that waits longest, unless a result is written to it. */
static bool serve_reads(struct gs_collector *collector) {
    uint64_t banks = collector->requested & ~collector->written;
    for (uint64_t rest = banks; rest != 0; rest &= rest - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(rest);
        uint16_t index = collector->first_read[bank];
        struct gs_read *read = &collector->reads[index];
        if (--collector->missing[read->collector] == 0) collector->complete |= UINT64_C(1) << read->collector;
        if (index == collector->last_read[bank]) collector->requested &= ~(UINT64_C(1) << bank);
        collector->first_read[bank] = read->next;
        read->next = collector->free_read;
        collector->free_read = index;
    }
    return banks != 0;
}

static void request_read(struct gs_collector *collector, uint32_t unit_number, uint32_t bank) {
    uint16_t index = collector->free_read;
    collector->free_read = collector->reads[index].next;
    collector->reads[index].collector = (uint8_t)unit_number;
    if (collector->requested >> bank & 1)
        collector->reads[collector->last_read[bank]].next = index;
    else
        collector->first_read[bank] = index;
    collector->last_read[bank] = index;
    collector->requested |= UINT64_C(1) << bank;
}

/* Moves the oldest issued instruction for `unit` into a free collector unit of the set, if there is one. */
static bool fill(struct gs_sm *sm, const struct gs_collector_set *set, uint32_t unit) {
    struct gs_collector *collector = &sm->collector;
    uint64_t room = set->members & ~collector->busy;
    if (room == 0) return false;
    uint32_t unit_number = (uint32_t)__builtin_ctzll(room);
    uint32_t flight = collector->id_oc[unit][0];
    collector->id_oc_count[unit]--;
    for (uint32_t i = 0; i < collector->id_oc_count[unit]; i++)
        collector->id_oc[unit][i] = collector->id_oc[unit][i + 1];
    uint64_t bit = UINT64_C(1) << unit_number;
    collector->busy |= bit;
    collector->heading[unit] |= bit;
    collector->flight[unit_number] = flight;
    const struct gs_flight *at = gs_flight_at(sm, flight);
    const uint32_t *numbers = gs_reads(&sm->code, at->inst);
    collector->missing[unit_number] = (uint8_t)at->inst->read_count;
    if (at->inst->read_count == 0) collector->complete |= bit;
    for (uint32_t i = 0; i < at->inst->read_count; i++)
        request_read(collector, unit_number, bank_of(sm, numbers[i], at->warp));
    return true;
}

/* The generic ports take instructions in the order of the units until there are no more of them or no room;
 * then one instruction of each unit may go to its own collectors, or to a generic one. */
static bool fill_collectors(struct gs_sm *sm) {
    const struct gs_collector *collector = &sm->collector;
    bool moved = false;
    uint32_t order = 0;
    for (uint32_t port = 0; port < collector->generic.ports; port++) {
        while (order < GPGPUSIM_UNITS && collector->id_oc_count[generic_filling_order[order]] == 0)
            order++;
        if (order == GPGPUSIM_UNITS || !fill(sm, &collector->generic, generic_filling_order[order])) break;
        moved = true;
    }
    for (uint32_t i = 0; order < GPGPUSIM_UNITS && i < GPGPUSIM_UNITS; i++) {
        uint32_t unit = own_filling_order[i];
        if (collector->own[unit].count == 0 || collector->id_oc_count[unit] == 0) continue;
        moved |= fill(sm, &collector->own[unit], unit) || fill(sm, &collector->generic, unit);
    }
    return moved;
}

void gs_collector_cycle(struct gs_sm *sm) {
    for (uint32_t step = 0; step < sm->config->collector_steps; step++) {
        bool moved = empty_collectors(sm);
        moved |= serve_reads(&sm->collector);
        moved |= fill_collectors(sm);
        /* Writes keep reads waiting in the first step only. */
        bool released = (sm->collector.written & sm->collector.requested) != 0;
        sm->collector.written = 0;
        if (!moved && !released) return;
        sm->moved = true;
    }
}

/* The functional units but for the LSU: their dispatch registers, pipelines and result buses. When an
 * instruction comes out of its unit is known as it enters; both pipeline slot and result bus are reserved by
 * that cycle. */

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
