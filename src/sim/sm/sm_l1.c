/* What memory instructions meet on the SM: its first level, the order of the reordering extension in front of
 * it, and the way to a memory without caches. */
#include "sim/sm/sm.h"

/* Whether a line waits for data that it asked for itself. */
static bool line_is_reserved(const struct sm_memory *memory, const struct cache_line *line) {
    const struct cache_index *index = &memory->cache.index;
    uint64_t first = line->number << (index->line_shift - index->sector_shift);
    for (uint32_t left = line->sectors; left != 0; left &= left - 1) {
        if (fetch_table_find(&memory->fetches, first + (uint32_t)__builtin_ctz(left)) != FETCH_NONE)
            return true;
    }
    return false;
}

/* What keeps a load from having its turn now: the counter of the cycles that it waits, or NULL. */
static uint64_t *obstacle(struct sm_memory *memory, uint64_t address) {
    const struct machine_memory *config = memory->config;
    bool full = memory->fetches.used == config->l1_mshrs;
    bool stalls = config->l1_victim == VICTIM_STALLS && memory->fetches.used > 0;
    if ((!full && !stalls) || cache_has(&memory->cache, address)) return NULL;
    if (full) return &memory->counts.mshr_stalls;
    const struct cache_line *victim = cache_victim(&memory->cache, address);
    return victim != NULL && line_is_reserved(memory, victim) ? &memory->counts.victim_stalls : NULL;
}

/* Finds the first cycle from *at on in which a request can have its turn; false when it is none of this
 * window: the first level then goes on at memory->resume_at, and *at is where the window ends. */
static bool await_turn(struct sm_memory *memory, const struct sm_flight *flight, uint64_t address,
                       cycles *at) {
    for (;;) {
        fetch_line_release(&memory->arriving, &memory->fetches, *at);
        memory->resume_at = *at;
        if (*at >= memory->until) return false;
        uint64_t *waited = flight->access->kind == TRAFFIC_LOAD ? obstacle(memory, address) : NULL;
        if (waited == NULL) return true;
        cycles data = fetch_line_next(&memory->arriving, &memory->fetches);
        cycles to = cycles_min(data, memory->until);
        *waited += to - *at;
        *at = to;
        memory->resume_at = data;
        if (to < data) return false;
    }
}

/* Sends a request down at the end of its turn. */
static wb_status send_down(struct sm_memory *memory, cycles turn_end, uint64_t address, uint8_t kind,
                           uint32_t sender) {
    struct gpu_mailbox *box = &memory->boxes[gpu_partition_of(memory->config, address)];
    const struct gpu_request request = {
        .at = turn_end + memory->config->noc_latency, .address = address, .sender = sender, .kind = kind};
    memory->first_sent = cycles_min(memory->first_sent, request.at);
    return vec_push(&box->requests, request);
}

/* The flight waits for a fetch. */
static wb_status wait_for(struct sm_memory *memory, uint32_t fetch, uint32_t flight) {
    uint32_t waiter = memory->free_waiter;
    if (waiter != SM_NONE) {
        memory->free_waiter = memory->waiters.items[waiter].next;
    } else {
        WB_TRY(vec_reserve(&memory->waiters, 1));
        waiter = (uint32_t)memory->waiters.count++;
    }
    memory->waiters.items[waiter] = (struct sm_waiter){flight, memory->fetches.items[fetch].waiting};
    memory->fetches.items[fetch].waiting = waiter;
    memory->flights.items[flight].missing++;
    return WB_OK;
}

/* The turn of a load, in the cycles before turn_end. */
static wb_status load(struct sm_memory *memory, uint32_t index, uint64_t address, cycles turn_end,
                      uint8_t *outcome) {
    struct sm_flight *flight = &memory->flights.items[index];
    uint64_t sector = cache_sector_number(&memory->cache.index, address);
    bool hit = cache_load(&memory->cache, address).hit;
    uint32_t fetch = hit ? fetch_table_find(&memory->fetches, sector) : FETCH_NONE;
    memory->counts.loads++;
    if (!hit) {
        *outcome = L1_MISS;
        memory->counts.misses++;
        memory->instructions[flight->access->instruction].misses++;
        WB_TRY(fetch_table_add(&memory->fetches, sector, &fetch));
        WB_TRY(wait_for(memory, fetch, index));
        return send_down(memory, turn_end, address, TRAFFIC_LOAD, fetch);
    }
    *outcome = fetch == FETCH_NONE ? L1_HIT : L1_HIT_UNDER_MISS;
    memory->counts.hits++;
    memory->counts.hits_under_miss += fetch != FETCH_NONE;
    flight->data = cycles_max(flight->data, turn_end + memory->config->l1_latency);
    if (fetch == FETCH_NONE) return WB_OK;
    cycles data_at = memory->fetches.items[fetch].data_at;
    if (data_at == CYCLES_SATURATED) return wait_for(memory, fetch, index);
    flight->data = cycles_max(flight->data, data_at);
    return WB_OK;
}

/* The turn of a store, an atomic or an uncached load, which counts as one that misses. */
static wb_status pass(struct sm_memory *memory, uint32_t index, uint64_t address, cycles turn_end,
                      uint8_t *outcome) {
    struct sm_flight *flight = &memory->flights.items[index];
    const bool is_store = flight->access->kind == TRAFFIC_STORE;
    const bool is_load = flight->access->kind == TRAFFIC_UNCACHED;
    (void)cache_store(&memory->cache, address,
                      is_store ? (enum store_policy)memory->config->l1_store : STORE_EVICTS);
    memory->counts.stores += is_store;
    memory->counts.atomics += !is_store && !is_load;
    memory->counts.loads += is_load;
    memory->counts.misses += is_load;
    memory->instructions[flight->access->instruction].misses += is_load;
    flight->missing++;
    *outcome = is_load ? L1_MISS : L1_PASSED;
    return send_down(memory, turn_end, address, flight->access->kind, index | SENDER_IS_FLIGHT);
}

