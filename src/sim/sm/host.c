#include "sim/sm/sm.h"

#include <assert.h>

#include "sim/sm/host.h"

/* How many cycles pass between two looks at the watch. */
#define WATCH_PERIOD ((cycles)1 << 16)

void sm_host_init(struct sm_host *host, const struct sm_model *model, uint32_t slots, struct arena *arena) {
    host->model = model;
    host->slot_event = CYCLES_SATURATED;
    host->slot_count = slots;
    host->slots = arena_array(arena, slots, sizeof *host->slots);
    host->freed = arena_array(arena, slots, sizeof *host->freed);
    host->oldest_first = arena_array(arena, slots, sizeof *host->oldest_first);
    for (uint32_t s = 0; s < slots; s++) {
        host->slots[s] = (struct sm_slot){.block = SM_NONE, .event_at = CYCLES_SATURATED};
        host->oldest_first[s] = s;
    }
}

void sm_host_place(struct sm_host *host, uint32_t index, uint32_t block, cycles at) {
    assert(index < host->slot_count);
    host->slots[index] = (struct sm_slot){.block = block, .event_at = at};
    host->slot_event = cycles_min(host->slot_event, at);
    uint32_t age = 0;
    while (host->oldest_first[age] != index)
        age++;
    assert(age < host->slot_count && "every slot has an age");
    for (; age + 1 < host->slot_count; age++)
        host->oldest_first[age] = host->oldest_first[age + 1];
    host->oldest_first[age] = index;
}

/* The block can issue from now on. */
static void start_block(struct sm_host *host, struct sm_slot *slot) {
    slot->started = true;
    slot->start = slot->release = slot->commit = slot->event_at;
    slot->event_at = CYCLES_SATURATED;
    if (host->block_times != NULL) host->block_times[slot->block].start = slot->commit;
}

/* The slot is free, and gets the next block of the feed. */
static void end_block(struct sm_host *host, struct sm_slot *slot) {
    const struct sim_block ended = {slot->block, (uint32_t)(slot - host->slots), slot->start, slot->event_at};
    if (host->block_times != NULL) host->block_times[ended.block].end = ended.end;
    if (host->sink != NULL && host->sink->block != NULL) host->sink->block(host->sink->user, &ended);
    host->last_commit = cycles_max(host->last_commit, ended.end);
    *slot = (struct sm_slot){.block = SM_NONE, .event_at = CYCLES_SATURATED};
    if (host->feed.next < host->feed.end) {
        sm_host_place(host, ended.slot, (uint32_t)host->feed.next, ended.end + host->dispatch_latency);
        host->feed.next += host->feed.stride;
    } else {
        host->freed[host->freed_count++] = (struct freed_slot){ended.end, ended.slot};
    }
}

struct sm_slot *sm_host_change(struct sm_host *host) {
    struct sm_slot *due = host->slots;
    for (uint32_t s = 1; s < host->slot_count; s++) {
        if (host->slots[s].event_at < due->event_at) due = &host->slots[s];
    }
    const bool starts = !due->started;
    if (starts)
        start_block(host, due);
    else
        end_block(host, due);
    host->slot_event = CYCLES_SATURATED;
    for (uint32_t s = 0; s < host->slot_count; s++)
        host->slot_event = cycles_min(host->slot_event, host->slots[s].event_at);
    return starts ? due : NULL;
}

wb_status sm_host_run_block(struct sm_host *host, const struct sim_policy *policy, uint64_t total,
                            const wb_watch *watch, wb_diagnostics *diagnostics, wb_simulation *result) {
    sm_host_place(host, 0, 0, 0);
    for (cycles next = 0; next != CYCLES_SATURATED; next = host->model->next(host)) {
        if (watch != NULL && watch->poll != NULL &&
            !watch->poll(watch->user, policy->name, host->executed, total)) {
            diagnose(diagnostics, SEVERITY_ERROR, policy->name, "simulation stopped");
            return WB_ERR_LIMIT;
        }
        const wb_status status = host->model->run(host, cycles_add(next, WATCH_PERIOD));
        if (status == WB_ERR_LIMIT && !host->told) return diagnose_out_of_memory(diagnostics, policy->name);
        WB_TRY(status);
    }
    if (host->slots[0].block != SM_NONE) return diagnose_stuck(diagnostics, policy->name);
    *result = (wb_simulation){.policy = policy->name,
                              .work_conserving = policy->work_conserving,
                              .cycles = host->last_commit,
                              .last_commit = host->last_commit,
                              .last_issue = host->last_issue,
                              .warp_instructions = host->warp_instructions};
    return WB_OK;
}

/* ---- Events of an SM ---- */

/* What is told of the instructions that an SM executes: where and when, and what each has waited for. Nothing
 * here runs while nobody takes it. */

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
    sm->host.told = status != WB_OK;
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

/* ---- Queues of units ---- */

wb_status unit_queue_init(struct unit_queue *queue, uint32_t count, uint32_t depth, struct arena *arena) {
    *queue = (struct unit_queue){.count = count, .depth = depth};
    queue->free_at = arena_array(arena, count, sizeof *queue->free_at);
    if (queue->free_at == NULL) return WB_ERR_LIMIT;
    if (depth == 0 || depth == DEPTH_UNLIMITED) return WB_OK;
    queue->starts = arena_array(arena, depth, sizeof *queue->starts);
    return queue->starts == NULL ? WB_ERR_LIMIT : WB_OK;
}
