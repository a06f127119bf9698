#include "warp/interpret/execute.h"

#include <assert.h>

#define PARTS_AT_BARRIER "parts of a warp come to this barrier one after another: that is not modelled"

static struct simt_entry *top_of(const struct warp *warp) {
    assert(warp->stack.count > warp->frame->stack_base);
    return &warp->stack.items[warp->stack.count - 1];
}

void meeting_side_first(const struct warp *warp, struct side *sides, uint32_t count) {
    if (!warp_is_machine_code(warp)) return;
    for (uint32_t i = 1; i < count; i++) {
        if (warp->frame->code->micros[sides[i].pc].execute != bsync_execute) continue;
        const struct side side = sides[i];
        memmove(&sides[1], &sides[0], i * sizeof *sides);
        sides[0] = side;
        return;
    }
}

wb_status meeting_needs_all(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (mask == top_of(warp)->mask) return WB_OK;
    return warp_fail(warp, op, WB_ERR_DECLINED,
                     "its guard is false in some lanes of warp %u: its meaning is then unknown",
                     warp->number);
}

/* ---- BSSY and BSYNC ---- */

wb_status bssy_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    if (mask == 0) return WB_OK;
    WB_TRY(meeting_needs_all(warp, op, mask));
    struct simt_entry *top = top_of(warp);
    const struct simt_entry inside = *top;
    warp->sets[op->meeting.set] = mask;
    top->pc = op->meeting.target;
    top->mask = 0;
    top->wait = SIMT_BSYNC;
    top->set = op->meeting.set;
    return vec_push(&warp->stack, inside) == WB_OK ? WB_OK : warp_no_memory(warp, op);
}

size_t meeting_of(const struct warp *warp, uint32_t set, uint32_t pc) {
    for (size_t i = warp->stack.count - 1; i-- > warp->frame->stack_base;) {
        const struct simt_entry *entry = &warp->stack.items[i];
        if (entry->wait == SIMT_BSYNC && entry->set == set && entry->pc == pc) return i;
    }
    return SIZE_MAX;
}

/* The lanes of the top entry go on in another one, below it. */
static void meet(struct warp *warp, size_t meeting) {
    warp->stack.items[meeting].mask |= top_of(warp)->mask;
    warp->stack.count--;
}

wb_status bsync_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const uint32_t set = op->meeting.set;
    if (mask == 0) return WB_OK;
    WB_TRY(meeting_needs_all(warp, op, mask));
    const size_t meeting = meeting_of(warp, set, top_of(warp)->pc);
    if (meeting == SIZE_MAX && (warp->sets[set] & warp->live & ~mask) == 0) return WB_OK;
    if (meeting == SIZE_MAX || (mask & ~warp->sets[set]) != 0)
        return warp_fail(
            warp, op, WB_ERR_DECLINED,
            "lane %u of warp %u comes here, where lanes of B%u meet, but no BSSY has put it there",
            (uint32_t)__builtin_ctz(mask), warp->number, set);
    meet(warp, meeting);
    return WB_OK;
}

wb_status meeting_end(struct warp *warp, struct simt_entry *top) {
    const uint32_t expected = top->wait == SIMT_BSYNC ? warp->sets[top->set] : top->expected;
    const uint32_t absent = expected & warp->live & ~top->mask;
    const struct micro *op = &warp->frame->code->micros[top->wait == SIMT_BAR ? top->pc : top->pc - 1];
    if (absent != 0)
        return warp_fail(warp, op, WB_ERR_DECLINED,
                         "lane %u of warp %u waits here for lane %u, which went another way and can continue "
                         "only after it",
                         (uint32_t)__builtin_ctz(top->mask), warp->number, (uint32_t)__builtin_ctz(absent));
    top->wait = SIMT_RUNS;
    return WB_OK;
}

/* ---- The sets ---- */

/* Nobody will come any more where the lanes of the top entry were to meet: they go on in its place. */
static void drop_meeting(struct warp *warp, uint32_t set) {
    const size_t top = warp->stack.count - 1;
    if (top == warp->frame->stack_base) return;
    struct simt_entry *below = &warp->stack.items[top - 1];
    if (below->wait != SIMT_BSYNC || below->set != set || below->mask != 0) return;
    *below = warp->stack.items[top];
    warp->stack.count--;
}

wb_status break_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const uint32_t set = op->meeting.set;
    warp->sets[set] &= ~mask;
    if ((warp->sets[set] & warp->live) == 0 && mask == top_of(warp)->mask) drop_meeting(warp, set);
    return WB_OK;
}

wb_status bmov_get_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    struct lanes *out = warp_slot(warp, op->destination);
    FOR_LANES_OF(l, mask) out->value[l] = warp->sets[op->meeting.set];
    out->known |= mask;
    return WB_OK;
}

wb_status bmov_set_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    uint32_t value;
    if (mask == 0) return WB_OK;
    if (!lanes_agree(warp_slot(warp, op->source[1]), mask, &value))
        return warp_fail(warp, op, WB_ERR_DECLINED, "the lanes that warp %u puts into B%u here are unknown",
                         warp->number, op->meeting.set);
    warp->sets[op->meeting.set] = value;
    return WB_OK;
}

