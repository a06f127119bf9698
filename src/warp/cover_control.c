/* Branches, returns, exits and barriers of a covering run. */
#include "warp/control.h"
#include "warp/cover.h"
#include "warp/execute.h"

/* Lanes that go on at one place: those of `sure` there only, those of the branch's unknown lanes everywhere.
 */
struct cover_side {
    uint32_t pc;
    uint32_t sure;
};

struct division {
    const struct micro *op;
    struct cover_side *sides;
    uint32_t count;
    uint32_t unknown; /* lanes that take every side */
};

/* Notes by which branches the loops around a block are left: whether they ended is then known, or not. */
static void note_exits(struct warp *warp, uint32_t block, bool known) {
    const struct cover_function *function = cover_function_of(warp);
    const struct loops *loops = &function->loops;
    const struct adjacency *out = &function->cfg.graph.out;
    struct loop_pass *passes = cover_top(warp)->group->passes;
    for (uint32_t l = loops->innermost[block]; l != GRAPH_NONE; l = loops->items[l].parent) {
        bool leaves = false;
        for (uint32_t e = out->first[block]; e < out->first[block + 1]; e++)
            leaves |= !loop_contains(loops, l, out->nodes[e]);
        if (!leaves) continue;
        passes[l].decided |= known;
        passes[l].undecided |= !known;
    }
}

/* Lets sides that end at once arrive where the others will meet them, and opens entries for the others. */
static wb_status open_sides(struct warp *warp, const struct division *division, size_t meeting,
                            const struct cover_group *group) {
    uint32_t meets_at = division->op->branch.reconvergence;
    uint32_t first = division->count; /* the side that is executed first: its registers stay where they are */
    for (uint32_t i = 0; i < division->count; i++) {
        uint32_t lanes = division->sides[i].sure | division->unknown;
        if (division->sides[i].pc == meets_at)
            WB_TRY(cover_meet(warp, meeting, lanes, group));
        else if (first == division->count)
            first = i;
    }
    for (uint32_t i = division->count; i-- > 0;) {
        const struct cover_side *side = &division->sides[i];
        if (side->pc == meets_at) continue;
        struct simt_entry entry = {.pc = side->pc,
                                   .reconvergence = meets_at,
                                   .mask = side->sure | division->unknown,
                                   .group = cover_group_clone(warp, group)};
        if (entry.group == NULL) return run_no_memory(warp->run);
        uint32_t block = cover_function_of(warp)->cfg.block_of[side->pc];
        if (i != first && division->unknown != 0)
            entry.group->state = lane_state_save(warp, block, division->unknown);
        bool failed = i != first && division->unknown != 0 && entry.group->state == NULL;
        if (failed || vec_push(&warp->stack, entry) != WB_OK) {
            cover_group_free(&entry);
            return run_no_memory(warp->run);
        }
    }
    return WB_OK;
}

/* Divides the top entry. It stays below the sides to go on where they meet, unless its own end is there. */
static wb_status divide(struct warp *warp, const struct division *division) {
    size_t top = warp->stack.count - 1, meeting = top;
    struct simt_entry *entry = &warp->stack.items[top];
    uint32_t meets_at = division->op->branch.reconvergence, unknown = division->unknown;
    struct cover_group *group = cover_group_clone(warp, entry->group);
    if (group == NULL) return run_no_memory(warp->run);
    group->maybe |= unknown;
    group->split |= unknown;
    if (unknown != 0) group->branch = division->op->index;
    if (meets_at == PTX_NO_INDEX || entry->reconvergence == meets_at) {
        meeting = meets_at == PTX_NO_INDEX ? SIZE_MAX : cover_meeting(warp, top, meets_at);
        cover_group_free(entry);
        warp->stack.count--;
    } else {
        entry->pc = meets_at;
    }
    if (meeting != SIZE_MAX) {
        struct simt_entry *waiting = &warp->stack.items[meeting];
        const struct lane_state *state = waiting->group == NULL ? NULL : waiting->group->state;
        waiting->mask &=
            ~(unknown & ~(state == NULL ? 0 : state->mask)); /* they will arrive from the sides */
    }
    wb_status status = open_sides(warp, division, meeting, group);
    free(group);
    return status;
}

