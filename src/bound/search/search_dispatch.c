/* The dispatcher in the search over schedules: which block may go to which slot of which SM next. */
#include <assert.h>
#include <string.h>

#include "bound/search/search_state.h"

bool search_uses_matter(const struct search_model *model) {
    return !search_follows_rule(model) && model->scope.service > 0 && model->scope.latency > 0;
}

/* Whether an SM may get the next block: it has a slot and, while blocks are dealt out, got as few as any. */
static bool sm_may_get_block(const struct search_model *model, const struct search_state *state,
                             uint32_t sm) {
    for (uint32_t s = 0; s < model->scope.sms && state->dispatch->to_deal > 0; s++)
        if (state->sms[s].dealt < state->sms[sm].dealt) return false;
    return search_empty_slots(model, state, sm) > 0;
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
        empty += search_empty_slots(model, state, s);
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
    case DISPATCH_MOST_FREE:
        return search_empty_slots(model, state, sm) > search_empty_slots(model, state, best);
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
        if (search_empty_slots(model, state, s) > 0 &&
            (best == scope->sms || is_preferred(model, state, s, best)))
            best = s;
    if (best == scope->sms) return;
    choices->items[choices->count++] =
        (struct search_choice){CHOICE_DISPATCH, (uint8_t)best, (uint8_t)lowest_empty(model, state, best),
                               (uint8_t)scope->order[scope->order_count - state->dispatch->left]};
}

void search_find_dispatches(const struct search_model *model, const struct search_state *state,
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

void search_dispatch_block(const struct search_model *model, struct search_state *state,
                           const struct search_choice *choice) {
    const struct search_scope *scope = &model->scope;
    const struct search_class *class = &model->classes[choice->which];
    struct slot_view view;
    bool occupied = slot_at(model, state, choice->sm, choice->slot, &view);
    assert(!occupied && state->dispatch->left > 0);
    (void)occupied;
    const bool is_new = search_uses_matter(model) ? !view.slot->used : state->dispatch->to_deal > 0;
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
