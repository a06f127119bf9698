/* Warps: program order, operands, barriers, and the queues of instructions that wait for others in groups. */
#include <assert.h>
#include <string.h>

#include "sim/sm/sm.h"

/* When all operands of the warp's next instruction can be read: sources and, as a result must not overtake an
 * older one, destinations. CYCLES_SATURATED while that is not known. */
static cycles sm_operands_at(const struct sm *sm, const struct sm_warp *warp) {
    const struct timed_inst *inst = warp->head;
    const uint32_t *operands = sm->program->code->operands + inst->first_operand;
    uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    cycles at = 0;
    for (uint32_t i = 0; i < count; i++)
        at = cycles_max(at, warp->ready[operands[i]]);
    return at;
}

/* The next memory instruction of the warp, which has its operands from cycle `at` on, needs an entry of the
 * warp's channel: when it has both. */
static cycles sm_entry_at(struct sm *sm, const struct sm_warp *warp, cycles at) {
    cycles entry = warp->entries[warp->next_entry];
    if (at == CYCLES_SATURATED || entry == CYCLES_SATURATED) return CYCLES_SATURATED;
    sm->channel_waits += cycles_sub(entry, at);
    return cycles_max(at, entry);
}

void sm_land(struct sm *sm, uint32_t slot, cycles completion) {
    sm->host.slots[slot].commit = cycles_max(sm->host.slots[slot].commit, completion);
    sm->host.slots[slot].flights--;
    sm_host_settle(&sm->host, &sm->host.slots[slot]);
}

/* Leaves the warp held by a barrier, which it reached in cycle warp->earliest. */
static void sm_arrive(struct sm *sm, uint32_t index) {
    struct sm_warp *warp = &sm->warps[index];
    struct sm_slot *slot = &sm->host.slots[warp->slot];
    warp->at_barrier = true;
    sm->turn.left = 0;
    warp_set_remove(sm->running, index);
    slot->release = cycles_max(slot->release, warp->earliest);
    slot->arrived++;
}

static void sm_end_warp(struct sm *sm, uint32_t index) {
    struct sm_warp *warp = &sm->warps[index];
    struct sm_slot *slot = &sm->host.slots[warp->slot];
    warp_set_remove(sm->running, index);
    slot->release = cycles_max(slot->release, warp->earliest);
    slot->live--;
}

/* Reads the warp's next instruction and its accesses, which follow one another on the unit; false at the end.
 */
static bool sm_read_head(const struct sm *sm, struct sm_warp *warp) {
    struct path_step step;
    if (!path_next(&warp->cursor, &step)) return false;
    const struct timed_inst *inst = &sm->program->code->insts[step.instruction];
    warp->head = inst;
    warp->unit = inst->unit == UNIT_NONE ? NULL : warp->unit_of[inst->unit];
    warp->busy = inst->init;
    sm->places[warp - sm->warps] = (struct policy_warp){warp->step, inst->unit};
    warp->request = NULL;
    if (warp->access == warp->access_end || warp->access->step != warp->step) return true;
    warp->busy = 0;
    do {
        warp->busy += warp->access->cycles;
        if (warp->access->kind != TRAFFIC_ON_CHIP && sm->memory != NULL) warp->request = warp->access;
    } while (++warp->access < warp->access_end && warp->access->step == warp->step);
    return true;
}

/* The warp's head, which has no unit, is executed in cycle `at`; whether the warp goes on. What follows does
 * not issue together with what came before. */
static bool sm_execute(struct sm *sm, uint32_t index, cycles at) {
    struct sm_warp *warp = &sm->warps[index];
    const bool barrier = warp->head->barrier;
    sm->turn.left = 0;
    if (sm->host.sink != NULL) sm_tell_pass(sm, index, at);
    warp->earliest = at;
    sm_complete(sm, warp, at + sm_latency(sm, index));
    warp->step++;
    if (barrier) sm_arrive(sm, index);
    return !barrier;
}

