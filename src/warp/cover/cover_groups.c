/* Groups of lanes on the SIMT stack of a covering run: the registers that are kept of them while others run,
 * how they come together again, and how they end. */

#include "warp/cover/cover.h"
#include "warp/interpret/base_region.h"
#include "warp/interpret/execute.h"

/* ---- Registers of lanes kept aside --------------------------------------------------------------------- */

/* Copies lanes of a register, of which `others` are there besides. A predicate register has them all in one
 * value. */
static void copy_lanes(struct lanes *to, const struct lanes *from, uint32_t mask, uint32_t others,
                       bool is_predicate) {
    if (mask == LANES_ALL) {
        lanes_copy(to, from);
        return;
    }
    affine_shadow_take(&to->shadow, from->shadow, mask, others);
    to->numbers = (to->numbers & ~mask) | (from->numbers & mask);
    to->halved = (to->halved & ~mask) | (from->halved & mask);
    to->partial = (to->partial & ~mask) | (from->partial & mask);
    halves_blend(&to->half, &from->half, (from->halved | from->partial) & mask);
    if (is_predicate)
        to->value[0] = (to->value[0] & ~(uint64_t)mask) | (from->value[0] & mask);
    else
        lanes_blend(to->value, from->value, mask);
    to->base_region = base_region_joined(to->base_region, from->base_region);
    const bool some_unknown =
        (others & ~mask & ~to->known & ~to->halved) != 0 && to->unknown_base_region != BASE_REGION_NO_LANES;
    to->known = (to->known & ~mask) | (from->known & mask);
    if ((mask & ~from->known) == 0) return;
    to->origin = from->origin;
    if (some_unknown && to->unknown_base_region != from->unknown_base_region)
        to->unknown_base_region = BASE_REGION_NONE;
    else
        to->unknown_base_region = from->unknown_base_region;
}

/* Takes more lanes. */
static void lane_state_add(const struct warp *warp, struct lane_state *state, uint32_t mask) {
    const struct cover_function *function = cover_function_of(warp);
    uint32_t count;
    const uint32_t *live = cover_live(function, state->block, &count);
    for (uint32_t i = 0; i < count; i++)
        copy_lanes(&state->registers[i], &warp->frame->registers[live[i]], mask, state->mask,
                   function->is_predicate[live[i]]);
    state->mask |= mask;
}

wb_status lane_state_save(const struct warp *warp, uint32_t block, uint32_t mask, struct lane_state **state) {
    uint32_t registers;
    (void)cover_live(cover_function_of(warp), block, &registers);
    size_t size = sizeof(struct lane_state) + registers * sizeof(struct lanes);
    size = (size + alignof(struct lane_state) - 1) / alignof(struct lane_state) * alignof(struct lane_state);
    WB_TRY(run_count_registers(warp->run, warp->frame->code->function, size));
    struct lane_state *kept = aligned_alloc(alignof(struct lane_state), size);
    if (kept == NULL) return run_no_memory(warp->run);
    memset(kept, 0, size);
    kept->run = warp->run;
    kept->size = size;
    kept->block = block;
    lane_state_add(warp, kept, mask);
    *state = kept;
    return WB_OK;
}

void lane_state_free(struct lane_state *state) {
    if (state == NULL) return;
    state->run->register_bytes -= state->size;
    free(state);
}

void lane_state_load(const struct warp *warp, const struct lane_state *state) {
    const struct cover_function *function = cover_function_of(warp);
    uint32_t count;
    const uint32_t *live = cover_live(function, state->block, &count);
    for (uint32_t i = 0; i < count; i++)
        copy_lanes(&warp->frame->registers[live[i]], &state->registers[i], state->mask, warp->live,
                   function->is_predicate[live[i]]);
}

/* The lanes in which two registers hold the same half of an address (base region.h). */
static uint32_t equal_halves(const struct lanes *a, const struct lanes *b, bool is_predicate) {
    uint32_t equal = 0;
    FOR_LANES_OF(l, lanes_halves(a) & lanes_halves(b)) {
        const struct half x = half_get(&a->half, l), y = half_get(&b->half, l);
        const bool same = x.base_region == y.base_region && x.other == y.other && x.a == y.a && x.b == y.b;
        equal |= (uint32_t)same << l;
    }
    return equal == 0 ? 0 : equal & lanes_equal(a, b, is_predicate);
}