/* An unknown mask names those that are here, as in warpsync_execute, and so does one of lanes that are only
 * maybe here. */
wb_status divided_unsure(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    const struct lanes *wanted = warp_slot(warp, op->source[0]);
    struct lanes *out = warp_slot(warp, op->destination);
    if (((mask | unsure) & ~wanted->known) != 0 || unsure != 0) run_assume_members(warp->run);
    FOR_LANES_OF(l, mask | unsure) {
        const bool is_known = (wanted->known >> l & 1) != 0;
        const bool divided = is_known && ((wanted->value[l] ^ mask) & warp->live & ~unsure) != 0;
        out->value[0] = (out->value[0] & ~(UINT64_C(1) << l)) | (uint64_t)divided << l;
    }
    out->known |= mask | unsure;
    return WB_OK;
}

wb_status divided_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    return divided_unsure(warp, op, mask, 0);
}

/* ---- WARPSYNC and BAR ---- */

/* The top entry waits for the lanes of `expected` that are in entries below it. */
static wb_status wait_below(struct warp *warp, const struct micro *op, enum simt_wait wait,
                            uint32_t expected) {
    struct simt_entry waiting = *top_of(warp);
    const uint32_t absent = expected & warp->live & ~waiting.mask;
    size_t at = warp->frame->stack_base;
    if (wait == SIMT_BAR) waiting.pc--;
    for (size_t i = at; i < warp->stack.count - 1; i++) {
        struct simt_entry *entry = &warp->stack.items[i];
        if (entry->wait != wait || entry->pc != waiting.pc || entry->expected != expected) continue;
        meet(warp, i);
        return WB_OK;
    }
    while (at < warp->stack.count - 1 && (warp->stack.items[at].mask & absent) == 0)
        at++;
    if (at == warp->stack.count - 1)
        return warp_fail(warp, op, WB_ERR_DECLINED, "warp %u waits here for lanes that are nowhere",
                         warp->number);
    memmove(&warp->stack.items[at + 1], &warp->stack.items[at],
            (warp->stack.count - 1 - at) * sizeof *warp->stack.items);
    waiting.wait = (uint8_t)wait;
    waiting.expected = expected;
    warp->stack.items[at] = waiting;
    return WB_OK;
}

wb_status warpsync_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes *given = warp_slot(warp, op->source[0]);
    uint32_t absent = 0, expected;
    if (mask == 0) return WB_OK;
    if ((mask & ~given->known) != 0) {
        run_assume_members(warp->run);
        return WB_OK;
    }
    FOR_LANES_OF(l, mask) absent |= (uint32_t)given->value[l] & warp->live & ~mask;
    if (absent == 0) return WB_OK;
    WB_TRY(meeting_needs_all(warp, op, mask));
    if (!lanes_agree(given, mask, &expected))
        return warp_fail(warp, op, WB_ERR_DECLINED,
                         "lanes of warp %u wait here for different other lanes: that is not modelled",
                         warp->number);
    return wait_below(warp, op, SIMT_WARPSYNC, expected);
}

/* Behind WARPSYNC.EXCLUSIVE and .COLLECTIVE the lanes of a mask go on without others that are here. */
wb_status alone_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes *given = warp_slot(warp, op->source[0]);
    warp->run->guessed |= (mask & ~given->known) != 0;
    FOR_LANES_OF(l, mask & given->known)
    if ((mask & ~(uint32_t)given->value[l]) != 0)
        return warp_fail(warp, op, WB_ERR_DECLINED,
                         "lanes of warp %u that are together continue in parts here, each with its own "
                         "exchange: that is not modelled",
                         warp->number);
    return WB_OK;
}

wb_status collective_of_parts(struct warp *warp, const struct micro *op, uint32_t absent) {
    return warp_fail(warp, op, WB_ERR_DECLINED,
                     "warp %u comes here without lane %u, with which it exchanges values: it is unknown "
                     "whether parts of a warp continue together after that",
                     warp->number, (uint32_t)__builtin_ctz(absent));
}

/* Lanes that come here in several parts are together for one exchange. Whether they go on together is not
 * known, and so are not the instructions that they issue. */
wb_status collective_execute(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes *given = warp_slot(warp, op->source[0]);
    FOR_LANES_OF(l, mask & given->known) {
        const uint32_t absent = (uint32_t)given->value[l] & warp->live & ~mask;
        if (absent != 0) return collective_of_parts(warp, op, absent);
    }
    return warpsync_execute(warp, op, mask);
}

wb_status meeting_before_barrier(struct warp *warp, const struct micro *op, uint32_t mask, bool *waits) {
    *waits = mask != warp->live && mask == top_of(warp)->mask;
    if (!*waits) return WB_OK;
    notes_unmodelled(&warp->run->notes, op->index, PARTS_AT_BARRIER);
    warp->replayed = true;
    return wait_below(warp, op, SIMT_BAR, warp->live);
}
