/* The issue stage: instruction buffers, scoreboard, barriers, the choice of the warp. */
#include "sim/gpgpusim_sm.h"

/* Instructions that a fetch puts into an empty instruction buffer. */
#define BUFFERED_MAX 2u

static uint64_t warp_bit(uint32_t warp) {
    return UINT64_C(1) << warp;
}

/* Puts a warp into the set that it belongs to, if nothing keeps it waiting. */
static void consider(struct gs_sm *sm, uint32_t index) {
    struct gs_frontend *frontend = &sm->frontend;
    struct gs_warp *warp = &frontend->warps[index];
    if (warp->ended || warp->at_barrier || warp->atomic > 0) return;
    if (warp->fenced && warp->pending_count > 0) return;
    warp->fenced = false;
    if (warp->stale) {
        frontend->stale |= warp_bit(index);
        return;
    }
    const uint32_t *checked = gs_checked(&sm->code, warp->head);
    for (uint32_t i = 0; i < warp->head->checked_count; i++) {
        if (warp->pending[checked[i]] == 0) continue;
        warp->blocked_on = checked[i];
        return;
    }
    warp->blocked_on = GS_NONE;
    frontend->ready[warp->head->unit] |= warp_bit(index);
}

void gs_frontend_release(struct gs_sm *sm, uint32_t index, const struct gs_inst *inst) {
    struct gs_warp *warp = &sm->frontend.warps[index];
    const uint32_t *results = gs_results(&sm->code, inst);
    bool unblocked = false;
    for (uint32_t i = 0; i < inst->result_count; i++) {
        if (warp->pending[results[i]] == 0) continue;
        warp->pending[results[i]] = 0;
        warp->pending_count--;
        unblocked |= warp->blocked_on == results[i];
    }
    if (unblocked || (warp->fenced && warp->pending_count == 0)) consider(sm, index);
}

void gs_frontend_reply(struct gs_sm *sm, uint32_t index) {
    struct gs_warp *warp = &sm->frontend.warps[index];
    if (warp->atomic > 0 && --warp->atomic == 0) consider(sm, index);
}

/* All live warps have reached the barrier: they can issue from the next cycle on. */
static void open_barrier(struct gs_sm *sm) {
    struct gs_frontend *frontend = &sm->frontend;
    if (frontend->arrived == 0 || frontend->arrived < frontend->live) return;
    uint64_t held = frontend->members & ~frontend->running;
    frontend->arrived = 0;
    for (; held != 0; held &= held - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(held);
        if (!frontend->warps[index].at_barrier) continue;
        frontend->warps[index].at_barrier = false;
        frontend->running |= warp_bit(index);
        consider(sm, index);
    }
}

/* Goes on to the next instruction of the path. What is not the next in the text is not in the instruction
 * buffer: fetching it costs a slot (see gs_frontend_issue). */
static void proceed(struct gs_sm *sm, uint32_t index) {
    struct gs_frontend *frontend = &sm->frontend;
    struct gs_warp *warp = &frontend->warps[index];
    uint32_t following = warp->next.instruction + 1;
    warp->blocked_on = GS_NONE;
    if (path_next(&warp->cursor, &warp->next)) {
        warp->step++;
        warp->head = &sm->code.insts[warp->next.instruction];
        warp->stale = warp->next.instruction != following;
        return;
    }
    warp->ended = true;
    frontend->running &= ~warp_bit(index);
    frontend->live--;
    if (!warp->at_barrier) return;
    warp->at_barrier = false;
    frontend->arrived--;
}

/* The records of the accesses of the warp's next instruction. */
static void find_accesses(struct gs_warp *warp, struct gs_flight *flight) {
    while (warp->access < warp->access_end && warp->access->step < warp->step)
        warp->access++;
    const struct access *end = warp->access;
    while (end < warp->access_end && end->step == warp->step)
        end++;
    flight->accesses = warp->access;
    flight->access_count = (uint32_t)(end - warp->access);
}

/* Begins the flight of the warp's next instruction; GS_NONE when memory is exhausted. */
static uint32_t begin_flight(struct gs_sm *sm, uint32_t index) {
    struct gs_warp *warp = &sm->frontend.warps[index];
    struct gs_flight flight = {.inst = warp->head, .warp = index};
    if (warp->head->unit == GPGPUSIM_LSU) find_accesses(warp, &flight);
    if (warp->head->kind == GS_ATOMIC && flight.access_count > 0) {
        bool shared = gs_accesses_shared(&flight);
        flight.replies = shared ? 0 : gs_atomic_accesses(sm, &flight);
        warp->atomic = shared ? 1 : flight.replies;
    }
    return gs_flight_begin(sm, &flight);
}