/* The lanes of which the same bits are known and equal. */
static uint32_t equal_partial(const struct lanes *a, const struct lanes *b) {
    uint32_t equal = 0;
    FOR_LANES_OF(l, lanes_partial(a) & lanes_partial(b)) {
        const uint64_t bits = a->half.bits[l];
        equal |= (uint32_t)(bits == b->half.bits[l] && ((a->value[l] ^ b->value[l]) & bits) == 0) << l;
    }
    return equal;
}

/* The region that all unknown lanes of a register are made from when those of `lanes` are unknown from now
 * on: on both sides. */
static uint64_t joined_unknown_base_region(const struct warp *warp, const struct lanes *old,
                                           const struct lanes *arriving, uint32_t lanes, uint32_t all) {
    uint64_t base_region = BASE_REGION_NO_LANES;
    if (lanes == 0) return old->unknown_base_region;
    base_region_of_lanes(warp->run, old, lanes | (all & ~old->known), &base_region);
    base_region_of_lanes(warp->run, arriving, lanes, &base_region);
    return base_region;
}

/* The lanes of a register of which this run says something that need not be so in other blocks. */
static uint32_t bent_lanes(const struct lanes *lanes) {
    return (lanes->known | lanes_halves(lanes)) & ~(lanes->shadow.flat | lanes->shadow.affine);
}

/* Of blocks by classes (docs/block-classes.md): the lanes of `kept`, which two registers have alike, in which
 * they are alike in all blocks. *bent: of others it is unknown what they are made from. */
static uint32_t join_followed(const struct warp *warp, struct lanes *of, const struct lanes *from,
                              uint32_t mask, uint32_t kept, bool *bent) {
    struct cover *cover = warp->run->cover;
    struct affine_shadow *old = &of->shadow;
    const struct affine_shadow *arriving = &from->shadow;
    *bent = false;
    if (!warp->run->of_class) return kept;
    kept &= (old->flat & arriving->flat) | (old->affine & arriving->affine);
    *bent = (mask & ~kept & (bent_lanes(of) | bent_lanes(from))) != 0;
    old->flat &= ~mask | kept;
    old->affine &= ~mask | kept;
    old->signs &= ~mask;
    if ((kept & old->affine) != 0 && arriving->bits < old->bits) {
        old->bits = arriving->bits;
        old->signs = 0;
    }
    affine_bend_add(&old->bend, &arriving->bend);
    old->bend.data |= (mask & ~kept) != 0;
    cover->joined = (cover->joined ^ kept) * UINT64_C(0x9e3779b97f4a7c15) + mask;
    return kept;
}

bool lane_state_join(const struct warp *warp, struct lane_state *state, uint32_t mask, uint32_t origin) {
    const struct cover_function *function = cover_function_of(warp);
    uint32_t count;
    const uint32_t *live = cover_live(function, state->block, &count);
    bool changed = false;
    for (uint32_t i = 0; i < count; i++) {
        struct lanes *old = &state->registers[i];
        const struct lanes *arriving = &warp->frame->registers[live[i]];
        uint32_t both = old->known & arriving->known & mask;
        uint64_t base_region = base_region_joined(old->base_region, arriving->base_region);
        changed |= base_region != old->base_region;
        old->base_region = base_region;
        old->numbers &= ~mask | arriving->numbers;
        if (both != 0) both &= lanes_equal(old, arriving, function->is_predicate[live[i]]);
        both |= mask & equal_halves(old, arriving, function->is_predicate[live[i]]);
        bool bent;
        both = join_followed(warp, old, arriving, mask, both, &bent);
        const uint32_t partial = mask & equal_partial(old, arriving);
        const uint64_t unknown_base_region =
            bent ? BASE_REGION_NONE
                 : joined_unknown_base_region(warp, old, arriving, mask & ~both, state->mask);
        uint32_t lost = (old->known | old->halved | old->partial) & mask & ~both & ~partial;
        changed |= (mask & ~both) != 0 && old->unknown_base_region != unknown_base_region;
        if (lost != 0) lanes_forget(old, lost, (lost & ~arriving->known) != 0 ? arriving->origin : origin);
        if ((mask & ~both) != 0) old->unknown_base_region = unknown_base_region;
        changed |= lost != 0;
    }
    return changed;
}

