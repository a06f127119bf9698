#include <stdlib.h>

#include "sim/sm_memory.h"

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
