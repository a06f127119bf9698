#include "warp/interpret/barrier.h"

#include <inttypes.h>

#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"

/* Hands the result of bar.red to a warp that waited for it. */
static void deliver(struct warp *warp, const struct barrier *barrier) {
    const struct micro *op = warp->waiting_for;
    if (op->form->mode != PTX_MODE_RED) return;
    struct lanes *out = warp_slot(warp, op->destination);
    uint32_t mask = warp->waiting_mask;
    bool holds = op->form->mode2 == PTX_MODE_AND ? barrier->trues == barrier->lanes : barrier->trues != 0;
    if (op->form->mode2 == PTX_MODE_POPC) {
        FOR_LANES_OF(l, mask) out->value[l] = barrier->trues;
    } else {
        out->value[0] = holds ? out->value[0] | mask : out->value[0] & ~(uint64_t)mask;
    }
    out->known |= mask;
    if (!barrier->known) lanes_forget(out, mask, barrier->origin);
}

/* Lets the waiting warps go on when all threads that the barrier expects have arrived. */
static void release_if_complete(struct run *run, struct barrier *barrier) {
    uint32_t needed = barrier->expected;
    if (barrier->arrived == 0) return;
    if (needed == 0) {
        for (uint32_t w = 0; w < run->warp_count; w++)
            needed += run->warps[w].state != WARP_DONE ? run->warp_width : 0;
    }
    if (barrier->arrived < needed) return;
    for (uint32_t w = 0; w < run->warp_count; w++) {
        struct warp *warp = &run->warps[w];
        if (warp->state != WARP_WAITING || &run->barriers[warp->waiting_at] != barrier) continue;
        deliver(warp, barrier);
        warp->state = WARP_RELEASED;
    }
    *barrier = (struct barrier){0};
}

/* The value of a source that all lanes of `mask` have to agree on. */
static wb_status uniform_source(struct warp *warp, const struct micro *op, uint32_t source, uint32_t mask,
                                enum need need, const char *what, uint32_t *value) {
    const struct lanes *lanes = warp_slot(warp, op->source[source]);
    if ((mask & ~lanes->known) != 0)
        return warp_decline(warp, op, op->source[source], mask & ~lanes->known, need);
    *value = (uint32_t)lanes->value[__builtin_ctz(mask)];
    FOR_LANES_OF(l, mask) {
        if (lanes->value[l] == *value) continue;
        return warp_fail(warp, op, WB_ERR_INPUT, "%s differs between the lanes of warp %u", what,
                         warp->number);
    }
    return WB_OK;
}

/* Takes the predicates of one warp into bar.red. */
static void contribute(const struct warp *warp, const struct micro *op, uint32_t mask,
                       struct barrier *barrier) {
    if (op->form->mode != PTX_MODE_RED) return;
    const struct lanes *predicate = warp_slot(warp, op->source[2]);
    barrier->trues += (uint32_t)__builtin_popcount(warp_predicate(warp, op->source[2]) & mask);
    barrier->lanes += (uint32_t)__builtin_popcount(mask);
    uint32_t doubtful = warp->run->cover == NULL ? 0 : mask & cover_unsure(cover_top(warp)->group);
    if ((mask & ~predicate->known) == 0 && doubtful == 0) return;
    barrier->known = false;
    barrier->origin = warp_origin(predicate, op);
}

wb_status barrier_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const uint32_t width = warp->run->warp_width;
    uint32_t number = 0, count = 0;
    if (mask == 0) return WB_OK;
    WB_TRY(uniform_source(warp, op, 0, mask, NEED_BARRIER, "the number of the barrier", &number));
    WB_TRY(uniform_source(warp, op, 1, mask, NEED_THREADS, "the number of threads", &count));
    if (number >= BARRIER_COUNT || count % width != 0)
        return warp_fail(
            warp, op, WB_ERR_INPUT,
            "barrier %u for %u threads: there are %u barriers, and threads are counted by warps of %u",
            number, count, BARRIER_COUNT, width);
    struct barrier *barrier = &warp->run->barriers[number];
    if (barrier->arrived == 0) {
        barrier->expected = count;
        barrier->known = true;
    }
    if (barrier->expected != count)
        return warp_fail(warp, op, WB_ERR_INPUT,
                         "warp %u expects %u threads at barrier %u, others %u (0: all)", warp->number, count,
                         number, barrier->expected);
    if (mask != warp->live) run_assume(warp->run, ASSUMED_WHOLE_WARP_BARRIERS);
    barrier->arrived += width;
    contribute(warp, op, mask, barrier);
    if (op->form->mode != PTX_MODE_ARRIVE) {
        warp->state = WARP_WAITING;
        warp->waiting_at = number;
        warp->waiting_mask = mask;
        warp->waiting_for = op;
    }
    release_if_complete(warp->run, barrier);
    return WB_OK;
}

void barrier_warp_done(struct run *run) {
    for (uint32_t i = 0; i < BARRIER_COUNT; i++)
        if (run->barriers[i].expected == 0) release_if_complete(run, &run->barriers[i]);
}

wb_status barrier_deadlock(const struct run *run) {
    const struct warp *first = NULL;
    for (uint32_t w = 0; w < run->warp_count; w++) {
        const struct warp *warp = &run->warps[w];
        if (warp->state != WARP_WAITING) continue;
        if (first == NULL) {
            const struct barrier *barrier = &run->barriers[warp->waiting_at];
            (void)warp_fail(warp, warp->waiting_for, WB_ERR_INPUT,
                            "deadlock: warp %u waits here for ever, %u threads have arrived at barrier %u",
                            warp->number, barrier->arrived, warp->waiting_at);
            first = warp;
        } else if (warp->waiting_for != first->waiting_for) {
            ptx_diagnose(run->diagnostics, SEVERITY_NOTE, run->module, warp->waiting_for->inst,
                         "warp %u waits here, at barrier %u", warp->number, warp->waiting_at);
        }
    }
    return WB_ERR_INPUT;
}
