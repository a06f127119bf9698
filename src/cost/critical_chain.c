#include "cost/critical_chain.h"

#include <assert.h>

/* ---- What an SM executed ---------------------------------------------------------------------------- */

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

/* ---- The chain -------------------------------------------------------------------------------------- */

static const struct executed *at_index(const struct critical_chain *chain, uint32_t index) {
    return index == RECORD_NONE ? NULL : &chain->record->executed.items[index];
}

static const struct timed_inst *inst_of(const struct critical_chain *chain, const struct executed *executed) {
    return &chain->record->code->insts[executed->event.instruction];
}

/* The cycles [from, to), if there are any, belong to an instruction. */
static void spend(const struct critical_chain *chain, const struct executed *executed, wb_part_kind what,
                  cycles from, cycles to) {
    if (to > from)
        chain->sink.spend(chain->sink.user, executed == NULL ? CHAIN_NO_ENTRY : executed->event.instruction,
                          what, to - from);
}

/* The reason why the result of an instruction is late. */
static wb_part_kind latency_of(const struct critical_chain *chain, const struct executed *executed) {
    return inst_of(chain, executed)->memory_latency > 0 ? WB_PART_MEMORY : WB_PART_LATENCY;
}

/* Whether it is of the same warp. */
static bool is_own(const struct executed *own, const struct executed *other) {
    return own->event.slot == other->event.slot && own->event.warp == other->event.warp;
}

/* The instruction that holds the unit of `waiting` in cycle `at`, the one that was issued last; or NULL. */
static const struct executed *holder(const struct critical_chain *chain, const struct executed *waiting,
                                     cycles at) {
    const struct sm_record *record = chain->record;
    const bool shared = chain->machine->units[waiting->event.unit].shared;
    for (uint32_t i = sm_record_from(record, at + 1); i-- > 0;) {
        const struct executed *other = at_index(chain, record->issued.items[i]);
        if (other->event.issue + record->longest_hold <= at) return NULL;
        if (other->event.unit == waiting->event.unit &&
            (shared || other->event.sub_core == waiting->event.sub_core) && other->event.start <= at &&
            other->event.init_end > at)
            return other;
    }
    return NULL;
}

/* The instruction of another warp that the sub-core of `waiting` issued in cycle `at`, the first one; or
 * NULL. */
static const struct executed *issued_instead(const struct critical_chain *chain,
                                             const struct executed *waiting, cycles at) {
    const struct sm_record *record = chain->record;
    for (uint32_t i = sm_record_from(record, at); i < record->issued.count; i++) {
        const struct executed *other = at_index(chain, record->issued.items[i]);
        if (other->event.issue > at) return NULL;
        if (other->event.sub_core == waiting->event.sub_core && !is_own(waiting, other)) return other;
    }
    return NULL;
}

/* In [from, to) an instruction waits for room at its unit, or until it can start there. */
static void spend_at_unit(const struct critical_chain *chain, const struct executed *waiting, cycles from,
                          cycles to) {
    for (cycles at = from, until; at < to; at = until) {
        const struct executed *other = holder(chain, waiting, at);
        if (other != NULL) {
            until = cycles_min(other->event.init_end, to);
            spend(chain, other, is_own(waiting, other) ? WB_PART_UNIT : WB_PART_INTERFERENCE, at, until);
            continue;
        }
        until = at + 1;
        other = issued_instead(chain, waiting, at);
        spend(chain, other != NULL ? other : waiting, other != NULL ? WB_PART_INTERFERENCE : WB_PART_WAIT, at,
              until);
    }
}

/* In [from, to) it is not the instruction's turn. */
static void spend_turn(const struct critical_chain *chain, const struct executed *waiting, cycles from,
                       cycles to) {
    for (cycles at = from; at < to; at++) {
        const struct executed *other = issued_instead(chain, waiting, at);
        spend(chain, other != NULL ? other : waiting, other != NULL ? WB_PART_INTERFERENCE : WB_PART_WAIT, at,
              at + 1);
    }
}

/* The cycles of [from, to) in which an instruction, issued or executed before, is not complete. */
static void spend_execution(const struct critical_chain *chain, const struct executed *executed, cycles from,
                            cycles to) {
    const struct sim_event *event = &executed->event;
    const cycles issued = executed_end(executed);
    spend(chain, executed, WB_PART_ISSUE, cycles_max(from, event->issue), cycles_min(to, issued));
    if (event->unit != UNIT_NONE) {
        const cycles start = cycles_max(from, issued);
        if (cycles_min(to, event->start) > start)
            spend_at_unit(chain, executed, start, cycles_min(to, event->start));
        spend(chain, executed, WB_PART_UNIT, cycles_max(start, event->start),
              cycles_min(to, event->init_end));
    }
    spend(chain, executed, latency_of(chain, executed), cycles_max(from, cycles_max(event->init_end, issued)),
          to);
}

/* The instruction of the same warp with that step. */
static const struct executed *producer_of(const struct critical_chain *chain,
                                          const struct executed *waiting) {
    const struct executed *before = at_index(chain, waiting->before);
    while (before != NULL && before->event.step != waiting->event.waits.producer)
        before = at_index(chain, before->before);
    return before;
}

