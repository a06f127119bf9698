#include "bound/search/search_state.h"

#include <assert.h>
#include <string.h>

/* Keys of the table of states have a length of two bytes. */
#define KEY_BYTES_MAX 65535u

static size_t put_behind(size_t *size, size_t count, size_t item) {
    size_t at = *size;
    *size += count * item;
    return at;
}

/* Whether the warps of a block on two sub-cores execute the same; numbers from that of its first warp. */
static bool execute_alike(const struct search_class *class, uint32_t a, uint32_t b) {
    const uint32_t count = class->first_of[a + 1] - class->first_of[a];
    if (count != class->first_of[b + 1] - class->first_of[b]) return false;
    for (uint32_t w = 0; w < count; w++)
        if (class->places[class->first_of[a] + w].path != class->places[class->first_of[b] + w].path)
            return false;
    return true;
}

/* Whether two sub-cores can be exchanged, whatever blocks come. */
static bool are_twins(const struct search_model *model, uint32_t a, uint32_t b) {
    const uint32_t sub_cores = model->machine->sub_cores;
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        const uint32_t behind = sub_cores - model->first_sub_core[i];
        for (uint32_t c = 0; c < model->class_count; c++)
            if (!execute_alike(&model->classes[c], (a + behind) % sub_cores, (b + behind) % sub_cores))
                return false;
    }
    return true;
}

static void find_twins(struct search_model *model) {
    model->has_twins = false;
    for (uint32_t c = 0; c < model->machine->sub_cores; c++) {
        uint8_t twin = 0;
        while (twin < c && !are_twins(model, twin, c))
            twin++;
        model->twin[c] = twin;
        model->has_twins |= twin < c;
    }
}

bool search_model_set(struct search_model *model, const struct search_scope *scope) {
    struct search_layout *layout = &model->layout;
    const size_t sub_cores = model->machine->sub_cores, units = model->machine->unit_count * sub_cores;
    const size_t slots = (size_t)scope->sms * scope->slots;
    assert(scope->sms <= SEARCH_SMS_MAX && scope->slots <= SEARCH_SLOTS_MAX);
    assert((scope->order == NULL) == (scope->rule == DISPATCH_ANY));
    assert(scope->rule != DISPATCH_STATIC || scope->sms == 1);
    model->scope = *scope;
    for (uint32_t i = 0; i < scope->slots; i++)
        model->first_sub_core[i] = (uint8_t)(i * model->slot_warps % sub_cores);
    find_twins(model);
    size_t size = sizeof(struct search_dispatch);
    layout->left = put_behind(&size, model->class_count, sizeof(uint32_t));
    layout->sms = put_behind(&size, scope->sms, sizeof(struct search_sm));
    layout->sub_cores = put_behind(&size, scope->sms * sub_cores, sizeof(struct search_sub_core));
    layout->units = put_behind(&size, scope->sms * units, sizeof(struct search_unit));
    layout->slots = put_behind(&size, slots, sizeof(struct search_slot));
    layout->warps = put_behind(&size, slots * model->slot_warps, sizeof(struct search_warp));
    layout->size = size;
    const size_t slot_max = SEARCH_SLOT_KEY_MAX + (size_t)model->slot_warps * SEARCH_WARP_KEY_MAX;
    const size_t sm_max = SEARCH_SM_KEY_MAX + units * SEARCH_UNIT_KEY_MAX + scope->slots * slot_max;
    layout->key_max =
        SEARCH_DISPATCH_KEY_MAX + model->class_count * SEARCH_NUMBER_KEY_MAX + scope->sms * sm_max;
    return layout->key_max <= KEY_BYTES_MAX;
}

struct search_state search_state_in(const struct search_model *model, void *memory) {
    const struct search_layout *layout = &model->layout;
    unsigned char *bytes = memory;
    return (struct search_state){.dispatch = (struct search_dispatch *)memory,
                                 .left = (uint32_t *)(void *)(bytes + layout->left),
                                 .sms = (struct search_sm *)(void *)(bytes + layout->sms),
                                 .sub_cores = (struct search_sub_core *)(void *)(bytes + layout->sub_cores),
                                 .units = (struct search_unit *)(void *)(bytes + layout->units),
                                 .slots = (struct search_slot *)(void *)(bytes + layout->slots),
                                 .warps = (struct search_warp *)(void *)(bytes + layout->warps)};
}

