/* The operand collectors: issued instructions wait in collector units until their registers have been read,
 * one register a bank and step, and leave in turns for the registers in front of the units. */
#include "sim/gpgpusim_sm.h"

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
