/* Branches, returns and exits of a covering run. */

#include "warp/cover/cover.h"
#include "warp/interpret/execute.h"

/* Sides that run the iterations of a loop separately double the work each time they are divided again: most
 * of them that are waited for. */
#define SEPARATE_MAX 20u

/* Loops of so few iterations that all ways through them are followed. */
#define SEPARATE_FOLLOWED 4u

/* Notes by which instructions the loops around them are left: whether they end is then known, or not. */
static void note_exits(struct warp *warp, bool known) {
    const struct cover_function *function = cover_function_of(warp);
    const struct loops *loops = &function->loops;
    const struct adjacency *out = &function->cfg.graph.out;
    struct cover_group *group = cover_top(warp)->group;
    struct loop_pass *passes = group->passes;
    uint32_t block = cover_node_of(function, group->from);
    for (uint32_t l = loops->innermost[block]; l != GRAPH_NONE; l = loops->items[l].parent) {
        bool leaves = false;
        for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++)
            leaves |= !loop_contains(loops, l, out->nodes[e]);
        if (!leaves) continue;
        passes[l].decided |= known;
        passes[l].undecided |= !known;
    }
}

/* WB_ERR_DECLINED with a message when an unknown value decides whether lanes go on in a cycle that has no
 * header: nothing says how often they do. */
static wb_status require_headers(const struct warp *warp, const struct micro *op) {
    const struct cover_function *function = cover_function_of(warp);
    const struct loops *loops = &function->loops;
    const struct adjacency *out = &function->cfg.graph.out;
    uint32_t block = cover_node_of(function, cover_top(warp)->group->from);
    uint32_t region = loops->region_of[block];
    if (region == GRAPH_NONE) return WB_OK;
    bool stays = false, leaves = false;
    for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++) {
        uint32_t to = out->nodes[e];
        bool inside = loops->region_of[to] == region && !loop_is_back_edge(&function->dominators, block, to);
        stays |= inside;
        leaves |= !inside;
    }
    if (!stays || !leaves) return WB_OK;
    return warp_fail(
        warp, op, WB_ERR_DECLINED,
        "an unknown value decides here how often a cycle with several entries runs: nothing bounds it");
}

/* Lets sides that end at once arrive where the others will meet them, and opens entries for the others. */
static wb_status open_sides(struct warp *warp, const struct division *division,
                            const struct cover_group *group) {
    uint32_t first = division->count; /* the side that is executed first: its registers stay where they are */
    for (uint32_t i = 0; i < division->count; i++) {
        const uint32_t pc = division->sides[i].pc, lanes = division->sides[i].mask | division->unknown;
        if (pc == division->meets_at)
            WB_TRY(cover_meet(warp, division->meeting, lanes, group));
        else if (pc == division->until)
            WB_TRY(cover_meet(warp, division->until_meeting, lanes, group));
        else if (first == division->count)
            first = i;
    }
    for (uint32_t i = division->count; i-- > 0;) {
        const struct side *side = &division->sides[i];
        if (side->pc == division->meets_at || side->pc == division->until) continue;
        struct simt_entry entry = {.pc = side->pc,
                                   .reconvergence = division->until,
                                   .mask = side->mask | division->unknown,
                                   .group = cover_group_clone(warp, group)};
        if (entry.group == NULL) return run_no_memory(warp->run);
        uint32_t block = cover_node_of(cover_function_of(warp), side->pc);
        wb_status status = WB_OK;
        if (i != first && division->unknown != 0)
            status = lane_state_save(warp, block, division->unknown, &entry.group->state);
        if (status == WB_OK && vec_push(&warp->stack, entry) != WB_OK) status = run_no_memory(warp->run);
        if (status != WB_OK) {
            cover_group_free(&entry);
            return status;
        }
    }
    return WB_OK;
}

/* How many sides go on in the loop around a branch beside the first one, though they meet only behind the
 * loop. */
static uint32_t separate_sides(const struct warp *warp, const struct division *division) {
    const struct cover_function *function = cover_function_of(warp);
    const bool machine = function->parts != NULL;
    uint32_t meets_at = machine ? cover_next_meeting(warp) : division->op->branch.reconvergence, staying = 0;
    uint32_t loop = function->loops.innermost[cover_node_of(function, cover_top(warp)->group->from)];
    if (loop == GRAPH_NONE) return 0;
    if (meets_at != PTX_NO_INDEX && loop_contains(&function->loops, loop, cover_node_of(function, meets_at)))
        return 0;
    for (uint32_t i = 0; i < division->count; i++)
        staying += loop_contains(&function->loops, loop, cover_node_of(function, division->sides[i].pc));
    return staying > 1 ? staying - 1 : 0;
}