/* In [from, to) an instruction waits for its operands. */
static void spend_result(const struct critical_chain *chain, const struct executed *waiting, cycles from,
                         cycles to) {
    const struct executed *producer = producer_of(chain, waiting);
    if (producer == NULL) {
        spend(chain, waiting, WB_PART_WAIT, from, to);
    } else {
        spend_execution(chain, producer, from, to);
    }
}

/* Attributes an instruction's waits other than for barriers. */
static void spend_wait(const struct critical_chain *chain, const struct executed *waiting,
                       const struct sim_wait *wait) {
    switch (wait->kind) {
    case SIM_WAIT_RESULT: spend_result(chain, waiting, wait->from, wait->to); return;
    case SIM_WAIT_FETCH: spend(chain, waiting, WB_PART_FETCH, wait->from, wait->to); return;
    case SIM_WAIT_CHANNEL: spend(chain, waiting, WB_PART_MEMORY, wait->from, wait->to); return;
    case SIM_WAIT_UNIT: spend_at_unit(chain, waiting, wait->from, wait->to); return;
    case SIM_WAIT_TURN: spend_turn(chain, waiting, wait->from, wait->to); return;
    case SIM_WAIT_BARRIER:
    case SIM_WAIT_KINDS: break;
    }
    assert(!"a wait of another kind");
}

/* The last instruction of a warp that ended in cycle `at` without having come to barrier number `barrier`; or
 * NULL. */
static const struct executed *ended_at(const struct critical_chain *chain, const struct executed_block *block,
                                       uint32_t barrier, cycles at) {
    for (uint32_t w = 0; w < block->warp_ends.count; w++) {
        const struct executed *end = at_index(chain, block->warp_ends.items[w]);
        const uint32_t last = w < block->barriers.count ? block->barriers.items[w] : RECORD_NONE;
        const bool came = last != RECORD_NONE && last >= barrier;
        if (end != NULL && !came && executed_end(end) == at) return end;
    }
    return NULL;
}

/* A warp was held by the barrier `own` until cycle `opened`: the instruction of the warp that it waited for.
 * The cycles since then are the barrier's own. */
static const struct executed *last_at_barrier(const struct critical_chain *chain,
                                              const struct executed_block *block, const struct executed *own,
                                              cycles opened) {
    const cycles came = cycles_sub(opened, chain->machine->barrier_release);
    const struct executed *last = at_index(chain, block->arrivals.items[own->barrier]);
    if (executed_end(last) < came) {
        /* A warp that has ended was the last that could have come. */
        const struct executed *ended = ended_at(chain, block, own->barrier, came);
        if (ended != NULL) last = ended;
    }
    spend(chain, own, WB_PART_LATENCY, executed_end(last), opened);
    return last;
}

/* The cycles before the issue of an instruction in which it waited; the one that the chain goes on with, or
 * NULL at the start of the block. */
static const struct executed *step_back(const struct critical_chain *chain,
                                        const struct executed_block *block, const struct executed *executed) {
    struct sim_wait waits[SIM_WAIT_KINDS];
    const uint32_t count = sim_waits_of(&executed->event, waits);
    const struct executed *before = at_index(chain, executed->before);
    for (uint32_t i = 0; i < count; i++) {
        if (waits[i].kind == SIM_WAIT_BARRIER && before != NULL && before->barrier != RECORD_NONE) {
            before = last_at_barrier(chain, block, before, waits[i].to);
        } else {
            spend_wait(chain, executed, &waits[i]);
        }
    }
    return before;
}

/* The chain through a block that ends in the cycle of its last result; the cycle in which it starts. */
static cycles walk_block(const struct critical_chain *chain, const struct executed_block *block) {
    const struct executed *executed = at_index(chain, block->last);
    spend_execution(chain, executed, executed->event.issue, executed->event.completion);
    for (;;) {
        const struct executed *before = step_back(chain, block, executed);
        if (before == NULL) return cycles_min(executed->event.issue, executed->event.waits.from);
        /* An instruction that was issued together with the one before it left no cycle for that. */
        spend(chain, before, WB_PART_ISSUE, before->event.issue,
              cycles_min(executed_end(before), executed->event.issue));
        executed = before;
    }
}

/* When the last result of a block is there. */
static cycles block_end(const struct critical_chain *chain, const struct executed_block *block) {
    return at_index(chain, block->last)->event.completion;
}

/* The block that ends last, or NULL when there is none. */
static const struct executed_block *last_block(const struct critical_chain *chain) {
    const struct executed_block *last = NULL;
    for (uint32_t b = 0; b < chain->record->blocks.count; b++) {
        const struct executed_block *block = &chain->record->blocks.items[b];
        if (last == NULL || block_end(chain, block) > block_end(chain, last)) last = block;
    }
    return last;
}

void critical_chain_walk(const struct critical_chain *chain, cycles start, cycles end) {
    const struct executed_block *block = last_block(chain);
    /* An unrecorded block did nothing. */
    spend(chain, NULL, WB_PART_DISPATCH, block == NULL ? start : block_end(chain, block), end);
    while (block != NULL) {
        const cycles began = walk_block(chain, block);
        block = block->before == RECORD_NONE ? NULL : &chain->record->blocks.items[block->before];
        spend(chain, NULL, WB_PART_DISPATCH, block == NULL ? start : block_end(chain, block), began);
    }
}