/* Issues the warp's next instruction. */
static wb_status issue(struct gs_sm *sm, uint32_t index) {
    struct gs_frontend *frontend = &sm->frontend;
    struct gs_warp *warp = &frontend->warps[index];
    const struct gs_inst *inst = warp->head;
    uint32_t number = begin_flight(sm, index);
    if (number == GS_NONE) return WB_ERR_LIMIT;
    frontend->ready[inst->unit] &= ~warp_bit(index);
    sm->collector.id_oc[inst->unit][sm->collector.id_oc_count[inst->unit]++] = number;
    const uint32_t *results = gs_results(&sm->code, inst);
    for (uint32_t i = 0; i < inst->result_count; i++) {
        warp->pending_count += warp->pending[results[i]] == 0;
        warp->pending[results[i]] = 1;
    }
    warp->fenced = inst->kind == GS_FENCE;
    if (inst->barrier) {
        warp->at_barrier = true;
        frontend->running &= ~warp_bit(index);
        frontend->arrived++;
    }
    proceed(sm, index);
    consider(sm, index);
    open_barrier(sm);
    frontend->last = index;
    sm->result.last_issue = sm->now;
    sm->result.warp_instructions += !inst->uncounted;
    sm->executed++;
    return WB_OK;
}

/* The warp flushes its instruction buffer, which is filled anew at the end of the cycle. */
static void flush(struct gs_frontend *frontend, uint32_t index, uint64_t *flushed) {
    frontend->stale &= ~warp_bit(index);
    frontend->warps[index].buffered = BUFFERED_MAX;
    *flushed |= warp_bit(index);
}

/* A warp issues, up to so many instructions as the machine allows of those in its buffer, each on another
 * unit. */
static void take_turn(struct gs_sm *sm, uint32_t index, uint64_t *flushed) {
    struct gs_frontend *frontend = &sm->frontend;
    struct gs_warp *warp = &frontend->warps[index];
    uint32_t units = 0, unit = warp->head->unit;
    for (uint32_t left = sm->timed->machine->issue_per_warp;; left--) {
        units |= UINT32_C(1) << unit;
        sm->status = issue(sm, index);
        if (sm->status != WB_OK || --warp->buffered == 0 || left <= 1) break;
        if ((frontend->stale & warp_bit(index)) != 0) {
            flush(frontend, index, flushed);
            return;
        }
        unit = warp->head->unit;
        if ((frontend->ready[unit] & warp_bit(index)) == 0 || (units >> unit & 1) != 0 ||
            !gs_collector_has_room(sm, unit))
            break;
    }
    if (warp->buffered == 0) warp->buffered = BUFFERED_MAX;
}

/* Warps are asked in the policy's order until one issues. One whose instruction buffer is wrong only flushes
 * it. */
void gs_frontend_issue(struct gs_sm *sm) {
    struct gs_frontend *frontend = &sm->frontend;
    uint64_t open = 0;
    for (uint32_t u = 0; u < GPGPUSIM_UNITS; u++)
        if (gs_collector_has_room(sm, u)) open |= frontend->ready[u];
    uint64_t flushed = 0;
    for (uint64_t candidates = open | frontend->stale; candidates != 0;) {
        const struct policy_view view = {.ready = &candidates,
                                         .running = &frontend->running,
                                         .members = &frontend->members,
                                         .words = 1,
                                         .last = frontend->last};
        uint32_t index = sm->policy->pick(&view);
        if (index == WARP_NONE) break;
        sm->moved = true;
        if ((frontend->stale & warp_bit(index)) == 0) {
            take_turn(sm, index, &flushed);
            break;
        }
        flush(frontend, index, &flushed);
        candidates &= ~warp_bit(index);
    }
    for (; flushed != 0; flushed &= flushed - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(flushed);
        frontend->warps[index].stale = false;
        consider(sm, index);
    }
}

bool gs_frontend_init(struct gs_sm *sm) {
    struct gs_frontend *frontend = &sm->frontend;
    const struct timed_block *timed = sm->timed;
    frontend->warps = arena_array(&sm->arena, timed->warp_count, sizeof *frontend->warps);
    if (frontend->warps == NULL) return false;
    frontend->last = WARP_NONE;
    frontend->live = timed->warp_count;
    for (uint32_t w = 0; w < timed->warp_count; w++) {
        struct gs_warp *warp = &frontend->warps[w];
        const struct path *path = &timed->paths[timed->warp_path[w]];
        const struct access_list *accesses = &sm->block->accesses[w];
        warp->cursor = path_begin(path);
        warp->access = accesses->items.items;
        warp->access_end = accesses->items.count > 0 ? warp->access + accesses->items.count : warp->access;
        warp->pending = arena_alloc(&sm->arena, (size_t)sm->code.register_count + 1);
        if (warp->pending == NULL) return false;
        frontend->members |= warp_bit(w);
        frontend->running |= warp_bit(w);
        sm->total += path->length;
        proceed(sm, w);
        warp->step = 0;
        warp->stale = false;
        warp->buffered = BUFFERED_MAX;
        consider(sm, w);
    }
    return true;
}