/* Whether such sides are to meet in each iteration of the loop: unless that would be in the middle of another
 * such region, warps may meet before its end, or there are so few iterations that all ways through them can
 * be followed. */
static wb_status may_meet_in_loop(struct warp *warp, const struct division *division, bool *may) {
    const struct cover_function *function = cover_function_of(warp);
    const uint32_t meets_at = division->op->branch.reconvergence;
    const uint32_t loop = function->loops.innermost[cover_node_of(function, cover_top(warp)->group->from)];
    const struct loop_bound *bound = &function->limits[loop].bound;
    bool warps_meet = false;
    *may = cover_in_region(warp, meets_at);
    if (*may || warp->run->cover->region.open || division->unknown == 0 || meets_at == PTX_NO_INDEX)
        return WB_OK;
    if (cover_top(warp)->reconvergence == meets_at &&
        cover_meeting(warp, warp->stack.count - 1, meets_at) == SIZE_MAX)
        return WB_OK;
    if (function->loops.region_count != 0 || (bound->known && bound->headers <= SEPARATE_FOLLOWED))
        return WB_OK;
    WB_TRY(cover_meets_before(warp, meets_at, &warps_meet));
    *may = !warps_meet;
    return WB_OK;
}

/* Counts the sides that will run iterations of the loop around the branch separately. WB_ERR_DECLINED with a
 * message when they are too many. */
static wb_status count_separate(struct warp *warp, const struct division *division,
                                struct cover_group *group) {
    if (division->unknown != 0) group->separate += separate_sides(warp, division);
    if (group->separate <= SEPARATE_MAX) return WB_OK;
    return warp_fail(
        warp, division->op, WB_ERR_DECLINED,
        "an unknown value divides lanes here that meet only after the loop, so they run its iterations "
        "separately and divide again in each: too many paths to cover. A flow fact can reduce them: 'never "
        "LABEL' for a side that is not taken, or a small limit of the loop");
}

/* Lanes no longer wait in an entry with the registers that they have: they will arrive from the sides. */
static void expect_lanes(struct simt_entry *waiting, uint32_t lanes) {
    const struct lane_state *state = waiting->group == NULL ? NULL : waiting->group->state;
    waiting->mask &= ~(lanes & ~(state == NULL ? 0 : state->mask));
}

static void pop_top(struct warp *warp) {
    cover_group_free(cover_top(warp));
    warp->stack.count--;
}

/* Takes the top entry away, or lets it wait where the sides meet. */
static void meet_behind(struct warp *warp, struct division *division) {
    const uint32_t meets_at = division->op->branch.reconvergence;
    struct simt_entry *entry = cover_top(warp);
    division->meeting = warp->stack.count - 1;
    if (meets_at == PTX_NO_INDEX || entry->reconvergence == meets_at) {
        division->meeting =
            meets_at == PTX_NO_INDEX ? SIZE_MAX : cover_meeting(warp, division->meeting, meets_at);
        pop_top(warp);
    } else {
        entry->pc = meets_at;
    }
    if (division->meeting != SIZE_MAX) expect_lanes(&warp->stack.items[division->meeting], division->unknown);
    division->meets_at = division->until = meets_at;
    division->until_meeting = division->meeting;
}

/* Opens an entry that waits where a region ends, below the top entry, unless there is one. */
static wb_status open_region(struct warp *warp, uint32_t end) {
    const size_t top = warp->stack.count - 1;
    const uint32_t lanes = cover_top(warp)->mask;
    size_t meeting = top;
    if (cover_top(warp)->reconvergence == end) {
        meeting = cover_meeting(warp, top, end);
    } else {
        struct simt_entry inside = *cover_top(warp);
        inside.reconvergence = end;
        inside.group = cover_group_clone(warp, inside.group);
        if (inside.group == NULL || vec_push(&warp->stack, inside) != WB_OK) {
            free(inside.group);
            return run_no_memory(warp->run);
        }
        warp->stack.items[top].pc = end;
    }
    return cover_open_region(warp, end, meeting, lanes);
}

/* Lets the sides meet in the iteration of the loop. */
static wb_status meet_in_loop(struct warp *warp, struct division *division) {
    const struct cover_function *function = cover_function_of(warp);
    const uint32_t end = division->op->branch.reconvergence, lanes = cover_top(warp)->mask;
    const uint32_t inside =
        cover_meets_in_loop(function, cover_node_of(function, cover_top(warp)->group->from));
    if (!cover_in_region(warp, end)) WB_TRY(open_region(warp, end));
    warp->run->cover->region.lanes |= lanes;
    expect_lanes(&warp->stack.items[warp->run->cover->region.meeting], lanes);
    division->meeting = warp->stack.count - 1;
    if (cover_top(warp)->reconvergence == inside) {
        division->meeting = cover_meeting(warp, division->meeting, inside);
        pop_top(warp);
    } else {
        cover_top(warp)->pc = inside;
    }
    struct simt_entry *waiting = &warp->stack.items[division->meeting];
    cover_doubt(waiting->group, lanes);
    expect_lanes(waiting, lanes);
    division->meets_at = division->until = inside;
    division->until_meeting = division->meeting;
    return WB_OK;
}