/* ---- Groups -------------------------------------------------------------------------------------------- */

static size_t group_size(const struct warp *warp) {
    return sizeof(struct cover_group) + cover_function_of(warp)->pass_count * sizeof(struct loop_pass);
}

struct cover_group *cover_group_clone(const struct warp *warp, const struct cover_group *group) {
    struct cover_group *copy = malloc(group_size(warp));
    if (copy == NULL) return NULL;
    memcpy(copy, group, group_size(warp));
    copy->met = copy->replays = false;
    copy->returned = 0;
    copy->state = NULL;
    return copy;
}

/* The group of lanes whose indirect call was put back, to be executed for those with one callee: it has
 * arrived at the call before. */
static struct cover_group *group_replaying(const struct warp *warp, size_t entry) {
    while (warp->stack.items[--entry].group == NULL)
        ;
    struct cover_group *group = cover_group_clone(warp, warp->stack.items[entry].group);
    if (group != NULL) group->replays = true;
    return group;
}

/* A group that has just entered the function, from the group that called it, if any. */
static struct cover_group *group_entering(const struct warp *warp, const struct cover_group *caller) {
    struct cover_group *group = calloc(1, group_size(warp));
    if (group == NULL) return NULL;
    group->from = group->end = PTX_NO_INDEX;
    group->entered = warp->path.path.length;
    group->branch = ORIGIN_UNWRITTEN;
    if (caller == NULL) return group;
    group->maybe = caller->maybe;
    group->leaving = caller->leaving;
    group->gone = caller->gone;
    group->end = caller->end;
    group->ended = caller->ended;
    group->branch = caller->branch;
    return group;
}

wb_status cover_group_open(struct warp *warp, size_t entry) {
    struct simt_entry *opened = &warp->stack.items[entry];
    if (opened->group != NULL) return WB_OK;
    opened->group = entry > warp->frame->stack_base
                        ? group_replaying(warp, entry)
                        : group_entering(warp, entry == 0 ? NULL : warp->stack.items[entry - 1].group);
    return opened->group == NULL ? run_no_memory(warp->run) : WB_OK;
}

void cover_group_free(struct simt_entry *entry) {
    if (entry->group != NULL) lane_state_free(entry->group->state);
    free(entry->group);
    entry->group = NULL;
}

size_t cover_meeting(const struct warp *warp, size_t above, uint32_t pc) {
    for (size_t i = above; i-- > warp->frame->stack_base;) {
        const struct simt_entry *entry = &warp->stack.items[i];
        if (entry->pc == pc && entry->reconvergence != pc &&
            (entry->wait == SIMT_RUNS || entry->wait == SIMT_SIDES))
            return i;
    }
    return SIZE_MAX;
}

/* What a group that arrives knows of a loop: of one that it is not in it has not passed the header, even when
 * it was in it before, and others that arrive still are. */
static struct loop_pass arriving_pass(const struct cover_function *function, const struct cover_group *from,
                                      uint32_t number) {
    struct loop_pass pass = from->passes[number];
    const struct loops *loops = &function->loops;
    if (number >= loops->count || loop_contains(loops, number, function->cfg.block_of[from->from]))
        return pass;
    return (struct loop_pass){.total = pass.total};
}

/* Takes over how often loops were passed: of several sides the least, so that no limit cuts off what one of
 * them could still do. */