/* The barriers that every warp that has not ended has reached; UINT32_MAX: all have ended. */
static inline uint32_t barriers_reached(const struct search_model *model, const struct slot_view *view) {
    uint32_t reached = UINT32_MAX;
    for (uint32_t w = 0; w < view->warp_count; w++) {
        const struct search_warp *warp = &view->warps[w];
        if (!warp_ended(model, warp))
            reached = u32_min(reached, program_of(model, warp)->barriers_before[warp->position]);
    }
    return reached;
}

/* Until the next instruction of warp w may be issued to its unit. */
static inline uint32_t unit_open_in(const struct search_model *model, const struct slot_view *view,
                                    uint32_t w, const struct search_inst *inst) {
    return search_unit_open_in(unit_of(model, view, w, inst), model->machine->units[inst->unit].count,
                               model->machine->dispatch_depth);
}

void search_state_start(const struct search_model *model, struct search_state *state) {
    const struct search_scope *scope = &model->scope;
    state->dispatch->to_deal = scope->dealt;
    for (uint32_t c = 0; c < model->class_count && scope->order == NULL; c++) {
        state->left[c] = model->classes[c].blocks;
        state->dispatch->left += state->left[c];
    }
    if (scope->order != NULL) state->dispatch->left = scope->order_count;
    if (scope->rule == DISPATCH_ROUND_ROBIN) state->dispatch->last = scope->sms - 1;
    assert(scope->dealt <= state->dispatch->left);
    for (size_t s = 0; s < (size_t)scope->sms * scope->slots; s++)
        state->slots[s].class = SLOT_EMPTY;
}

/* Whether a block starts later in a slot that another one has left. When the dispatcher takes no time every
 * slot is filled at the start, and later blocks all go to used slots. */
static bool uses_matter(const struct search_model *model) {
    return !search_follows_rule(model) && model->scope.service > 0 && model->scope.latency > 0;
}

static void empty_slot(const struct search_model *model, const struct slot_view *view) {
    *view->slot = (struct search_slot){.class = SLOT_EMPTY, .used = uses_matter(model)};
    memset(view->warps, 0, model->slot_warps * sizeof *view->warps);
}

/* Dispatch. */

static uint32_t empty_slots(const struct search_model *model, const struct search_state *state, uint32_t sm) {
    uint32_t empty = 0;
    for (uint32_t s = 0; s < model->scope.slots; s++)
        empty += state->slots[(size_t)sm * model->scope.slots + s].class == SLOT_EMPTY;
    return empty;
}

/* Whether an SM may get the next block: it has a slot and, while blocks are dealt out, got as few as any. */
static bool sm_may_get_block(const struct search_model *model, const struct search_state *state,
                             uint32_t sm) {
    for (uint32_t s = 0; s < model->scope.sms && state->dispatch->to_deal > 0; s++)
        if (state->sms[s].dealt < state->sms[sm].dealt) return false;
    return empty_slots(model, state, sm) > 0;
}

/* Whether a block of a class may be the next one. */
static bool class_may_be_next(const struct search_model *model, const struct search_state *state,
                              uint32_t class) {
    const struct search_scope *scope = &model->scope;
    if (scope->order == NULL) return state->left[class] > 0;
    return scope->order[scope->order_count - state->dispatch->left] == class;
}

/* Whether every empty slot gets a block at once, so that it is all the same which is the first to get one. */
static bool fills_all_slots(const struct search_model *model, const struct search_state *state) {
    uint32_t empty = 0;
    for (uint32_t s = 0; s < model->scope.sms; s++)
        empty += empty_slots(model, state, s);
    return model->scope.service == 0 && !model->scope.only_dealt && state->dispatch->left >= empty;
}

/* The ways to give an SM the next block. Of its empty slots it may go to the first that is new and the first
 * that is not, of each sub-core that the block's first warp can be on; to new ones while blocks are dealt
 * out. Where all slots are filled at once with any blocks, the first slot may be taken to be the next. */