/* Lets one side arrive at the end of the region, or go there later, and the others go on as the top entry
 * did. */
static void leave_region(struct warp *warp, struct division *division) {
    const struct simt_entry *entry = cover_top(warp);
    division->meets_at = warp->run->cover->region.end;
    division->meeting = warp->run->cover->region.meeting;
    division->until = entry->reconvergence;
    division->until_meeting = cover_meeting(warp, warp->stack.count - 1, entry->reconvergence);
    pop_top(warp);
    expect_lanes(&warp->stack.items[division->meeting], division->unknown);
    expect_lanes(&warp->stack.items[division->until_meeting], division->unknown);
}

/* Whether an instruction of the kernel that no fact names ends whoever comes to it. */
static bool ends_at_once(const struct warp *warp, uint32_t pc) {
    const struct cover_function *function = cover_function_of(warp);
    if (warp->depth != 1 || function->parts != NULL || pc >= function->cfg.function->inst_count) return false;
    const enum cover_kind kind = (enum cover_kind)function->kinds[pc];
    return (kind == COVER_KIND_RETURN || kind == COVER_KIND_EXIT) && function->marks[pc] == 0 &&
           !warp->frame->code->micros[pc].has_guard;
}

/* One of two sides goes to the end of the kernel at once: lanes of `surely` that unknown values divide are in
 * the group of the other side, or at this end (docs/covering-paths.md, section 7). */
static void may_leave(struct warp *warp, const struct division *division, uint32_t surely,
                      struct cover_group *group) {
    const struct side *sides = division->sides;
    if (division->count != 2 || ends_at_once(warp, sides[0].pc) == ends_at_once(warp, sides[1].pc)) return;
    const struct side *end = ends_at_once(warp, sides[0].pc) ? &sides[0] : &sides[1];
    if (group->end != PTX_NO_INDEX && group->end != end->pc) return;
    group->end = end->pc;
    group->leaving |= division->unknown & surely;
    group->gone |= end->mask & surely;
    if (division->unknown != 0) warp->run->cover->leaves = &warp->frame->code->micros[end->pc];
}

/* Divides the top entry. It stays below the sides to go on where they meet, unless its own end is there. */
static wb_status divide(struct warp *warp, struct division *division) {
    run_assume(warp->run, divided_lanes_assumed(warp));
    const uint32_t lanes = cover_top(warp)->mask;
    const bool separates = separate_sides(warp, division) > 0;
    bool meets = false;
    const bool machine = cover_function_of(warp)->parts != NULL;
    if (separates && !machine) WB_TRY(may_meet_in_loop(warp, division, &meets));
    struct cover_group *group = cover_group_clone(warp, cover_top(warp)->group);
    if (group == NULL) return run_no_memory(warp->run);
    const uint32_t surely = ~group->maybe | group->leaving;
    cover_doubt(group, meets ? lanes : division->unknown);
    if (!meets) may_leave(warp, division, surely, group);
    if (division->unknown != 0) group->branch = division->op->index;
    wb_status status = meets ? meet_in_loop(warp, division) : count_separate(warp, division, group);
    if (status == WB_OK && machine)
        cover_part(warp, division);
    else if (status == WB_OK && !meets && cover_in_region(warp, division->op->branch.reconvergence))
        leave_region(warp, division);
    else if (status == WB_OK && !meets)
        meet_behind(warp, division);
    const size_t entries = warp->stack.count;
    if (status == WB_OK) status = open_sides(warp, division, group);
    warp->run->cover->settles = warp->stack.count == entries;
    free(group);
    return status;
}

/* The sides of `bra`: the taken one first, as in known runs. */
static void divide_bra(struct division *division, uint32_t next, uint32_t mask, uint32_t others) {
    struct side *sides = division->sides;
    uint32_t target = division->op->branch.targets[0];
    assert((mask & others) == 0 && ((mask | others) & division->unknown) == 0);
    if ((mask | division->unknown) != 0) sides[division->count++] = (struct side){target, mask};
    if ((others | division->unknown) == 0) return;
    if (division->count == 1 && target == next)
        sides[0].mask |= others;
    else
        sides[division->count++] = (struct side){next, others};
}

/* The sides of `brx.idx`: where the index is unknown, all targets. Lanes whose index has no target go
 * nowhere: they are returned. */
