#include "bound/search/search_state.h"

#include <assert.h>
#include <string.h>

/* Keys of the table of states have a length of two bytes. */
#define KEY_BYTES_MAX 65535u

/* Most bytes in a key of the parts that are neither units nor warps. */
#define DISPATCH_KEY_MAX (3 * SEARCH_NUMBER_KEY_MAX)
#define SM_KEY_MAX (3 * SEARCH_NUMBER_KEY_MAX)
#define SLOT_KEY_MAX (5 * SEARCH_NUMBER_KEY_MAX)

static size_t put_behind(size_t *size, size_t count, size_t item) {
    size_t at = *size;
    *size += count * item;
    return at;
}

bool search_model_set(struct search_model *model, const struct search_scope *scope) {
    struct search_layout *layout = &model->layout;
    const size_t units = model->machine->unit_count, slots = (size_t)scope->sms * scope->slots;
    assert(scope->sms <= SEARCH_SMS_MAX && scope->slots <= SEARCH_SLOTS_MAX);
    assert(scope->order == NULL || scope->sms == 1);
    model->scope = *scope;
    size_t size = sizeof(struct search_dispatch);
    layout->left = put_behind(&size, model->class_count, sizeof(uint32_t));
    layout->sms = put_behind(&size, scope->sms, sizeof(struct search_sm));
    layout->units = put_behind(&size, scope->sms * units, sizeof(struct search_unit));
    layout->slots = put_behind(&size, slots, sizeof(struct search_slot));
    layout->warps = put_behind(&size, slots * model->slot_warps, sizeof(struct search_warp));
    layout->size = size;
    const size_t slot_max = SLOT_KEY_MAX + (size_t)model->slot_warps * SEARCH_WARP_KEY_MAX;
    const size_t sm_max = SM_KEY_MAX + units * SEARCH_UNIT_KEY_MAX + scope->slots * slot_max;
    layout->key_max = DISPATCH_KEY_MAX + model->class_count * SEARCH_NUMBER_KEY_MAX + scope->sms * sm_max;
    return layout->key_max <= KEY_BYTES_MAX;
}

struct search_state search_state_in(const struct search_model *model, void *memory) {
    const struct search_layout *layout = &model->layout;
    unsigned char *bytes = memory;
    return (struct search_state){.dispatch = (struct search_dispatch *)memory,
                                 .left = (uint32_t *)(void *)(bytes + layout->left),
                                 .sms = (struct search_sm *)(void *)(bytes + layout->sms),
                                 .units = (struct search_unit *)(void *)(bytes + layout->units),
                                 .slots = (struct search_slot *)(void *)(bytes + layout->slots),
                                 .warps = (struct search_warp *)(void *)(bytes + layout->warps)};
}

/* A slot and what belongs to it. */
struct slot_view {
    struct search_slot *slot;
    struct search_warp *warps;
    uint32_t warp_count;
    struct search_unit *units; /* of its SM */
};

/* False when the slot is empty. */
static inline bool slot_at(const struct search_model *model, const struct search_state *state, uint32_t sm,
                           uint32_t slot, struct slot_view *view) {
    const size_t index = (size_t)sm * model->scope.slots + slot;
    view->slot = &state->slots[index];
    view->warps = &state->warps[index * model->slot_warps];
    view->units = &state->units[(size_t)sm * model->machine->unit_count];
    view->warp_count = view->slot->class == SLOT_EMPTY ? 0 : model->classes[view->slot->class].warps;
    return view->slot->class != SLOT_EMPTY;
}

static inline const struct search_program *program_of(const struct search_model *model,
                                                      const struct search_warp *warp) {
    return &model->programs[warp->path];
}

static inline bool warp_ended(const struct search_model *model, const struct search_warp *warp) {
    return warp->position == program_of(model, warp)->count;
}

static inline const struct search_inst *next_inst(const struct search_model *model,
                                                  const struct search_warp *warp) {
    assert(!warp_ended(model, warp));
    return &program_of(model, warp)->insts[warp->position];
}