static void find_dispatches_to(const struct search_model *model, const struct search_state *state,
                               uint32_t sm, bool any_slot, struct search_choices *choices) {
    uint32_t seen[2] = {0, state->dispatch->to_deal > 0 ? UINT32_MAX : 0}; /* bit s: sub-core s */
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        const struct search_slot *slot = &state->slots[(size_t)sm * model->scope.slots + i];
        const uint32_t sub_core = UINT32_C(1) << model->first_sub_core[i];
        if (slot->class != SLOT_EMPTY || (seen[slot->used] & sub_core) != 0) continue;
        seen[slot->used] |= sub_core;
        for (uint32_t c = 0; c < model->class_count; c++)
            if (class_may_be_next(model, state, c))
                choices->items[choices->count++] =
                    (struct search_choice){CHOICE_DISPATCH, (uint8_t)sm, (uint8_t)i, (uint8_t)c};
        if (any_slot) return;
    }
}

/* The lowest empty slot of an SM; the number of slots: none. */
static uint32_t lowest_empty(const struct search_model *model, const struct search_state *state,
                             uint32_t sm) {
    uint32_t slot = 0;
    while (slot < model->scope.slots &&
           state->slots[(size_t)sm * model->scope.slots + slot].class != SLOT_EMPTY)
        slot++;
    return slot;
}

/* Whether the rule of the dispatcher prefers an SM with an empty slot to `best`, which stands before it. */
static bool is_preferred(const struct search_model *model, const struct search_state *state, uint32_t sm,
                         uint32_t best) {
    switch (model->scope.rule) {
    case DISPATCH_GREEDY: return lowest_empty(model, state, sm) < lowest_empty(model, state, best);
    case DISPATCH_MOST_FREE: return empty_slots(model, state, sm) > empty_slots(model, state, best);
    case DISPATCH_ROUND_ROBIN: return best <= state->dispatch->last && sm > state->dispatch->last;
    case DISPATCH_STATIC:
    case DISPATCH_ANY: break;
    }
    return false;
}

/* The next block goes where docs/memory-model.md, section 2 says: to the lowest empty slot of one SM, also
 * while the dispatcher has others to hand out. */
static void find_ruled_dispatch(const struct search_model *model, const struct search_state *state,
                                struct search_choices *choices) {
    const struct search_scope *scope = &model->scope;
    uint32_t best = scope->sms;
    for (uint32_t s = 0; s < scope->sms; s++)
        if (empty_slots(model, state, s) > 0 && (best == scope->sms || is_preferred(model, state, s, best)))
            best = s;
    if (best == scope->sms) return;
    choices->items[choices->count++] =
        (struct search_choice){CHOICE_DISPATCH, (uint8_t)best, (uint8_t)lowest_empty(model, state, best),
                               (uint8_t)scope->order[scope->order_count - state->dispatch->left]};
}

/* Which block goes where when the dispatcher has nothing to do, or by its rule. */
static void find_dispatches(const struct search_model *model, const struct search_state *state,
                            struct search_choices *choices) {
    choices->count = 0;
    if (state->dispatch->left == 0) return;
    if (search_follows_rule(model)) {
        find_ruled_dispatch(model, state, choices);
        return;
    }
    if (state->dispatch->busy > 0) return;
    const bool fills_all = fills_all_slots(model, state);
    for (uint32_t s = 0; s < model->scope.sms && (choices->count == 0 || !fills_all); s++)
        if (sm_may_get_block(model, state, s))
            find_dispatches_to(model, state, s, fills_all && model->scope.order == NULL, choices);
    assert(choices->count <= SEARCH_CHOICES_MAX);
}

/* Counts a block that an SM was dealt; behind the last one all that only matters while dealing is forgotten.
 */
static void note_dealt(const struct search_model *model, struct search_state *state, uint32_t sm) {
    struct search_dispatch *dispatch = state->dispatch;
    uint32_t least = ++state->sms[sm].dealt;
    dispatch->to_deal--;
    for (uint32_t s = 0; s < model->scope.sms; s++)
        least = u32_min(least, state->sms[s].dealt);
    for (uint32_t s = 0; s < model->scope.sms; s++)
        state->sms[s].dealt = dispatch->to_deal == 0 ? 0 : state->sms[s].dealt - least;
    if (dispatch->to_deal > 0 || !model->scope.only_dealt) return;
    dispatch->left = 0;
    memset(state->left, 0, model->class_count * sizeof *state->left);
}

