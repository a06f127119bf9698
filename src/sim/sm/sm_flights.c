/* Memory instructions from their issue to their completion: how they are kept, wait for their unit and have
 * their turns at the first level, and are answered. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sm/sm.h"

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
        made.base = traffic_base(sm->program->traffic, sm->host.slots[warp->slot].block,
                                 index - warp->slot * sm->program->warp_count, made.access->group);
        wb_instruction_traffic *counts = &memory->instructions[made.access->instruction];
        counts->accesses++;
        counts->requests += made.access->request_count;
    }
    memory->flights.items[*flight] = made;
    sm->host.slots[warp->slot].flights++;
    sm_set_results(sm, warp, inst, CYCLES_SATURATED);
    sm_join_queues(sm, warp, CYCLES_SATURATED);
    sm_count(sm, inst);
    return WB_OK;
}

/* Hands the times of a flight on to the sink. */
static void report_landing(const struct sm *sm, const struct sm_flight *flight, cycles completion) {
    if (sm->host.sink == NULL || sm->host.sink->land == NULL) return;
    const bool known_at_issue = sm->memory->reorder != NULL;
    const struct sim_landing landing = {.flight = flight->number,
                                        .instance = flight->instance,
                                        .start = known_at_issue ? 0 : flight->start,
                                        .init_end = known_at_issue ? 0 : flight->left,
                                        .completion = completion};
    sm->host.sink->land(sm->host.sink->user, &landing);
}

/* Flight number `index` has its last result in cycle `completion`, and is gone. */
static void sm_flight_land(struct sm *sm, uint32_t index, cycles completion) {
    struct sm_flight *flight = sm_flight_at(sm, index);
    uint32_t warp = flight->warp;
    assert(sm->host.slots[sm->warps[warp].slot].flights > 0);
    report_landing(sm, flight, completion);
    sm_set_results(sm, &sm->warps[warp], flight->inst, completion);
    sm_know_joined(sm, &sm->warps[warp], flight->inst, flight->step, flight->commits, completion);
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
    assert(list->count > 0 && list->first != SM_NONE);
    uint32_t flight = list->first;
    list->first = sm_flight_at(sm, flight)->next;
    list->count--;
    return flight;
}

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

static wb_status sm_serve_started(struct sm *sm);

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

/* Serves the started instructions one after the other. */
static wb_status sm_serve_started(struct sm *sm) {
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

/* Answers of one cycle come by partition, those of a partition in the order of their service. */
#define PARTITION_SHIFT 48

/* Makes room for `extra` more answers on their way. */
static wb_status reserve_answers(struct sm_memory *memory, size_t extra) {
    size_t wanted = memory->answers.count + extra;
    if (wanted <= memory->answers_capacity) return WB_OK;
    if (wanted > UINT32_MAX / 2) return WB_ERR_LIMIT;
    struct heap_item *items = realloc(memory->answers.items, 2 * wanted * sizeof *items);
    if (items == NULL) return WB_ERR_LIMIT;
    memory->answers.items = items;
    memory->answers_capacity = 2 * wanted;
    return WB_OK;
}

static wb_status take_answers(struct sm_memory *memory) {
    const uint32_t boxes = memory->is_contended ? 1 : memory->config->l2_partitions;
    for (uint32_t p = 0; p < boxes; p++) {
        struct gpu_mailbox *box = &memory->boxes[p];
        WB_TRY(reserve_answers(memory, box->answers.count));
        for (size_t i = 0; i < box->answers.count; i++) {
            const struct gpu_answer *answer = &box->answers.items[i];
            uint64_t rank = (uint64_t)p << PARTITION_SHIFT | memory->answered++;
            heap_push(&memory->answers, answer->at, rank, answer->sender);
        }
        box->answers.count = 0;
    }
    return WB_OK;
}

/* A request of the flight has its data in cycle `at`. */
static void give_data(struct sm *sm, uint32_t index, cycles at) {
    struct sm_flight *flight = sm_flight_at(sm, index);
    flight->data = cycles_max(flight->data, at);
    flight->missing--;
    sm_try_land(sm, index);
}

/* The data of a fetch is there in cycle `at`: all who wait for it have it. */
static void end_fetch(struct sm *sm, uint32_t index, cycles at) {
    struct sm_memory *memory = sm->memory;
    struct fetch *fetch = &memory->fetches.items[index];
    fetch->data_at = at;
    fetch_line_append(&memory->arriving, &memory->fetches, index);
    for (uint32_t waiter = fetch->waiting, next; waiter != SM_NONE; waiter = next) {
        struct sm_waiter *waiting = &memory->waiters.items[waiter];
        next = waiting->next;
        waiting->next = memory->free_waiter;
        memory->free_waiter = waiter;
        give_data(sm, waiting->flight, at);
    }
}

/* An answer of the memory that all SMs share, which was sent off for the earliest data that there can be, and
 * a cycle before that. */
static void end_request(struct sm *sm, const struct heap_item *answer) {
    const uint32_t index = answer->id & ~SENDER_IS_FLIGHT;
    const struct sm_program *program = sm->program;
    const uint32_t latency = request_return(program->machine, sm_flight_at(sm, index)->inst);
    const cycles data_at = answer->key + 1 + (latency - program->least_return);
    sm_note_return(sm->memory, data_at);
    give_data(sm, index, data_at);
}

/* An answer of the second level. */
static void end_answer(struct sm *sm, const struct heap_item *answer) {
    struct sm_memory *memory = sm->memory;
    memory->reply_free_at = cycles_max(answer->key, memory->reply_free_at) + memory->config->reply_service;
    if ((answer->id & SENDER_IS_FLIGHT) != 0)
        give_data(sm, answer->id & ~SENDER_IS_FLIGHT, memory->reply_free_at);
    else
        end_fetch(sm, answer->id, memory->reply_free_at);
}

wb_status sm_begin_window(struct sm *sm, struct gpu_mailbox *boxes, cycles until) {
    struct sm_memory *memory = sm->memory;
    memory->boxes = boxes;
    memory->until = until;
    memory->first_sent = CYCLES_SATURATED;
    WB_TRY(take_answers(memory));
    while (heap_first(&memory->answers) < until) {
        struct heap_item answer = heap_pop(&memory->answers);
        if (memory->is_contended)
            end_request(sm, &answer);
        else
            end_answer(sm, &answer);
    }
    if (memory->is_contended) return WB_OK;
    return memory->reorder != NULL ? sm_serve_channels(sm) : sm_serve_started(sm);
}

cycles sm_next_activity(const struct sm *sm) {
    cycles next = sm_next_event(sm);
    if (sm->memory == NULL) return next;
    return cycles_min(next, cycles_min(heap_first(&sm->memory->answers), sm->memory->resume_at));
}