/* Whether the warp is still to issue something, and no barrier holds it. */
static inline bool warp_goes_on(const struct search_model *model, const struct slot_view *view, uint32_t w) {
    const struct search_warp *warp = &view->warps[w];
    return !warp_ended(model, warp) &&
           program_of(model, warp)->barriers_before[warp->position] <= view->slot->opened;
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

/* Until an instruction may be issued to its unit. */
static inline uint32_t unit_open_in(const struct search_model *model, const struct slot_view *view,
                                    const struct search_inst *inst) {
    return search_unit_open_in(&view->units[inst->unit], model->machine->units[inst->unit].count,
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
    assert(scope->dealt <= state->dispatch->left);
    for (size_t s = 0; s < (size_t)scope->sms * scope->slots; s++)
        state->slots[s].class = SLOT_EMPTY;
}

/* Whether a block starts later in a slot that another one has left. When the dispatcher takes no time every
 * slot is filled at the start, and later blocks all go to used slots. */
static bool uses_matter(const struct search_model *model) {
    return model->scope.service > 0 && model->scope.latency > 0;
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

/* Which block goes where when the dispatcher has nothing to do: of the empty slots of an SM it may be the
 * first that is new, or the first that is not. Blocks that are dealt out go to new ones. */
static void find_dispatches(const struct search_model *model, const struct search_state *state,
                            struct search_choices *choices) {
    choices->count = 0;
    if (state->dispatch->left == 0 || state->dispatch->busy > 0) return;
    const bool any_sm = fills_all_slots(model, state);
    for (uint32_t s = 0; s < model->scope.sms && (choices->count == 0 || !any_sm); s++) {
        bool seen[2] = {false, state->dispatch->to_deal > 0};
        if (!sm_may_get_block(model, state, s)) continue;
        for (uint32_t i = 0; i < model->scope.slots; i++) {
            const struct search_slot *slot = &state->slots[(size_t)s * model->scope.slots + i];
            if (slot->class != SLOT_EMPTY || seen[slot->used]) continue;
            seen[slot->used] = true;
            for (uint32_t c = 0; c < model->class_count; c++)
                if (class_may_be_next(model, state, c))
                    choices->items[choices->count++] =
                        (struct search_choice){CHOICE_DISPATCH, (uint8_t)s, (uint8_t)i, (uint8_t)c};
        }
    }
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
    *view.slot =
        (struct search_slot){.class = choice->which, .held = scope->service + (is_new ? 0 : scope->latency)};
    for (uint32_t w = 0; w < class->warps; w++)
        view.warps[w] = (struct search_warp){.path = class->paths[w]};
    state->dispatch->busy = scope->service;
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
        for (uint32_t s = 0; s < model->scope.sms; s++)
            for (uint32_t i = 0; i < model->scope.slots; i++)
                if (slot_at(model, state, s, i, &view)) begin_slot(model, state, &view, passed, at_least);
        find_dispatches(model, state, choices);
        if (choices->count != 1) break;
        search_state_choose(model, state, &choices->items[0]);
    }
    if (choices->count == 0) find_isolated(model, state, choices);
}

/* Issue. */

static bool is_ready(const struct search_model *model, const struct slot_view *view, uint32_t w) {
    if ((view->slot->issued >> w & 1) != 0 || !warp_goes_on(model, view, w)) return false;
    const struct search_inst *inst = next_inst(model, &view->warps[w]);
    return inst->unit != UNIT_NONE && search_operands_in(&view->warps[w], inst) == 0 &&
           unit_open_in(model, view, inst) == 0;
}

static bool slots_equal(const struct slot_view *a, const struct slot_view *b) {
    if (memcmp(a->slot, b->slot, sizeof *a->slot) != 0) return false;
    for (uint32_t w = 0; w < a->warp_count; w++)
        if (search_warp_order(&a->warps[w], &b->warps[w]) != 0) return false;
    return true;
}

/* Whether a slot before it is in the same state. */
static bool is_repeated(const struct search_model *model, const struct search_state *state, uint32_t sm,
                        uint32_t slot, const struct slot_view *view) {
    struct slot_view other;
    for (uint32_t i = 0; i < slot; i++)
        if (slot_at(model, state, sm, i, &other) && slots_equal(&other, view)) return true;
    return false;
}

/* The warps that an SM can issue now; of those that can be exchanged only the first. */
static void find_issues(const struct search_model *model, const struct search_state *state, uint32_t sm,
                        struct search_choices *choices) {
    struct slot_view view;
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        if (!slot_at(model, state, sm, i, &view) || view.slot->held > 0) continue;
        if (is_repeated(model, state, sm, i, &view)) continue;
        for (uint32_t w = 0; w < view.warp_count; w++) {
            if (!is_ready(model, &view, w)) continue;
            if (w > 0 && search_warp_order(&view.warps[w], &view.warps[w - 1]) == 0 &&
                (view.slot->issued >> (w - 1) & 1) == 0)
                continue;
            choices->items[choices->count++] =
                (struct search_choice){CHOICE_ISSUE, (uint8_t)sm, (uint8_t)i, (uint8_t)w};
        }
    }
}

static void issue_warp(const struct search_model *model, struct search_state *state,
                       const struct search_choice *choice) {
    struct slot_view view;
    (void)slot_at(model, state, choice->sm, choice->slot, &view);
    assert(is_ready(model, &view, choice->which));
    struct search_warp *warp = &view.warps[choice->which];
    const struct search_inst *inst = next_inst(model, warp);
    uint32_t complete =
        search_unit_take(&view.units[inst->unit], inst, model->machine->units[inst->unit].count,
                         model->machine->dispatch_depth);
    search_warp_advance(warp, inst, complete);
    view.slot->drains = u32_max(view.slot->drains, complete);
    view.slot->issued |= UINT32_C(1) << choice->which;
    state->sms[choice->sm].issued++;
}

/* An SM has issued all that it does in this cycle. */
static void decide_sm(const struct search_model *model, struct search_state *state, uint32_t sm) {
    state->sms[sm].decided = 1;
    state->sms[sm].issued = 0;
    for (uint32_t i = 0; i < model->scope.slots; i++)
        state->slots[(size_t)sm * model->scope.slots + i].issued = 0;
}

/* Lets all SMs issue, up to choices of one of them; true when all have. */
static bool issue_all(const struct search_model *model, struct search_state *state,
                      struct search_choices *choices) {
    const uint32_t without_choice = model->scope.every_issue ? 0 : 1;
    for (uint32_t s = 0; s < model->scope.sms; s++) {
        while (!state->sms[s].decided) {
            choices->count = 0;
            if (state->sms[s].issued < model->machine->issue_width) find_issues(model, state, s, choices);
            if (choices->count > without_choice) return false;
            if (choices->count == 0)
                decide_sm(model, state, s);
            else
                issue_warp(model, state, &choices->items[0]);
        }
    }
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
        if (inst->unit != UNIT_NONE) in = u32_max(in, unit_open_in(model, view, inst));
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
    struct slot_view view;
    for (uint32_t s = 0; s < scope->sms; s++) {
        state->sms[s].decided = 0;
        for (uint32_t u = 0; u < model->machine->unit_count; u++)
            search_unit_pass(&state->units[s * model->machine->unit_count + u],
                             model->machine->units[u].count, passed);
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

/* Takes out of a slot results that are there before the block can end. Returns the units that its warps are
 * still to use. */
static uint32_t canonicalise_slot(const struct search_model *model, const struct slot_view *view) {
    uint32_t units = 0, rest = view->slot->held;
    for (uint32_t w = 0; w < view->warp_count; w++) {
        const struct search_warp *warp = &view->warps[w];
        const struct search_program *program = program_of(model, warp);
        units |= program->units_left[warp->position];
        if (view->slot->drains > 0)
            rest = u32_max(rest, view->slot->held + program->shortest_rest[warp->position]);
    }
    if (view->slot->drains <= rest) view->slot->drains = 0;
    return units;
}

/* Takes out of a state what cannot matter any more. */
static void canonicalise(const struct search_model *model, const struct search_state *state) {
    const uint32_t to_come = units_to_come(model, state);
    struct slot_view view;
    if (state->dispatch->left == 0) state->dispatch->busy = 0;
    for (uint32_t s = 0; s < model->scope.sms; s++) {
        uint32_t units = to_come;
        for (uint32_t i = 0; i < model->scope.slots; i++) {
            if (slot_at(model, state, s, i, &view)) units |= canonicalise_slot(model, &view);
            if (state->dispatch->left == 0) view.slot->used = 0;
        }
        for (uint32_t u = 0; u < model->machine->unit_count; u++)
            if ((units >> u & 1) == 0)
                state->units[s * model->machine->unit_count + u] = (struct search_unit){0};
    }
}

/* Whether some SM has issued, or decided not to, in this cycle. */
static bool is_within_cycle(const struct search_model *model, const struct search_state *state) {
    for (uint32_t s = 0; s < model->scope.sms; s++)
        if (state->sms[s].decided || state->sms[s].issued > 0) return true;
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

/* States as bytes: slots of an SM can be exchanged, and so can SMs, so both are written in order. Numbers
 * that are the same in all states with the same number of blocks left are not written. */

/* Whether there can be choices behind the first issue of a cycle. Where there are none, no SM has issued yet
 * in the cycle of a choice, and every barrier that can open has opened. */
static bool chooses_within_cycles(const struct search_model *model) {
    return model->scope.sms > 1 || model->machine->issue_width > 1;
}

/* Pieces of bytes that stand one behind the other, to be brought in order. */
struct pieces {
    const uint8_t *ends[SEARCH_SLOTS_MAX + 1]; /* the end of each, behind the start of the first */
    uint32_t count;
};

_Static_assert(SEARCH_SMS_MAX <= SEARCH_SLOTS_MAX, "pieces are slots of an SM, or SMs");

static int piece_order(const struct pieces *pieces, uint32_t a, uint32_t b) {
    const uint8_t *first = pieces->ends[a], *second = pieces->ends[b];
    size_t first_length = (size_t)(pieces->ends[a + 1] - first);
    size_t second_length = (size_t)(pieces->ends[b + 1] - second);
    int order = memcmp(first, second, first_length < second_length ? first_length : second_length);
    if (order != 0) return order;
    return (first_length > second_length) - (first_length < second_length);
}

/* Writes the pieces in order; returns the place behind them. */
static uint8_t *put_sorted(uint8_t *at, const struct pieces *pieces) {
    uint32_t order[SEARCH_SLOTS_MAX];
    for (uint32_t p = 0; p < pieces->count; p++) {
        uint32_t i = p;
        for (; i > 0 && piece_order(pieces, p, order[i - 1]) < 0; i--)
            order[i] = order[i - 1];
        order[i] = p;
    }
    for (uint32_t p = 0; p < pieces->count; p++) {
        const uint8_t *piece = pieces->ends[order[p]];
        size_t length = (size_t)(pieces->ends[order[p] + 1] - piece);
        memcpy(at, piece, length);
        at += length;
    }
    return at;
}

/* The programs of the warps follow from the block's class. */
static uint8_t *put_slot(const struct search_model *model, const struct search_state *state,
                         const struct slot_view *view, uint8_t *at) {
    const bool within = chooses_within_cycles(model);
    if (view->slot->class == SLOT_EMPTY) return search_put_number(at, view->slot->used);
    at = search_put_number(at, view->slot->class + 2);
    at = search_put_number(at, view->slot->held);
    if (within || state->dispatch->left > 0) at = search_put_number(at, view->slot->drains);
    if (within) {
        at = search_put_number(at, view->slot->opened);
        at = search_put_number(at, view->slot->issued);
    } else {
        assert(view->slot->issued == 0);
    }
    for (uint32_t w = 0; w < view->warp_count; w++)
        at = search_put_warp(at, &view->warps[w]);
    return at;
}

static uint8_t *put_sm(const struct search_model *model, const struct search_state *state, uint32_t sm,
                       uint8_t *scratch, uint8_t *at) {
    const struct wb_machine *machine = model->machine;
    struct pieces slots = {.count = model->scope.slots};
    struct slot_view view;
    if (chooses_within_cycles(model)) {
        at = search_put_number(at, state->sms[sm].decided);
        at = search_put_number(at, state->sms[sm].issued);
    } else {
        assert(!state->sms[sm].decided && state->sms[sm].issued == 0);
    }
    if (state->dispatch->to_deal > 0) at = search_put_number(at, state->sms[sm].dealt);
    for (uint32_t u = 0; u < machine->unit_count; u++)
        at = search_put_unit(at, &state->units[sm * machine->unit_count + u], machine->units[u].count,
                             machine->dispatch_depth);
    if (slots.count == 1) {
        (void)slot_at(model, state, sm, 0, &view);
        return put_slot(model, state, &view, at);
    }
    slots.ends[0] = scratch;
    for (uint32_t i = 0; i < slots.count; i++) {
        (void)slot_at(model, state, sm, i, &view);
        scratch = put_slot(model, state, &view, scratch);
        slots.ends[i + 1] = scratch;
    }
    return put_sorted(at, &slots);
}

size_t search_state_key(const struct search_model *model, const struct search_state *state, uint8_t *scratch,
                        uint8_t *key) {
    struct pieces sms = {.count = model->scope.sms};
    uint8_t *at = search_put_number(key, state->dispatch->left);
    if (state->dispatch->left > 0) {
        at = search_put_number(at, state->dispatch->to_deal);
        at = search_put_number(at, state->dispatch->busy);
        for (uint32_t c = 0; c < model->class_count; c++)
            at = search_put_number(at, state->left[c]);
    }
    if (sms.count == 1) {
        at = put_sm(model, state, 0, scratch, at);
        assert((size_t)(at - key) <= model->layout.key_max);
        return (size_t)(at - key);
    }
    uint8_t *slots = at; /* of one SM at a time, where the SMs go at the end */
    sms.ends[0] = scratch;
    for (uint32_t s = 0; s < sms.count; s++) {
        scratch = put_sm(model, state, s, slots, scratch);
        sms.ends[s + 1] = scratch;
    }
    at = put_sorted(at, &sms);
    assert((size_t)(at - key) <= model->layout.key_max);
    return (size_t)(at - key);
}
