/* What is told of the instructions that an SM executes: where and when, and what each has waited for. Nothing
 * here runs while nobody takes it. */
#include "sim/sm/sm.h"

static void make_writers(void *context) {
    struct sm *sm = context;
    for (uint32_t w = 0; w < sm->warp_count; w++)
        sm->warps[w].writers =
            arena_array(&sm->arena, sm->program->code->register_count, sizeof *sm->warps[w].writers);
}

wb_status sm_take_events(struct sm *sm, const struct sim_sink *sink) {
    if (sink == NULL) return WB_OK;
    sm->host.sink = sink;
    return arena_protect(&sm->arena, make_writers, sm);
}

/* The step that wrote a register, be it one of a queue. */
static uint64_t writer_of(const struct sm *sm, const struct sm_warp *warp, uint32_t number) {
    for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
        const struct timed_queue *queue = &sm->program->code->queues[q];
        if (number - queue->first < queue->count) return warp->joined[q][number - queue->first].last;
    }
    return warp->writers[number];
}

void sm_fill_waits(const struct sm *sm, uint32_t index, struct sim_waits *waits) {
    const struct sm_warp *warp = &sm->warps[index];
    const struct timed_inst *inst = warp->head;
    const uint32_t *operands = sm->program->code->operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    *waits = (struct sim_waits){.from = cycles_min(warp->earliest, warp->held_from),
                                .barrier = warp->earliest,
                                .producer = STEP_NONE};
    for (uint32_t i = 0; i < count; i++) {
        const cycles at = warp->ready[operands[i]];
        if (at <= waits->operands) continue;
        waits->operands = at;
        waits->producer = writer_of(sm, warp, operands[i]);
    }
    if (warp->unit == NULL) return;
    waits->fetched = warp->fetched_at;
    if (warp->request != NULL && warp->entries != NULL) waits->entry = warp->entries[warp->next_entry];
    waits->open = warp->unit->opened_at;
}

/* What is the same of all events of a warp's head, which is noted as the writer of its results. */
static void fill_place(const struct sm *sm, uint32_t index, struct sim_event *event) {
    struct sm_warp *warp = &sm->warps[index];
    const struct timed_inst *inst = warp->head;
    const uint32_t *written = sm->program->code->operands + inst->first_operand + inst->source_count;
    event->block = sm->host.slots[warp->slot].block;
    event->slot = warp->slot;
    event->warp = index - warp->slot * sm->program->warp_count;
    event->sub_core = warp->sub_core;
    event->step = warp->step;
    event->instruction = (uint32_t)(inst - sm->program->code->insts);
    event->unit = inst->unit;
    warp->held_from = CYCLES_SATURATED;
    for (uint32_t i = 0; i < inst->destination_count; i++)
        warp->writers[written[i]] = warp->step;
}

wb_status sm_tell_issue(struct sm *sm, uint32_t index, struct sim_event *event) {
    fill_place(sm, index, event);
    event->issue = sm->now;
    const wb_status status = sm->host.sink->event(sm->host.sink->user, event);
    sm->host.stopped_by_sink = status != WB_OK;
    return status;
}

void sm_tell_pass(const struct sm *sm, uint32_t index, cycles at) {
    struct sim_event event = {
        .flight = FLIGHT_NONE, .issue = at, .start = at, .init_end = at, .completion = at};
    sm_fill_waits(sm, index, &event.waits);
    fill_place(sm, index, &event);
    event.completion += sm_latency(sm, index);
    if (sm->host.sink->pass != NULL) sm->host.sink->pass(sm->host.sink->user, &event);
}

uint32_t sim_waits_of(const struct sim_event *event, struct sim_wait spans[SIM_WAIT_KINDS]) {
    const struct sim_waits *waits = &event->waits;
    const cycles until[SIM_WAIT_KINDS] = {
        [SIM_WAIT_BARRIER] = waits->barrier, [SIM_WAIT_RESULT] = waits->operands,
        [SIM_WAIT_FETCH] = waits->fetched,   [SIM_WAIT_CHANNEL] = waits->entry,
        [SIM_WAIT_UNIT] = waits->open,       [SIM_WAIT_TURN] = event->issue,
    };
    uint32_t count = 0;
    cycles at = waits->from;
    for (uint32_t kind = 0; kind < SIM_WAIT_KINDS; kind++) {
        const cycles to = cycles_min(until[kind], event->issue);
        if (to <= at) continue;
        spans[count++] = (struct sim_wait){(enum sim_wait_kind)kind, at, to};
        at = to;
    }
    return count;
}

const char *sim_wait_name(enum sim_wait_kind kind) {
    static const char *const names[SIM_WAIT_KINDS] = {
        [SIM_WAIT_BARRIER] = "barrier", [SIM_WAIT_RESULT] = "result", [SIM_WAIT_FETCH] = "fetch",
        [SIM_WAIT_CHANNEL] = "channel", [SIM_WAIT_UNIT] = "unit",     [SIM_WAIT_TURN] = "turn"};
    return names[kind];
}