/* Adds lanes to the side with that target, or opens a new one. */
static void add_side(struct division *division, uint32_t pc, uint32_t lanes) {
    uint32_t i = 0;
    while (i < division->count && division->sides[i].pc != pc)
        i++;
    if (i == division->count) division->sides[division->count++] = (struct cover_side){pc, 0};
    division->sides[i].sure |= lanes;
}

/* The sides of `bra`: the taken one first, as in known runs. */
static void divide_bra(struct division *division, uint32_t next, uint32_t mask, uint32_t others) {
    if ((mask | division->unknown) != 0) add_side(division, division->op->branch.targets[0], mask);
    if ((others | division->unknown) != 0) add_side(division, next, others);
}

/* The sides of `brx.idx`: where the index is unknown, all targets. Lanes whose index has no target go
 * nowhere: they are returned. */
static uint32_t divide_indirect(const struct warp *warp, struct division *division, uint32_t next,
                                uint32_t mask, uint32_t others) {
    const struct micro *op = division->op;
    const struct lanes *index = warp_slot(warp, op->source[0]);
    uint32_t lost = 0;
    for (uint32_t t = 0; division->unknown != 0 && t < op->branch.target_count; t++)
        add_side(division, op->branch.targets[t], 0);
    FOR_LANES_OF(l, mask & ~division->unknown) {
        if (index->value[l] < op->branch.target_count)
            add_side(division, op->branch.targets[index->value[l]], 1u << l);
        else
            lost |= 1u << l;
    }
    if (others != 0) add_side(division, next, others);
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
    note_exits(warp, cover_function_of(warp)->cfg.block_of[next - 1], unknown == 0);
    wb_status status = WB_OK;
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
        group->maybe |= maybe;
        group->split |= maybe;
        group->ended |= ended;
    }
}

wb_status cover_exit(struct warp *warp, uint32_t mask, uint32_t unsure) {
    uint32_t perhaps = unsure | (mask & cover_top(warp)->group->maybe);
    mark_groups(warp, 0, 0, perhaps);
    warp->live &= ~cover_remove(warp, mask, 0);
    return WB_OK;
}

wb_status cover_return(struct warp *warp, uint32_t mask, uint32_t unsure) {
    const struct frame *frame = warp->frame;
    if (frame->call == NULL) return cover_exit(warp, mask, unsure);
    uint32_t split = cover_top(warp)->group->split;
    return_results(warp, mask & ~split);
    forget_results(warp, (mask & split) | unsure);
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

/* The nearest label by which a fact can speak of an instruction, or NULL. */
static const char *label_of(const struct cover_function *function, uint32_t pc) {
    const struct cfg *cfg = &function->cfg;
    const char *nearest = NULL;
    for (uint32_t i = 0; i < cfg->function->label_count && cfg->function->labels[i].target <= pc; i++) {
        const struct ptx_label *label = &cfg->function->labels[i];
        if (cover_equally_often(function, cfg->block_of[label->target], cfg->block_of[pc]))
            nearest = label->name;
    }
    return nearest;
}

wb_status cover_barrier(struct warp *warp, const struct micro *op, uint32_t mask, uint32_t unsure) {
    const struct cover_function *function = cover_function_of(warp);
    uint32_t pc = (uint32_t)(op->inst - function->cfg.function->insts);
    bool together = (function->marks[pc] & COVER_AT_TOGETHER) != 0;
    if (mask == 0 && unsure == 0) {
        warp->run->skipped_barrier = op->index;
        return WB_OK;
    }
    const struct cover_group *group = cover_top(warp)->group;
    /* Some lane is here, or every lane that has not ended is: a warp without any is waited for by nobody. */
    bool firm = (mask & ~cover_unsure(group)) != 0 || (warp->live & ~(mask & ~group->maybe)) == 0;
    if (firm || (together && mask != 0)) return barrier_execute(warp, op, mask);
    const char *label = label_of(function, pc);
    ptx_diagnose(
        warp->run->diagnostics, SEVERITY_ERROR, warp->run->module, op->inst,
        "whether warp %u waits at this barrier depends on values that are not known; if all warps of "
        "the block always wait here together, a flow fact can say so: together %s;",
        warp->number, label == NULL ? "LABEL" : label);
    return WB_ERR_DECLINED;
}
