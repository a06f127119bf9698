#include "sim/sm/host.h"

#include <assert.h>

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
        if (status == WB_ERR_LIMIT && !host->stopped_by_sink)
            return diagnose_out_of_memory(diagnostics, policy->name);
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