static void meet_passes(const struct warp *warp, struct cover_group *group, const struct cover_group *from) {
    const struct cover_function *function = cover_function_of(warp);
    for (uint32_t i = 0; i < function->pass_count; i++) {
        struct loop_pass *pass = &group->passes[i];
        const struct loop_pass arriving = arriving_pass(function, from, i);
        if (!group->met) *pass = arriving;
        if (arriving.count < pass->count) pass->count = arriving.count;
        if (arriving.total < pass->total) pass->total = arriving.total;
        pass->decided |= arriving.decided;
        pass->undecided |= arriving.undecided;
    }
    group->met = true;
}

wb_status cover_meet(struct warp *warp, size_t meeting, uint32_t lanes, const struct cover_group *from) {
    WB_TRY(cover_group_open(warp, meeting));
    struct simt_entry *entry = &warp->stack.items[meeting];
    struct cover_group *group = entry->group;
    assert(meeting >= warp->frame->stack_base && from != group);
    uint32_t arrived = group->state == NULL ? 0 : group->state->mask & lanes, fresh = lanes & ~entry->mask;
    if (arrived != 0) (void)lane_state_join(warp, group->state, arrived, from->branch);
    if (fresh != 0 && group->state != NULL) {
        lane_state_add(warp, group->state, fresh);
    } else if (fresh != 0) {
        WB_TRY(lane_state_save(warp, cover_function_of(warp)->cfg.block_of[entry->pc], fresh, &group->state));
    }
    entry->mask |= fresh;
    group->ended |= from->ended;
    meet_passes(warp, group, from);
    return WB_OK;
}

uint32_t cover_remove(struct warp *warp, uint32_t lanes, size_t base) {
    for (size_t i = warp->stack.count; i-- > base && lanes != 0;) {
        struct simt_entry *entry = &warp->stack.items[i];
        const struct cover_group *group = entry->group;
        /* Lanes whose registers the entry keeps, and those that have returned to it, have another way to go
         * on from there. */
        if (group != NULL) lanes &= ~group->returned;
        if (group != NULL && group->state != NULL) lanes &= ~group->state->mask;
        entry->mask &= ~lanes;
    }
    return lanes;
}

/* The top entry ends where others wait for its lanes. */
static wb_status arrive(struct warp *warp) {
    size_t top = warp->stack.count - 1;
    WB_TRY(cover_group_open(warp, top));
    const struct simt_entry *entry = &warp->stack.items[top];
    size_t meeting = cover_meeting(warp, top, entry->pc);
    if (cover_function_of(warp)->parts != NULL)
        return meeting == SIZE_MAX ? WB_OK : cover_meet_below(warp, meeting);
    return meeting == SIZE_MAX ? WB_OK : cover_meet(warp, meeting, entry->mask, entry->group);
}

/* Loads the registers that were kept of the top entry. */
static void load_state(struct warp *warp) {
    struct cover_group *group = cover_top(warp)->group;
    if (group == NULL || group->state == NULL) return;
    lane_state_load(warp, group->state);
    lane_state_free(group->state);
    group->state = NULL;
}

/* The top entry goes on. */
static wb_status resume(struct warp *warp) {
    WB_TRY(cover_group_open(warp, warp->stack.count - 1));
    const struct simt_entry *top = cover_top(warp);
    struct cover_group *group = top->group;
    group->met = false;
    group->returned = 0;
    load_state(warp);
    cover_end_widenings(warp, top->pc);
    return WB_OK;
}

wb_status cover_settle(struct warp *warp) {
    warp->run->cover->settles = false;
    while (warp->depth != 0) {
        WB_TRY(cover_close_region(warp));
        if (warp->stack.count == warp->frame->stack_base) {
            frame_pop(warp);
            continue;
        }
        struct simt_entry *top = cover_top(warp);
        if (top->mask != 0 && top->pc != top->reconvergence && !cover_leaves_region(warp)) {
            WB_TRY(cover_parts_met(warp));
            top->wait = SIMT_RUNS;
            return resume(warp);
        }
        if (top->mask != 0 && cover_function_of(warp)->parts != NULL) load_state(warp);
        if (top->mask != 0) WB_TRY(arrive(warp));
        cover_group_free(cover_top(warp));
        warp->stack.count--;
    }
    return WB_OK;
}
