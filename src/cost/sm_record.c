#include "cost/sm_record.h"

/* The place of a number in a list, which is made to reach so far; NULL when memory is, or was, exhausted. */
static uint32_t *index_at(struct sm_record *record, struct record_indices *list, uint64_t number) {
    while (!record->failed && list->count <= number)
        record->failed = vec_push(list, RECORD_NONE) != WB_OK;
    return record->failed ? NULL : &list->items[number];
}

/* The block that the slot of the event has now. */
static struct executed_block *block_of(struct sm_record *record, const struct sim_event *event) {
    uint32_t *place = index_at(record, &record->slots, event->slot);
    if (place == NULL) return NULL;
    if (*place != RECORD_NONE && record->blocks.items[*place].block == event->block)
        return &record->blocks.items[*place];
    const struct executed_block made = {.block = event->block, .before = *place, .last = RECORD_NONE};
    record->failed = vec_push(&record->blocks, made) != WB_OK;
    if (record->failed) return NULL;
    *place = (uint32_t)record->blocks.count - 1;
    return &record->blocks.items[*place];
}

/* An instruction of a warp that has come to a barrier. */
static void arrive(struct sm_record *record, struct executed_block *block, uint32_t index) {
    struct executed *executed = &record->executed.items[index];
    uint32_t *barrier = index_at(record, &block->barriers, executed->event.warp);
    if (barrier == NULL) return;
    executed->barrier = *barrier == RECORD_NONE ? 0 : *barrier + 1;
    *barrier = executed->barrier;
    uint32_t *last = index_at(record, &block->arrivals, executed->barrier);
    if (last == NULL) return;
    if (*last == RECORD_NONE || executed_end(&record->executed.items[*last]) < executed_end(executed))
        *last = index;
}

/* Keeps an event; its number, or RECORD_NONE. */
static uint32_t keep(struct sm_record *record, const struct sim_event *event) {
    record->full = record->full || record->executed.count >= SM_RECORD_MAX;
    if (record->full || record->failed) return RECORD_NONE;
    struct executed_block *block = block_of(record, event);
    uint32_t *end = block == NULL ? NULL : index_at(record, &block->warp_ends, event->warp);
    if (end == NULL) return RECORD_NONE;
    const uint32_t index = (uint32_t)record->executed.count;
    const struct executed made = {*event, *end, RECORD_NONE};
    record->failed = vec_push(&record->executed, made) != WB_OK;
    if (record->failed) return RECORD_NONE;
    *end = index;
    if (record->code->insts[event->instruction].barrier) arrive(record, block, index);
    return index;
}

static void land(struct sim_event *event, const struct sim_landing *landing) {
    event->completion = landing->completion;
    if (event->init_end != CYCLES_SATURATED) return;
    event->start = landing->start;
    event->init_end = landing->init_end;
    event->instance = landing->instance;
}

wb_status sm_record_issue(void *user, const struct sim_event *event) {
    struct sm_record *record = user;
    const uint32_t index = keep(record, event);
    if (index == RECORD_NONE) return WB_OK;
    record->failed = vec_push(&record->issued, index) != WB_OK;
    if (event->flight == FLIGHT_NONE) return WB_OK;
    uint32_t *flight = index_at(record, &record->flights, event->flight);
    if (flight == NULL) return WB_OK;
    *flight = index;
    /* Numbered from 0: before any has landed `early` is of flight 0, without a completion. */
    if (record->early.flight == event->flight && record->early.completion > 0)
        land(&record->executed.items[index].event, &record->early);
    return WB_OK;
}

void sm_record_pass(void *user, const struct sim_event *event) {
    (void)keep(user, event);
}

void sm_record_land(void *user, const struct sim_landing *landing) {
    struct sm_record *record = user;
    if (record->full || record->failed) return;
    if (landing->flight < record->flights.count && record->flights.items[landing->flight] != RECORD_NONE)
        land(&record->executed.items[record->flights.items[landing->flight]].event, landing);
    else
        record->early = *landing;
}

/* Finds the instruction of a block whose result comes last, among those of a warp. */
static void find_last(const struct sm_record *record, struct executed_block *block, uint32_t warp_end) {
    for (uint32_t i = warp_end; i != RECORD_NONE; i = record->executed.items[i].before) {
        const struct executed *executed = &record->executed.items[i];
        if (block->last == RECORD_NONE ||
            executed->event.completion > record->executed.items[block->last].event.completion)
            block->last = i;
    }
}

void sm_record_close(struct sm_record *record) {
    if (record->failed || record->full) return;
    for (uint32_t i = 0; i < record->issued.count; i++) {
        const struct sim_event *event = &record->executed.items[record->issued.items[i]].event;
        record->longest_hold = cycles_max(record->longest_hold, event->init_end - event->issue);
    }
    for (uint32_t b = 0; b < record->blocks.count; b++) {
        struct executed_block *block = &record->blocks.items[b];
        for (uint32_t w = 0; w < block->warp_ends.count; w++)
            find_last(record, block, block->warp_ends.items[w]);
    }
}

void sm_record_free(struct sm_record *record) {
    for (uint32_t b = 0; b < record->blocks.count; b++) {
        vec_free(&record->blocks.items[b].warp_ends);
        vec_free(&record->blocks.items[b].barriers);
        vec_free(&record->blocks.items[b].arrivals);
    }
    vec_free(&record->blocks);
    vec_free(&record->executed);
    vec_free(&record->issued);
    vec_free(&record->flights);
    vec_free(&record->slots);
}

uint32_t sm_record_from(const struct sm_record *record, cycles at) {
    uint32_t low = 0, high = (uint32_t)record->issued.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (record->executed.items[record->issued.items[middle]].event.issue < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
