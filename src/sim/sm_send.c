#include "sim/gpu_partition.h"
#include "sim/sm_memory.h"

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
    memory->counts.loads += flight->access->kind == TRAFFIC_LOAD;
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