static void dispatch_block(const struct search_model *model, struct search_state *state,
                           const struct search_choice *choice) {
    const struct search_scope *scope = &model->scope;
    const struct search_class *class = &model->classes[choice->which];
    struct slot_view view;
    bool occupied = slot_at(model, state, choice->sm, choice->slot, &view);
    assert(!occupied && state->dispatch->left > 0);
    (void)occupied;
    const bool is_new = uses_matter(model) ? !view.slot->used : state->dispatch->to_deal > 0;
    state->dispatch->busy += scope->service;
    *view.slot = (struct search_slot){.class = choice->which,
                                      .held = state->dispatch->busy + (is_new ? 0 : scope->latency)};
    for (uint32_t w = 0; w < class->warps; w++)
        view.warps[w] = (struct search_warp){.place = class->places[w]};
    if (scope->rule == DISPATCH_ROUND_ROBIN) state->dispatch->last = choice->sm;
    state->dispatch->left--;
    if (scope->order == NULL) state->left[choice->which]--;
    if (state->dispatch->to_deal > 0) note_dealt(model, state, choice->sm);
}

/* What happens in no time. */

/* Executes instructions that take no issue slot and whose operands are there; says whether there was one. */
static bool execute_free(const struct search_model *model, const struct slot_view *view) {
    bool any = false;
    for (uint32_t w = 0; w < view->warp_count; w++) {
        while (warp_goes_on(model, view, w)) {
            const struct search_inst *inst = next_inst(model, &view->warps[w]);
            if (inst->unit != UNIT_NONE || search_operands_in(&view->warps[w], inst) > 0) break;
            search_warp_advance(&view->warps[w], inst, inst->latency);
            view->slot->drains = u32_max(view->slot->drains, inst->latency);
            any = true;
        }
    }
    return any;
}

/* At the start of a cycle, in one slot: barriers that every live warp has reached open, and hold the warps
 * until they have; what needs no issue slot is executed. When no blocks are left results that are under way
 * decide nothing any more: they are only noted in *at_least, for the state `passed` cycles ago. */
static void begin_slot(const struct search_model *model, const struct search_state *state,
                       const struct slot_view *view, uint32_t passed, uint32_t *at_least) {
    struct search_slot *slot = view->slot;
    uint32_t reached = barriers_reached(model, view);
    while (slot->held == 0) {
        if (reached != UINT32_MAX && reached != slot->opened) {
            assert(reached > slot->opened);
            slot->opened = reached;
            slot->held = model->machine->barrier_release;
            if (slot->held > 0) break;
        }
        if (!execute_free(model, view)) break;
        reached = barriers_reached(model, view);
    }
    if (state->dispatch->left == 0) {
        *at_least = u32_max(*at_least, passed + slot->drains);
        slot->drains = 0;
    }
    search_warps_sort(view->warps, view->warp_count);
    if (slot->drains == 0 && slot->held == 0 && reached == UINT32_MAX) empty_slot(model, view);
}

/* The SMs that have blocks. */
static void find_isolated(const struct search_model *model, const struct search_state *state,
                          struct search_choices *choices) {
    choices->count = 0;
    for (uint32_t s = 0; s < model->scope.sms && state->dispatch->left == 0; s++)
        if (empty_slots(model, state, s) < model->scope.slots)
            choices->items[choices->count++] = (struct search_choice){CHOICE_ISOLATION, (uint8_t)s, 0, 0};
}

/* The start of a cycle, up to choices that are to be made before any warp issues. */
static void begin_cycle(const struct search_model *model, struct search_state *state,
                        struct search_choices *choices, uint32_t passed, uint32_t *at_least) {
    for (;;) {
        struct slot_view view;
        const bool fills = search_follows_rule(model) && state->dispatch->to_deal > 0; /* all slots first */
        for (uint32_t s = 0; s < model->scope.sms && !fills; s++)
            for (uint32_t i = 0; i < model->scope.slots; i++)
                if (slot_at(model, state, s, i, &view)) begin_slot(model, state, &view, passed, at_least);
        find_dispatches(model, state, choices);
        if (choices->count != 1) break;
        search_state_choose(model, state, &choices->items[0]);
    }
    if (choices->count == 0) find_isolated(model, state, choices);
}