/* Whether the head of the warp, which has its operands from cycle `operands` on, is issued together with the
 * instruction before it. */
static bool sm_joins_turn(const struct sm *sm, uint32_t index, cycles operands) {
    const struct sm_warp *warp = &sm->warps[index];
    if (sm->turn.left == 0 || sm->turn.warp != index || operands > sm->now) return false;
    if (warp->unit->closed || (sm->turn.units >> warp->head->unit & 1) != 0) return false;
    return warp->request == NULL || warp->entries == NULL || warp->entries[warp->next_entry] <= sm->now;
}

/* Lets the warp wait for what its head needs. An instruction without a unit is executed instead when nothing
 * is missing: true if the warp goes on. */
static bool sm_await(struct sm *sm, uint32_t index) {
    struct sm_warp *warp = &sm->warps[index];
    cycles operands = sm_operands_at(sm, warp), at = cycles_max(warp->earliest, operands);
    if (warp->unit == NULL && (operands == 0 || operands < warp->earliest)) return sm_execute(sm, index, at);
    if (warp->unit != NULL && sm_joins_turn(sm, index, cycles_max(operands, warp->fetched_at))) {
        warp_set_add(warp->unit->waiting, index);
        warp_set_add(sm->ready, index);
        return false;
    }
    at = cycles_max(at, warp->fetched_at);
    if (warp->request != NULL && warp->entries != NULL) at = sm_entry_at(sm, warp, at);
    warp->blocked = at == CYCLES_SATURATED;
    if (!warp->blocked) heap_push(warp->unit == NULL ? &sm->passes : &sm->wakes, at, 0, index);
    return false;
}

/* Goes on to the next instruction that has to wait for something. */
static void sm_proceed(struct sm *sm, uint32_t index) {
    do {
        if (!sm_read_head(sm, &sm->warps[index])) {
            sm_end_warp(sm, index);
            return;
        }
        if (sm->ifetch != NULL) sm_ifetch_ask(sm, index);
    } while (sm_await(sm, index));
}

/* Opens the block's barrier while every live warp is held by it, and notes when the block has ended. */
static void sm_settle(struct sm *sm, struct sm_slot *slot) {
    uint32_t first = (uint32_t)(slot - sm->host.slots) * sm->program->warp_count;
    while (slot->live > 0 && slot->arrived == slot->live) {
        slot->arrived = 0;
        cycles release = slot->release + sm->program->machine->barrier_release;
        for (uint32_t w = first; w < first + sm->program->warp_count; w++) {
            struct sm_warp *warp = &sm->warps[w];
            if (!warp->at_barrier) continue;
            warp->at_barrier = false;
            warp->held_from = warp->earliest;
            warp->earliest = release;
            warp_set_add(sm->running, w);
            sm_proceed(sm, w);
        }
    }
    sm_host_settle(&sm->host, slot);
}

void sm_advance(struct sm *sm, uint32_t index) {
    struct sm_warp *warp = &sm->warps[index];
    warp->step++;
    warp->earliest = sm->now + 1;
    if (warp->head->barrier) {
        sm_arrive(sm, index);
    } else {
        sm_proceed(sm, index);
    }
    struct sm_slot *slot = &sm->host.slots[warp->slot];
    assert(slot->arrived <= slot->live);
    if (slot->arrived == slot->live) sm_settle(sm, slot);
}

void sm_unblock(struct sm *sm, uint32_t index) {
    if (sm->warps[index].blocked) (void)sm_await(sm, index);
}

void sm_pass(struct sm *sm, struct heap_item pass) {
    if (sm_execute(sm, pass.id, pass.key)) sm_proceed(sm, pass.id);
    sm_settle(sm, &sm->host.slots[sm->warps[pass.id].slot]);
}

