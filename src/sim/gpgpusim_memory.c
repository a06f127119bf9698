/* The load/store unit: loads from shared memory, stores, atomics, fences. */
#include "sim/gpgpusim_sm.h"

void gs_lsu_init(struct gs_sm *sm) {
    sm->lsu.dispatch = sm->lsu.next_global = sm->lsu.writing = GS_NONE;
}

bool gs_lsu_busy(const struct gs_sm *sm) {
    const struct gs_lsu *lsu = &sm->lsu;
    return lsu->dispatch != GS_NONE || lsu->writing != GS_NONE || lsu->next_global != GS_NONE ||
           lsu->pipeline.count > 0 || lsu->replies.atomics > 0;
}

/* The pipeline of shared loads has this many stages. */
static uint32_t pipeline_stages(const struct gs_sm *sm) {
    uint32_t latency = sm->timed->machine->shared_latency;
    return latency > 0 ? latency : 1;
}

/* Results can be read; the instruction is over. */
static void finish(struct gs_sm *sm, uint32_t flight) {
    gs_frontend_release(sm, gs_flight_at(sm, flight)->warp, gs_flight_at(sm, flight)->inst);
    gs_complete(sm, flight);
}

/* The instruction being written back, unless a bank of its results is taken in this cycle. An atomic on
 * global memory is written back with every reply. */
static void write_results(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    if (lsu->writing == GS_NONE || !gs_collector_write(sm, lsu->writing, &lsu->written)) return;
    struct gs_flight *flight = gs_flight_at(sm, lsu->writing);
    if (flight->replies <= 1)
        finish(sm, lsu->writing);
    else
        flight->replies--;
    lsu->writing = GS_NONE;
}

/* Takes the next instruction to write back: from the pipeline of shared loads, or an atomic with a reply. Who
 * was not served last is asked first. */
static void choose_results(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    if (lsu->writing != GS_NONE) return;
    const struct gs_due *front = gs_queue_front(&lsu->pipeline);
    bool shared = front != NULL && front->at <= sm->now && lsu->pipeline_free <= sm->now;
    bool global = lsu->next_global != GS_NONE;
    if (!shared && !global) return;
    lsu->written = 0;
    if (global && (lsu->global_first || !shared)) {
        lsu->writing = lsu->next_global;
        lsu->next_global = GS_NONE;
        lsu->global_first = false;
    } else {
        lsu->writing = front->flight;
        gs_queue_pop(&lsu->pipeline);
        lsu->pipeline_free = sm->now + 1;
        lsu->global_first = true;
    }
    const struct gs_flight *flight = gs_flight_at(sm, lsu->writing);
    if (flight->inst->kind == GS_ATOMIC) gs_frontend_reply(sm, flight->warp);
}

/* Hands accesses of a store to the first-level cache, the last ones first, until one finds its bank taken. */
static void hand_on_store(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    uint64_t taken[GPGPUSIM_STORE_BANKS_MAX / 64] = {0};
    uint32_t accepted = 0;
    for (; lsu->sector_count > 0; lsu->sector_count--) {
        uint64_t bank = lsu->sectors[lsu->sector_count - 1] % sm->config->store_banks;
        uint64_t bit = UINT64_C(1) << (bank % 64);
        if (taken[bank / 64] & bit) break;
        taken[bank / 64] |= bit;
        accepted++;
    }
    gs_replies_store(&lsu->replies, sm->now, accepted, sm->config->store_ack_delay, &sm->status);
}

/* The instruction in the dispatch register; whether it leaves. */
static bool work_on(struct gs_sm *sm, uint32_t flight) {
    struct gs_lsu *lsu = &sm->lsu;
    const struct gs_inst *inst = gs_flight_at(sm, flight)->inst;
    if (inst->kind == GS_LOAD_SHARED ||
        (inst->kind == GS_ATOMIC && gs_accesses_shared(gs_flight_at(sm, flight)))) {
        if (lsu->pipeline.count == pipeline_stages(sm)) return false;
        gs_queue_push(&lsu->pipeline, (struct gs_due){sm->now + pipeline_stages(sm), flight, 1}, &sm->status);
        return true;
    }
    if (inst->kind == GS_ATOMIC && lsu->sector_count > 0) {
        gs_replies_atomic(&lsu->replies, sm->now, flight, &sm->status);
        return --lsu->sector_count == 0;
    }
    if (inst->kind == GS_STORE) hand_on_store(sm);
    if (lsu->sector_count > 0) return false;
    finish(sm, flight);
    return true;
}

/* An instruction enters the dispatch register. */
static void start(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    uint32_t flight = sm->units.oc_ex[GPGPUSIM_LSU];
    sm->units.oc_ex[GPGPUSIM_LSU] = GS_NONE;
    sm->units.waiting &= ~(1u << GPGPUSIM_LSU);
    sm->moved = true;
    lsu->dispatch = flight;
    lsu->sector_count = 0;
    const struct gs_flight *at = gs_flight_at(sm, flight);
    if (!gs_accesses_shared(at) && at->inst->kind == GS_STORE)
        lsu->sector_count = gs_store_sectors(sm, at, lsu->sectors);
    else if (at->inst->kind == GS_ATOMIC && !gs_accesses_shared(at))
        lsu->sector_count = at->replies;
    struct sim_event *event = gs_event_of(sm, flight);
    if (event != NULL) event->start = sm->now;
}

void gs_lsu_cycle(struct gs_sm *sm) {
    struct gs_lsu *lsu = &sm->lsu;
    struct gs_replies *replies = &lsu->replies;
    if (gs_lsu_busy(sm)) {
        sm->moved = true;
        gs_replies_advance(replies, sm->now, &sm->status);
        write_results(sm);
        choose_results(sm);
        uint32_t reply = gs_replies_receive(replies, sm->now, lsu->next_global == GS_NONE);
        if (reply != GS_NONE) lsu->next_global = reply;
        gs_replies_send(replies, sm->now, &sm->status);
        replies->done = sm->now + 1;
    }
    if (lsu->dispatch != GS_NONE) {
        uint32_t flight = lsu->dispatch;
        struct sim_event *event = gs_event_of(sm, flight);
        if (event != NULL) event->init_end = sm->now;
        if (work_on(sm, flight)) lsu->dispatch = GS_NONE;
    }
    if (lsu->dispatch == GS_NONE && (sm->units.waiting >> GPGPUSIM_LSU & 1) != 0) start(sm);
}