/* Issue. */

/* Whether the next instruction of warp w could be issued now, but for what the warp and its sub-core have
 * issued in this cycle. */
static bool has_all(const struct search_model *model, const struct slot_view *view, uint32_t w) {
    if (!warp_goes_on(model, view, w)) return false;
    const struct search_inst *inst = next_inst(model, &view->warps[w]);
    return inst->unit != UNIT_NONE && search_operands_in(&view->warps[w], inst) == 0 &&
           unit_open_in(model, view, w, inst) == 0;
}

static bool is_ready(const struct search_model *model, const struct slot_view *view, uint32_t w) {
    return (view->slot->issued >> w & 1) == 0 && !view->sub_cores[sub_core_of(model, view, w)].decided &&
           has_all(model, view, w);
}

static bool slots_equal(const struct slot_view *a, const struct slot_view *b) {
    if (memcmp(a->slot, b->slot, sizeof *a->slot) != 0) return false;
    for (uint32_t w = 0; w < a->warp_count; w++)
        if (search_warp_order(&a->warps[w], &b->warps[w]) != 0) return false;
    return true;
}

/* Whether a slot before it is in the same state, with its warps on the same sub-cores. */
static bool is_repeated(const struct search_model *model, const struct search_state *state, uint32_t sm,
                        uint32_t slot, const struct slot_view *view) {
    struct slot_view other;
    if (search_numbers_matter(model, state)) return false;
    for (uint32_t i = 0; i < slot; i++)
        if (slot_at(model, state, sm, i, &other) && other.first_sub_core == view->first_sub_core &&
            slots_equal(&other, view))
            return true;
    return false;
}

/* Sub-cores of an SM, as bits. */
struct issuers {
    uint32_t any;    /* those with a warp that can issue */
    uint32_t choose; /* of them, those with several, in whichever slots */
    uint32_t shared; /* of them, those that may issue to a unit that sub-cores share */
};

/* Whether a unit that sub-cores share may take what the warp issues in a cycle. */
static bool may_use_shared(const struct search_model *model, const struct search_warp *warp) {
    const struct search_program *program = program_of(model, warp);
    for (uint32_t i = 0; i < model->machine->issue_per_warp && warp->position + i < program->count; i++) {
        const uint8_t unit = program->insts[warp->position + i].unit;
        if (unit != UNIT_NONE && model->machine->units[unit].shared) return true;
    }
    return false;
}

/* The warps that an SM can issue now; of those that can be exchanged only the first. A sub-core has a choice
 * where slots can be exchanged: not any more when another sub-core has made one of theirs. */
static struct issuers find_issues(const struct search_model *model, const struct search_state *state,
                                  uint32_t sm, struct search_choices *choices) {
    struct issuers issuers = {0};
    struct slot_view view;
    choices->count = 0;
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        if (!slot_at(model, state, sm, i, &view) || view.slot->held > 0) continue;
        const bool repeated = is_repeated(model, state, sm, i, &view);
        for (uint32_t w = 0; w < view.warp_count; w++) {
            if (!is_ready(model, &view, w)) continue;
            if (w > 0 && search_warp_order(&view.warps[w], &view.warps[w - 1]) == 0 &&
                (view.slot->issued >> (w - 1) & 1) == 0)
                continue;
            const uint32_t sub_core = UINT32_C(1) << sub_core_of(model, &view, w);
            issuers.choose |= issuers.any & sub_core;
            issuers.any |= sub_core;
            if (repeated) continue;
            if (model->machine->sub_cores > 1 && may_use_shared(model, &view.warps[w]))
                issuers.shared |= sub_core;
            choices->items[choices->count++] =
                (struct search_choice){CHOICE_ISSUE, (uint8_t)sm, (uint8_t)i, (uint8_t)w};
        }
    }
    return issuers;
}

/* Whether the warp of a choice is on one of some sub-cores. */
static bool is_of(const struct search_model *model, const struct search_state *state,
                  const struct search_choice *choice, uint32_t sub_cores) {
    struct slot_view view;
    (void)slot_at(model, state, choice->sm, choice->slot, &view);
    return (sub_cores >> sub_core_of(model, &view, choice->which) & 1) != 0;
}

