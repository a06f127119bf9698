/* Where lanes of machine code meet in a covering run (docs/convergence.md): at BSYNC of a set that was opened
 * before, and at the post-dominators of branches that cannot part lanes which execute them together: these
 * are there together whichever side it is.
 *
 * Which lanes are in a set is not known here. Lanes may leave it (BREAK) on one side of a branch that an
 * unknown value decides; they then go on in an entry further below than the one that waits for them, and are
 * no longer certain to be in that. */

#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"

/* Lanes that entries above entry `base`, the top one aside, will execute or have kept. */
static uint32_t lanes_above(const struct warp *warp, size_t base) {
    uint32_t lanes = 0;
    for (size_t i = base + 1; i + 1 < warp->stack.count; i++)
        lanes |= warp->stack.items[i].mask;
    return lanes;
}

/* Lanes do not go on where they were expected to. Those that do are then a part of the lanes that came to a
 * branch, and do not meet its other sides. */
static void mark_passed_by(struct warp *warp, size_t meeting, uint32_t lanes) {
    for (size_t i = meeting + 1; i + 1 < warp->stack.count; i++) {
        struct simt_entry *entry = &warp->stack.items[i];
        if (entry->wait == SIMT_RUNS) continue;
        entry->group->maybe |= lanes;
        entry->group->split |= lanes;
        entry->reconvergence = PTX_NO_INDEX;
    }
}

wb_status cover_meet_below(struct warp *warp, size_t meeting) {
    const struct simt_entry *top = cover_top(warp);
    struct simt_entry *entry = &warp->stack.items[meeting];
    const uint32_t alone = top->mask & ~entry->mask & ~lanes_above(warp, meeting);
    mark_passed_by(warp, meeting, top->mask);
    /* The registers of lanes that come only from here stay where they are. */
    WB_TRY(cover_meet(warp, meeting, top->mask & ~alone, top->group));
    entry->mask |= alone;
    return WB_OK;
}

uint32_t cover_next_meeting(const struct warp *warp) {
    const struct cover_function *function = cover_function_of(warp);
    const uint32_t block = cover_node_of(function, cover_top(warp)->group->from);
    const uint32_t behind = function->post_dominators.parent[block];
    if (!function->parts[block])
        return behind == function->cfg.exit ? PTX_NO_INDEX : function->cfg.blocks[behind].first;
    for (size_t i = warp->stack.count - 1; i-- > warp->frame->stack_base;)
        if (warp->stack.items[i].wait == SIMT_BSYNC) return warp->stack.items[i].pc;
    return PTX_NO_INDEX;
}

/* Lets an entry wait where sides of a branch that parts nobody meet. */
static void meet_behind(struct warp *warp, struct division *division) {
    struct simt_entry *entry = cover_top(warp);
    division->meeting = warp->stack.count - 1;
    if (division->meets_at == entry->reconvergence)
        division->meeting = cover_meeting(warp, division->meeting, division->meets_at);
    if (division->meeting != warp->stack.count - 1) {
        mark_passed_by(warp, division->meeting, entry->mask);
        cover_group_free(entry);
        warp->stack.count--;
    } else {
        entry->pc = division->meets_at;
        entry->mask = 0;
        entry->wait = SIMT_SIDES;
    }
    division->until_meeting = division->meeting;
    division->until = division->meets_at;
}

void cover_part(struct warp *warp, struct division *division) {
    const struct cover_function *function = cover_function_of(warp);
    struct simt_entry *entry = cover_top(warp);
    const bool parts = function->parts[cover_node_of(function, entry->group->from)];
    division->meets_at = parts ? PTX_NO_INDEX : cover_next_meeting(warp);
    if (division->meets_at != PTX_NO_INDEX) {
        meet_behind(warp, division);
        return;
    }
    meeting_side_first(warp, division->sides, division->count);
    division->until = PTX_NO_INDEX;
    division->meeting = division->until_meeting = SIZE_MAX;
    cover_group_free(entry);
    warp->stack.count--;
}

static wb_status open_meeting(struct warp *warp, const struct micro *op) {
    struct simt_entry inside = *cover_top(warp), *waiting = cover_top(warp);
    inside.group = cover_group_clone(warp, waiting->group);
    if (inside.group == NULL) return warp_no_memory(warp, op);
    waiting->pc = op->meeting.target;
    waiting->mask = 0;
    waiting->wait = SIMT_BSYNC;
    waiting->set = op->meeting.set;
    if (vec_push(&warp->stack, inside) == WB_OK) return WB_OK;
    free(inside.group);
    return warp_no_memory(warp, op);
}

static wb_status come_to_meeting(struct warp *warp, const struct micro *op) {
    const size_t meeting = meeting_of(warp, op->meeting.set, cover_top(warp)->pc);
    if (meeting == SIZE_MAX)
        return warp_fail(
            warp, op, WB_ERR_DECLINED,
            "lanes of warp %u come here, where lanes of B%u meet, but no BSSY has put them there",
            warp->number, op->meeting.set);
    WB_TRY(cover_meet_below(warp, meeting));
    cover_top(warp)->mask = 0;
    return WB_OK;
}

/* All lanes of the top entry leave a set: where nobody else will come, nobody is waited for. */
static void leave_meeting(struct warp *warp, uint32_t set) {
    const size_t top = warp->stack.count - 1;
    struct simt_entry *below = top == warp->frame->stack_base ? NULL : &warp->stack.items[top - 1];
    if (below == NULL || below->wait != SIMT_BSYNC || below->set != set || below->mask != 0) return;
    cover_group_free(below);
    *below = warp->stack.items[top];
    warp->stack.count--;
}