static uint32_t divide_indirect(const struct warp *warp, struct division *division, uint32_t next,
                                uint32_t mask, uint32_t others) {
    const struct micro *op = division->op;
    const struct lanes *index = warp_slot(warp, op->source[0]);
    uint32_t lost = 0;
    for (uint32_t t = 0; division->unknown != 0 && t < op->branch.target_count; t++)
        side_add(division->sides, &division->count, op->branch.targets[t], 0);
    FOR_LANES_OF(l, mask & ~division->unknown) {
        if (index->value[l] < op->branch.target_count)
            side_add(division->sides, &division->count, op->branch.targets[index->value[l]], 1u << l);
        else
            lost |= 1u << l;
    }
    if (others != 0) side_add(division->sides, &division->count, next, others);
    return lost;
}

wb_status cover_branch(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    const struct simt_entry *top = cover_top(warp);
    uint32_t next = top->pc, others = top->mask & ~mask & ~unsure;
    bool indirect = op->form->op == PTX_OP_BRX_IDX;
    uint32_t unknown = unsure;
    if (indirect) unknown |= mask & ~warp_slot(warp, op->source[0])->known;
    struct division division = {.op = op, .unknown = unknown};
    division.sides = calloc((size_t)op->branch.target_count + WARP_LANES + 1, sizeof *division.sides);
    if (division.sides == NULL) return warp_no_memory(warp, op);
    uint32_t lost = 0;
    if (indirect)
        lost = divide_indirect(warp, &division, next, mask, others | unsure);
    else
        divide_bra(&division, next, mask, others);
    note_exits(warp, unknown == 0);
    wb_status status = unknown == 0 ? WB_OK : require_headers(warp, op);
    if (status != WB_OK) {
        free(division.sides);
        return status;
    }
    if ((lost & ~cover_unsure(top->group)) != 0)
        status = branch_index_execute(warp, op, lost); /* reports them */
    else if (lost != 0)
        (void)cover_remove(warp, lost, 0);
    if (status == WB_OK && unknown != 0)
        status = cover_note(warp, op, COVER_CONDITION, indirect ? op->source[0] : op->guard);
    if (status == WB_OK && division.count == 1)
        cover_top(warp)->pc = division.sides[0].pc;
    else if (status == WB_OK && division.count > 1)
        status = divide(warp, &division);
    free(division.sides);
    return status;
}

/* Marks lanes of all groups from entry `base` on. A group that was not opened yet will copy those of the
 * entry below. */
static void mark_groups(struct warp *warp, size_t base, uint32_t maybe, uint32_t ended) {
    for (size_t i = base; i < warp->stack.count; i++) {
        struct cover_group *group = warp->stack.items[i].group;
        if (group == NULL) continue;
        cover_doubt(group, maybe);
        group->ended |= ended;
    }
}

/* Lanes leave the kernel. */
static wb_status end_lanes(struct warp *warp, uint32_t mask, uint32_t unsure) {
    uint32_t maybe_executed = unsure | (mask & cover_top(warp)->group->maybe);
    mark_groups(warp, 0, 0, maybe_executed);
    warp->live &= ~cover_remove(warp, mask, 0);
    return WB_OK;
}

wb_status cover_exit(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    if (unsure != 0) WB_TRY(require_headers(warp, op));
    note_exits(warp, unsure == 0);
    const bool sure = (mask & ~cover_unsure(cover_top(warp)->group)) != 0;
    WB_TRY(end_lanes(warp, mask, unsure));
    return sure && warp->live == 0 ? cover_hold_end(warp) : WB_OK;
}

wb_status cover_return(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    const struct frame *frame = warp->frame;
    if (frame->call == NULL) return cover_exit(warp, op, mask, unsure);
    if (unsure != 0) WB_TRY(require_headers(warp, op));
    note_exits(warp, unsure == 0);
    uint32_t split = cover_top(warp)->group->split;
    return_results(warp, mask & ~split);
    /* The sides of a branch share one copy of variables. */
    forget_results(warp, (mask & split) | unsure, mask & cover_top(warp)->group->maybe);
    warp->stack.items[frame->stack_base - 1].group->returned |= mask | unsure;
    mark_groups(warp, frame->stack_base, unsure, 0);
    (void)cover_remove(warp, mask, frame->stack_base);
    return WB_OK;
}

wb_status cover_trap(struct warp *warp, const struct micro *op, uint32_t mask) {
    uint32_t sure = mask & ~cover_unsure(cover_top(warp)->group);
    if (sure != 0) return trap_execute(warp, op, sure);
    (void)cover_remove(warp, mask, 0); /* an execution that traps ends there */
    return WB_OK;
}