/* Keeps the choices of one sub-core, where no other one can make a difference to it: sub-cores that issue to
 * shared units come last, and then any of them may be the next. */
static void keep_next_sub_cores(const struct search_model *model, const struct search_state *state,
                                const struct issuers *issuers, struct search_choices *choices) {
    const uint32_t alone = issuers->any & ~issuers->shared;
    const uint32_t next = alone != 0 ? alone & (~alone + 1) : issuers->shared;
    uint32_t kept = 0;
    if (next == issuers->any) return;
    for (uint32_t i = 0; i < choices->count; i++)
        if (is_of(model, state, &choices->items[i], next)) choices->items[kept++] = choices->items[i];
    choices->count = kept;
}

/* A sub-core has issued all that it does in this cycle. */
static void decide_sub_core(const struct search_model *model, struct search_state *state, uint32_t sm,
                            uint32_t sub_core) {
    struct slot_view view;
    state->sub_cores[sm * model->machine->sub_cores + sub_core] = (struct search_sub_core){.decided = 1};
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        if (!slot_at(model, state, sm, i, &view) || view.slot->issued == 0) continue;
        for (uint32_t w = 0; w < view.warp_count; w++)
            if (sub_core_of(model, &view, w) == sub_core) view.slot->issued &= ~(UINT32_C(1) << w);
    }
}

/* Those of an SM that cannot issue, as none of their warps will become ready in this cycle. */
static void decide_others(const struct search_model *model, struct search_state *state, uint32_t sm,
                          uint32_t issuers) {
    for (uint32_t c = 0; c < model->machine->sub_cores; c++)
        if ((issuers >> c & 1) == 0 && !state->sub_cores[sm * model->machine->sub_cores + c].decided)
            decide_sub_core(model, state, sm, c);
}

static uint32_t issue_next(const struct search_model *model, const struct slot_view *view, uint32_t w) {
    struct search_warp *warp = &view->warps[w];
    const struct search_inst *inst = next_inst(model, warp);
    const uint32_t complete =
        search_unit_take(unit_of(model, view, w, inst), inst, model->machine->units[inst->unit].count,
                         model->machine->dispatch_depth);
    search_warp_advance(warp, inst, complete);
    view->slot->drains = u32_max(view->slot->drains, complete);
    return UINT32_C(1) << inst->unit;
}

/* A warp uses a slot of its sub-core: for its next instruction, and for those behind it that can be issued in
 * the same cycle, each to another unit. */
static void issue_warp(const struct search_model *model, struct search_state *state,
                       const struct search_choice *choice) {
    const uint32_t w = choice->which;
    struct slot_view view;
    (void)slot_at(model, state, choice->sm, choice->slot, &view);
    assert(is_ready(model, &view, w));
    uint32_t units = issue_next(model, &view, w);
    for (uint32_t issued = 1; issued < model->machine->issue_per_warp && has_all(model, &view, w) &&
                              (units >> next_inst(model, &view.warps[w])->unit & 1) == 0;
         issued++)
        units |= issue_next(model, &view, w);
    const uint32_t sub_core = sub_core_of(model, &view, w);
    if (++view.sub_cores[sub_core].issued == model->machine->issue_width)
        decide_sub_core(model, state, choice->sm, sub_core);
    else
        view.slot->issued |= UINT32_C(1) << w;
}

/* Lets sub-cores issue that have no choice and that no other one makes a difference to; says whether there
 * was one. */
static bool issue_forced(const struct search_model *model, struct search_state *state,
                         const struct issuers *issuers, const struct search_choices *choices) {
    const uint32_t forced = issuers->any & ~issuers->choose & ~issuers->shared;
    for (uint32_t i = 0; i < choices->count && forced != 0; i++)
        if (is_of(model, state, &choices->items[i], forced)) issue_warp(model, state, &choices->items[i]);
    return forced != 0;
}

static bool has_decided(const struct search_model *model, const struct search_state *state, uint32_t sm) {
    for (uint32_t c = 0; c < model->machine->sub_cores; c++)
        if (!state->sub_cores[sm * model->machine->sub_cores + c].decided) return false;
    return true;
}