/* The lowest entry that has lanes of a mask, of those that are not waited for where the top one will meet
 * others; SIZE_MAX: none. */
static size_t lowest_with(const struct warp *warp, uint32_t lanes) {
    size_t lowest = SIZE_MAX;
    for (size_t i = warp->stack.count - 1; i-- > warp->frame->stack_base;) {
        const struct simt_entry *entry = &warp->stack.items[i];
        if (entry->wait == SIMT_BSYNC || entry->wait == SIMT_SIDES) break;
        if ((entry->mask & lanes) != 0) lowest = i;
    }
    return lowest;
}

/* The top entry waits below entry `at`, for lanes of that and of those above it; or where others already do.
 */
static wb_status wait_for_parts(struct warp *warp, const struct micro *op, size_t at, uint32_t expected) {
    const struct simt_entry *there = &warp->stack.items[at];
    if (there->wait != SIMT_WARPSYNC || there->pc != cover_top(warp)->pc || there->expected != expected) {
        struct simt_entry waiting = *cover_top(warp);
        waiting.group = cover_group_clone(warp, waiting.group);
        waiting.mask = 0;
        waiting.wait = SIMT_WARPSYNC;
        waiting.expected = expected;
        waiting.reconvergence = PTX_NO_INDEX;
        if (waiting.group == NULL || vec_push(&warp->stack, waiting) != WB_OK) {
            free(waiting.group);
            return warp_no_memory(warp, op);
        }
        memmove(&warp->stack.items[at + 1], &warp->stack.items[at],
                (warp->stack.count - 1 - at) * sizeof *warp->stack.items);
        warp->stack.items[at] = waiting;
    }
    WB_TRY(cover_meet_below(warp, at));
    cover_top(warp)->mask = 0;
    return WB_OK;
}

wb_status cover_parts_met(struct warp *warp) {
    const struct simt_entry *top = cover_top(warp);
    const uint32_t absent = top->expected & warp->live & ~top->mask;
    if (top->wait != SIMT_WARPSYNC || absent == 0) return WB_OK;
    return warp_fail(warp, &warp->frame->code->micros[top->pc - 1], WB_ERR_DECLINED,
                     "lanes of warp %u wait here for lane %u, which goes another way", warp->number,
                     (uint32_t)__builtin_ctz(absent));
}

/* Whether lanes of a mask are in entries that are not waited for by, or sides besides, the top one. */
static bool parts_are_pending(const struct warp *warp, uint32_t lanes) {
    for (size_t i = warp->frame->stack_base; i + 1 < warp->stack.count; i++) {
        const struct simt_entry *entry = &warp->stack.items[i];
        if (entry->wait != SIMT_BSYNC && entry->wait != SIMT_SIDES && (entry->mask & lanes) != 0) return true;
    }
    return false;
}

/* Lanes that wait for others of a mask, where some certainly are elsewhere or the mask names all. Else the
 * mask is taken to name those that are there. */
static wb_status come_to_warpsync(struct warp *warp, const struct micro *op, uint32_t mask) {
    const struct lanes *given = warp_slot(warp, op->source[0]);
    const bool collects = op->execute == collective_execute;
    uint32_t absent = 0, expected;
    const bool agree = lanes_agree(given, mask, &expected) && mask == cover_top(warp)->mask;
    if (agree && ((expected & warp->live & ~mask) != 0 || (warp->live & ~expected) == 0)) {
        const size_t at = lowest_with(warp, expected & warp->live);
        if (at != SIZE_MAX && collects)
            return collective_of_parts(warp, op, warp->stack.items[at].mask & expected);
        if (at != SIZE_MAX) return wait_for_parts(warp, op, at, expected);
        if (parts_are_pending(warp, expected)) notes_unmodelled(&warp->run->notes, op->index, ABSENT_MEMBER);
    }
    FOR_LANES_OF(l, mask & given->known) absent |= (uint32_t)given->value[l] & warp->live & ~mask;
    if ((mask & ~given->known) == 0 && absent == 0 && (mask & warp->unsure) == 0) return WB_OK;
    if (collects && (absent & ~warp->unsure) != 0) return collective_of_parts(warp, op, absent);
    run_assume(warp->run, ASSUMED_MEMBERS_TOGETHER);
    if ((absent & ~warp->unsure) != 0) notes_unmodelled(&warp->run->notes, op->index, ABSENT_MEMBER);
    return WB_OK;
}

wb_status cover_meeting_place(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    if (op->execute == break_execute) {
        if (unsure == 0 && mask == cover_top(warp)->mask) leave_meeting(warp, op->meeting.set);
        return WB_OK;
    }
    if (op->execute == bmov_get_execute) {
        warp_forget_outputs(warp, op, mask | unsure, op->index);
        return WB_OK;
    }
    if (op->execute == bmov_set_execute || (mask | unsure) == 0) return WB_OK;
    if (op->execute == warpsync_execute || op->execute == collective_execute)
        return come_to_warpsync(warp, op, mask | unsure);
    if (op->execute == alone_execute) return alone_execute(warp, op, mask | unsure);
    WB_TRY(meeting_needs_all(warp, op, mask));
    return op->execute == bssy_execute ? open_meeting(warp, op) : come_to_meeting(warp, op);
}

wb_status cover_whole_warp(struct warp *warp, const struct micro *op) {
    if (!parts_are_pending(warp, LANES_ALL)) return WB_OK;
    return warp_fail(warp, op, WB_ERR_DECLINED,
                     "part of warp %u comes to this barrier while others are elsewhere: that is not modelled",
                     warp->number);
}