/* Puts a warp at the start of its path. */
static void sm_rewind(struct sm *sm, struct sm_warp *warp, uint32_t block, uint32_t index) {
    const struct sm_program *program = sm->program;
    const struct path *path;
    warp->step = 0;
    warp->buffer_from = warp->buffer_end = 0;
    warp->pattern = NULL;
    warp->access = warp->access_end = NULL;
    if (program->block != NULL) {
        path = &program->block->paths[program->block->warp_path[index]];
    } else {
        path = grid_path_of(program->traffic->grid, block, index);
        warp->pattern = traffic_pattern_of(program->traffic, block, index);
        warp->access = warp->pattern->accesses;
        warp->access_end = warp->access + warp->pattern->access_count;
    }
    warp->cursor = path_begin(path);
    memset(warp->ready, 0, program->code->register_count * sizeof *warp->ready);
    for (uint32_t q = 0; q < QUEUE_COUNT; q++)
        memset(warp->joined[q], 0, program->code->queues[q].count * sizeof *warp->joined[q]);
    memset(warp->commits, 0, sizeof warp->commits);
    warp->held_from = CYCLES_SATURATED;
    if (warp->writers == NULL) return;
    for (uint32_t r = 0; r < program->code->register_count; r++)
        warp->writers[r] = STEP_NONE;
}

void sm_begin_warps(struct sm *sm, struct sm_slot *slot) {
    uint32_t first = (uint32_t)(slot - sm->host.slots) * sm->program->warp_count;
    uint32_t end = first + sm->program->warp_count;
    slot->live = sm->program->warp_count;
    for (uint32_t w = first; w < end; w++) {
        sm_rewind(sm, &sm->warps[w], slot->block, w - first);
        sm->warps[w].earliest = slot->release;
        warp_set_add(sm->running, w);
    }
    for (uint32_t w = first; w < end; w++)
        sm_proceed(sm, w);
    sm_settle(sm, slot);
}

/* Register j of queue q can be read when what it stands for is complete. */
static void sm_settle_joined(const struct sm *sm, struct sm_warp *warp, uint32_t q, uint32_t j) {
    const struct sm_joined *joined = &warp->joined[q][j];
    warp->ready[sm->program->code->queues[q].first + j] =
        joined->unknown > 0 ? CYCLES_SATURATED : joined->known;
}

/* The instruction of step `step`, which joined, completes in cycle `at`. */
static void sm_complete_joined(struct sm_joined *joined, uint64_t step, cycles at) {
    if (at < joined->known) return;
    joined->known = at;
    joined->last = step;
}

void sm_join_queues(const struct sm *sm, struct sm_warp *warp, cycles at) {
    const struct timed_inst *inst = warp->head;
    for (uint32_t q = 0; (inst->joins | inst->commits) >> q != 0; q++) {
        const struct timed_queue *queue = &sm->program->code->queues[q];
        if (queue->count == 0) continue;
        struct sm_joined *all = warp->joined[q];
        if (inst->joins >> q & 1) {
            if (at == CYCLES_SATURATED)
                all->unknown++;
            else
                sm_complete_joined(all, warp->step, at);
            sm_settle_joined(sm, warp, q, 0);
        }
        if ((inst->commits >> q & 1) == 0) continue;
        warp->commits[q]++;
        for (uint32_t j = queue->count; j-- > 1;) {
            all[j] = all[j - 1];
            sm_settle_joined(sm, warp, q, j);
        }
    }
}

void sm_know_joined(const struct sm *sm, struct sm_warp *warp, const struct timed_inst *inst, uint64_t step,
                    const uint64_t commits[QUEUE_COUNT], cycles at) {
    for (uint32_t q = 0; inst->joins >> q != 0; q++) {
        const struct timed_queue *queue = &sm->program->code->queues[q];
        if ((inst->joins >> q & 1) == 0) continue;
        for (uint32_t j = 0; j < queue->count && j <= warp->commits[q] - commits[q]; j++) {
            struct sm_joined *joined = &warp->joined[q][j];
            joined->unknown--;
            sm_complete_joined(joined, step, at);
            sm_settle_joined(sm, warp, q, j);
        }
    }
}