/* Lets an SM issue, up to choices; true when it has issued all that it does in this cycle. */
static bool issue_sm(const struct search_model *model, struct search_state *state, uint32_t sm,
                     struct search_choices *choices) {
    const bool every_issue = model->scope.every_issue;
    while (!has_decided(model, state, sm)) {
        const struct issuers issuers = find_issues(model, state, sm, choices);
        decide_others(model, state, sm, issuers.any);
        if (!every_issue && issue_forced(model, state, &issuers, choices)) continue;
        keep_next_sub_cores(model, state, &issuers, choices);
        if (choices->count > (every_issue ? 0 : 1)) return false;
        if (choices->count == 1) issue_warp(model, state, &choices->items[0]);
    }
    return true;
}

/* Lets all SMs issue, up to choices of one of them; true when all have. */
static bool issue_all(const struct search_model *model, struct search_state *state,
                      struct search_choices *choices) {
    for (uint32_t s = 0; s < model->scope.sms; s++)
        if (!issue_sm(model, state, s, choices)) return false;
    return true;
}

void search_state_choose(const struct search_model *model, struct search_state *state,
                         const struct search_choice *choice) {
    struct slot_view view;
    if (choice->kind == CHOICE_ISSUE) {
        issue_warp(model, state, choice);
    } else if (choice->kind == CHOICE_DISPATCH) {
        dispatch_block(model, state, choice);
    } else {
        for (uint32_t s = 0; s < model->scope.sms; s++)
            for (uint32_t i = 0; i < model->scope.slots && s != choice->sm; i++)
                if (slot_at(model, state, s, i, &view)) empty_slot(model, &view);
    }
}

/* Time. */

/* Until something happens in a slot, UINT32_MAX: nothing will. */
static uint32_t slot_event_in(const struct search_model *model, const struct slot_view *view) {
    uint32_t first = UINT32_MAX, reached = UINT32_MAX;
    if (view->slot->held > 0) return view->slot->held;
    for (uint32_t w = 0; w < view->warp_count; w++) {
        const struct search_warp *warp = &view->warps[w];
        if (warp_ended(model, warp)) continue;
        reached = u32_min(reached, program_of(model, warp)->barriers_before[warp->position]);
        if (!warp_goes_on(model, view, w)) continue;
        const struct search_inst *inst = next_inst(model, warp);
        uint32_t in = search_operands_in(warp, inst);
        if (inst->unit != UNIT_NONE) in = u32_max(in, unit_open_in(model, view, w, inst));
        first = u32_min(first, in);
    }
    if (reached == UINT32_MAX) first = view->slot->drains;
    return u32_max(reached == UINT32_MAX || reached == view->slot->opened ? first : 1, 1);
}

/* The same of all slots. */
static uint32_t next_event_in(const struct search_model *model, const struct search_state *state) {
    uint32_t first = UINT32_MAX;
    struct slot_view view;
    for (uint32_t s = 0; s < model->scope.sms; s++)
        for (uint32_t i = 0; i < model->scope.slots; i++)
            if (slot_at(model, state, s, i, &view)) first = u32_min(first, slot_event_in(model, &view));
    if (state->dispatch->left > 0 && state->dispatch->busy > 0) first = u32_min(first, state->dispatch->busy);
    return first;
}

static void pass_time(const struct search_model *model, struct search_state *state, uint32_t passed) {
    const struct search_scope *scope = &model->scope;
    const uint32_t sub_cores = scope->sms * model->machine->sub_cores;
    struct slot_view view;
    memset(state->sub_cores, 0, sub_cores * sizeof *state->sub_cores);
    for (uint32_t s = 0; s < scope->sms; s++) {
        for (uint32_t u = 0; u < model->machine->unit_count; u++) {
            struct search_unit *first =
                &state->units[s * model->machine->unit_count * model->machine->sub_cores];
            const uint32_t of_sub_cores = model->machine->units[u].shared ? 1 : model->machine->sub_cores;
            for (uint32_t c = 0; c < of_sub_cores; c++)
                search_unit_pass(&first[unit_index(model, u, c)], model->machine->units[u].count, passed);
        }
        for (uint32_t i = 0; i < scope->slots; i++) {
            if (!slot_at(model, state, s, i, &view)) continue;
            view.slot->held = search_earlier(view.slot->held, passed);
            view.slot->drains = search_earlier(view.slot->drains, passed);
            for (uint32_t w = 0; w < view.warp_count; w++)
                search_warp_pass(&view.warps[w], passed);
        }
    }
    state->dispatch->busy = search_earlier(state->dispatch->busy, passed);
}

