#include <stdlib.h>
#include <string.h>

#include "sim/sm_memory.h"

static wb_status init_reorder(struct sm *sm, struct sm_memory *memory, const struct sm_share *share) {
    struct sm_reorder *reorder = arena_alloc(&sm->arena, sizeof *reorder);
    if (reorder == NULL) return WB_ERR_LIMIT;
    memory->reorder = reorder;
    reorder->pending.first = reorder->pending.last = SM_NONE;
    for (uint32_t w = 0; w < sm->warp_count; w++) {
        sm->warps[w].entries =
            arena_array(&sm->arena, memory->config->channel_depth, sizeof *sm->warps[w].entries);
        if (sm->warps[w].entries == NULL) return WB_ERR_LIMIT;
    }
    WB_TRY(access_order_begin(sm->program->traffic, share, &reorder->order));
    reorder->has_next = access_order_next(&reorder->order, &reorder->next);
    return WB_OK;
}

/* Room for the times of the requests that may be on their way. */
static wb_status init_returns(struct sm *sm, struct sm_memory *memory) {
    memory->returns.items =
        arena_array(&sm->arena, (size_t)memory->config->outstanding + 1, sizeof *memory->returns.items);
    return memory->returns.items == NULL ? WB_ERR_LIMIT : WB_OK;
}

wb_status sm_memory_init(struct sm *sm, struct sm_memory *memory, const struct sm_share *share) {
    *memory = (struct sm_memory){.config = &sm->program->machine->memory,
                                 .resume_at = CYCLES_SATURATED,
                                 .first_sent = CYCLES_SATURATED,
                                 .arriving = {FETCH_NONE, FETCH_NONE},
                                 .port = FLIGHT_LIST_EMPTY,
                                 .free_flight = SM_NONE,
                                 .free_waiter = SM_NONE};
    memory->is_contended = memory_is_contended(memory->config);
    sm->memory = memory;
    uint32_t instructions = sm->program->code->inst_count;
    memory->instructions = arena_array(&sm->arena, (size_t)instructions + 1, sizeof *memory->instructions);
    if (memory->instructions == NULL) return WB_ERR_LIMIT;
    if (memory->is_contended) return init_returns(sm, memory);
    WB_TRY(cache_init(&memory->cache, &memory->config->l1, &sm->arena));
    return share == NULL ? WB_OK : init_reorder(sm, memory, share);
}

void sm_memory_free(struct sm_memory *memory) {
    vec_free(&memory->flights);
    vec_free(&memory->waiters);
    free(memory->answers.items);
    fetch_table_free(&memory->fetches);
    if (memory->reorder != NULL) access_order_end(&memory->reorder->order);
}

/* A free flight, or SM_NONE when memory is exhausted. */
static uint32_t new_flight(struct sm_memory *memory) {
    uint32_t flight = memory->free_flight;
    if (flight != SM_NONE) {
        memory->free_flight = memory->flights.items[flight].next;
        return flight;
    }
    if (memory->flights.count >= SENDER_IS_FLIGHT) return SM_NONE;
    if (vec_reserve(&memory->flights, 1) != WB_OK) return SM_NONE;
    return (uint32_t)memory->flights.count++;
}

wb_status sm_take_off(struct sm *sm, uint32_t index, uint32_t *flight) {
    struct sm_memory *memory = sm->memory;
    struct sm_warp *warp = &sm->warps[index];
    const struct timed_inst *inst = warp->head;
    *flight = new_flight(memory);
    if (*flight == SM_NONE) return WB_ERR_LIMIT;
    struct sm_flight made = {
        .inst = inst,
        .step = warp->step,
        .number = memory->issued++,
        .issue = sm->now,
        .warp = index,
        .unit = (uint32_t)(warp->unit - sm->units),
        .busy = warp->busy,
    };
    memcpy(made.commits, warp->commits, sizeof made.commits);
    if (warp->request != NULL) {
        made.access = warp->request;
        made.offsets = warp->pattern->offsets + made.access->first_request;
        made.base = traffic_base(sm->program->traffic, sm->slots[warp->slot].block,
                                 index - warp->slot * sm->program->warp_count, made.access->group);
        wb_instruction_traffic *counts = &memory->instructions[made.access->instruction];
        counts->accesses++;
        counts->requests += made.access->request_count;
    }
    memory->flights.items[*flight] = made;
    sm->slots[warp->slot].flights++;
    sm_set_results(sm, warp, inst, CYCLES_SATURATED);
    sm_join_queues(sm, warp, CYCLES_SATURATED);
    sm_count(sm, inst);
    return WB_OK;
}

/* Hands the times of a flight on to the sink. */
static void report_landing(const struct sm *sm, const struct sm_flight *flight, cycles completion) {
    if (sm->sink == NULL || sm->sink->land == NULL) return;
    const bool known_at_issue = sm->memory->reorder != NULL;
    const struct sim_landing landing = {.flight = flight->number,
                                        .instance = flight->instance,
                                        .start = known_at_issue ? 0 : flight->start,
                                        .init_end = known_at_issue ? 0 : flight->left,
                                        .completion = completion};
    sm->sink->land(sm->sink->user, &landing);
}

void sm_flight_land(struct sm *sm, uint32_t index, cycles completion) {
    struct sm_flight *flight = sm_flight_at(sm, index);
    uint32_t warp = flight->warp;
    report_landing(sm, flight, completion);
    sm_set_results(sm, &sm->warps[warp], flight->inst, completion);
    sm_know_joined(sm, &sm->warps[warp], flight->inst, flight->commits, completion);
    flight->next = sm->memory->free_flight;
    sm->memory->free_flight = index;
    sm_land(sm, sm->warps[warp].slot, completion);
    sm_unblock(sm, warp);
}

void sm_try_land(struct sm *sm, uint32_t index) {
    const struct sm_flight *flight = sm_flight_at(sm, index);
    if (flight->missing > 0 || flight->next_request < flight->access->request_count) return;
    sm_flight_land(sm, index, flight->data + flight->inst->latency - flight->inst->memory_latency);
}

void flight_list_append(struct sm *sm, struct flight_list *list, uint32_t flight) {
    sm_flight_at(sm, flight)->next = SM_NONE;
    if (list->first == SM_NONE) {
        list->first = flight;
    } else {
        sm_flight_at(sm, list->last)->next = flight;
    }
    list->last = flight;
    list->count++;
}

uint32_t flight_list_pop(struct sm *sm, struct flight_list *list) {
    uint32_t flight = list->first;
    list->first = sm_flight_at(sm, flight)->next;
    list->count--;
    return flight;
}