/* Hands a request's turn in cycle `at` on to the sink. */
static wb_status sm_report_access(const struct sm *sm, const struct sm_flight *flight, cycles at,
                                  uint64_t address, uint8_t outcome) {
    const struct sm_access_sink *sink = &sm->memory->sink;
    if (sink->access == NULL) return WB_OK;
    uint32_t slot = sm->warps[flight->warp].slot;
    const struct sm_access access = {.at = at,
                                     .block = sm->host.slots[slot].block,
                                     .warp = flight->warp - slot * sm->program->warp_count,
                                     .step = flight->step,
                                     .instruction = flight->access->instruction,
                                     .address = address,
                                     .kind = flight->access->kind,
                                     .outcome = outcome};
    return sink->access(sink->user, &access);
}

wb_status sm_l1_serve(struct sm *sm, uint32_t index, cycles from, bool *done) {
    struct sm_memory *memory = sm->memory;
    struct sm_flight *flight = &memory->flights.items[index];
    cycles at = cycles_max(from, memory->free_at);
    *done = false;
    for (; flight->next_request < flight->access->request_count; flight->next_request++) {
        uint64_t address = flight->base + flight->offsets[flight->next_request];
        if (!await_turn(memory, flight, address, &at)) {
            memory->free_at = at;
            return WB_OK;
        }
        uint8_t outcome;
        cycles turn_end = at + memory->config->request_cycles;
        WB_TRY(flight->access->kind == TRAFFIC_LOAD ? load(memory, index, address, turn_end, &outcome)
                                                    : pass(memory, index, address, turn_end, &outcome));
        WB_TRY(sm_report_access(sm, flight, at, address, outcome));
        at = turn_end;
    }
    memory->free_at = at;
    memory->resume_at = CYCLES_SATURATED;
    *done = true;
    return WB_OK;
}

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
    for (uint32_t s = 0; s < sm->host.slot_count; s++) {
        if (sm->host.slots[s].block == next->block)
            return &sm->warps[s * sm->program->warp_count + next->warp];
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

/* Whether as many requests are on their way as may be. */
static bool is_full(const struct sm_memory *memory) {
    return memory->config->outstanding != 0 && memory->on_the_way == memory->config->outstanding;
}

/* Sends the next request of a flight in this cycle. */
static wb_status send(struct sm *sm, uint32_t index) {
    struct sm_memory *memory = sm->memory;
    struct sm_flight *flight = sm_flight_at(sm, index);
    const uint64_t address = flight->base + flight->offsets[flight->next_request++];
    flight->turn_at = sm->now + memory->config->request_cycles;
    flight->missing++;
    memory->on_the_way += memory->config->outstanding != 0;
    memory->counts.loads += traffic_is_load(flight->access->kind);
    memory->counts.stores += flight->access->kind == TRAFFIC_STORE;
    memory->counts.atomics += flight->access->kind == TRAFFIC_ATOMIC;
    memory->first_sent = cycles_min(memory->first_sent, flight->turn_at);
    const struct gpu_request request = {.at = flight->turn_at,
                                        .address = address,
                                        .sender = index | SENDER_IS_FLIGHT,
                                        .kind = flight->access->kind};
    WB_TRY(vec_push(&memory->boxes->requests, request));
    return sm_report_access(sm, flight, sm->now, address, L1_PASSED);
}

/* Counts the cycles that a request has waited for nothing but the limit, and whether one does so now. */
static void count_stall(struct sm *sm, bool held_back) {
    struct sm_memory *memory = sm->memory;
    if (memory->held_back) memory->counts.mshr_stalls += sm->now - memory->held_back_from;
    memory->held_back = held_back;
    memory->held_back_from = sm->now;
}

wb_status sm_send(struct sm *sm) {
    struct sm_memory *memory = sm->memory;
    struct flight_list *port = &memory->port;
    bool held_back = false;
    for (; heap_first(&memory->returns) <= sm->now; memory->on_the_way--)
        (void)heap_pop(&memory->returns);
    for (uint32_t left = port->count; left > 0; left--) {
        uint32_t index = flight_list_pop(sm, port);
        struct sm_flight *flight = sm_flight_at(sm, index);
        bool due = flight->turn_at <= sm->now;
        held_back = held_back || (due && is_full(memory));
        if (due && !is_full(memory)) WB_TRY(send(sm, index));
        if (flight->next_request < flight->access->request_count)
            flight_list_append(sm, port, index);
        else
            sm_end_turns(sm, index, flight->turn_at);
    }
    count_stall(sm, held_back);
    return WB_OK;
}

cycles sm_next_send(const struct sm *sm) {
    const struct sm_memory *memory = sm->memory;
    cycles next = CYCLES_SATURATED;
    if (memory->port.count > 0 && is_full(memory)) next = heap_first(&memory->returns);
    for (uint32_t left = memory->port.count, index = memory->port.first; left > 0; left--) {
        const struct sm_flight *flight = sm_flight_at(sm, index);
        if (flight->turn_at > sm->now) next = cycles_min(next, flight->turn_at);
        index = flight->next;
    }
    return next;
}

void sm_note_return(struct sm_memory *memory, cycles at) {
    if (memory->config->outstanding != 0) heap_push(&memory->returns, at, 0, 0);
}