/* Canonical states. */

/* The units that blocks still to come may use, as bits. */
static uint32_t units_to_come(const struct search_model *model, const struct search_state *state) {
    const struct search_scope *scope = &model->scope;
    uint32_t units = 0;
    if (scope->order != NULL) {
        for (uint32_t b = scope->order_count - state->dispatch->left; b < scope->order_count; b++)
            units |= model->classes[scope->order[b]].units;
        return units;
    }
    for (uint32_t c = 0; c < model->class_count; c++)
        if (state->left[c] > 0) units |= model->classes[c].units;
    return units;
}

/* Takes out of a slot results that are there before the block can end. Adds the units that its warps are
 * still to use to those of their sub-cores. */
static void canonicalise_slot(const struct search_model *model, const struct slot_view *view,
                              uint32_t *units_of) {
    uint32_t rest = view->slot->held;
    for (uint32_t w = 0; w < view->warp_count; w++) {
        const struct search_warp *warp = &view->warps[w];
        const struct search_program *program = program_of(model, warp);
        units_of[sub_core_of(model, view, w)] |= program->units_left[warp->position];
        if (view->slot->drains > 0)
            rest = u32_max(rest, view->slot->held + program->shortest_rest[warp->position]);
    }
    if (view->slot->drains <= rest) view->slot->drains = 0;
}

/* Forgets units that no warp is to use any more; units_of: bit u of a sub-core for its unit u. */
static void canonicalise_units(const struct search_model *model, const struct search_state *state,
                               uint32_t sm, const uint32_t *units_of) {
    const struct wb_machine *machine = model->machine;
    uint32_t units_of_any = 0;
    for (uint32_t c = 0; c < machine->sub_cores; c++)
        units_of_any |= units_of[c];
    for (uint32_t u = 0; u < machine->unit_count; u++) {
        const bool shared = machine->units[u].shared;
        for (uint32_t c = 0; c < (shared ? 1 : machine->sub_cores); c++)
            if (((shared ? units_of_any : units_of[c]) >> u & 1) == 0)
                state->units[sm * machine->unit_count * machine->sub_cores + unit_index(model, u, c)] =
                    (struct search_unit){0};
    }
}

/* Takes out of a state what cannot matter any more. */
static void canonicalise(const struct search_model *model, const struct search_state *state) {
    const uint32_t to_come = units_to_come(model, state);
    struct slot_view view;
    if (state->dispatch->left == 0) state->dispatch->busy = 0;
    for (uint32_t s = 0; s < model->scope.sms; s++) {
        uint32_t units_of[SEARCH_SUB_CORES_MAX];
        for (uint32_t c = 0; c < model->machine->sub_cores; c++)
            units_of[c] = to_come;
        for (uint32_t i = 0; i < model->scope.slots; i++) {
            if (slot_at(model, state, s, i, &view)) canonicalise_slot(model, &view, units_of);
            if (state->dispatch->left == 0) view.slot->used = 0;
        }
        canonicalise_units(model, state, s, units_of);
    }
}

/* Whether some sub-core has issued, or decided not to, in this cycle. */
static bool is_within_cycle(const struct search_model *model, const struct search_state *state) {
    for (uint32_t c = 0; c < model->scope.sms * model->machine->sub_cores; c++)
        if (state->sub_cores[c].decided || state->sub_cores[c].issued > 0) return true;
    return false;
}

void search_state_advance(const struct search_model *model, struct search_state *state,
                          struct search_choices *choices, uint32_t *passed, uint32_t *at_least) {
    *passed = *at_least = 0;
    for (;;) {
        choices->count = 0;
        if (!is_within_cycle(model, state)) begin_cycle(model, state, choices, *passed, at_least);
        if (choices->count > 1 || !issue_all(model, state, choices)) break;
        const uint32_t next = next_event_in(model, state);
        if (next == UINT32_MAX) {
            choices->count = 0;
            return;
        }
        pass_time(model, state, next);
        *passed += next;
    }
    canonicalise(model, state);
}
