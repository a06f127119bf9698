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

static void empty_slot(const struct search_model *model, const struct slot_view *view) {
    *view->slot = (struct search_slot){.class = SLOT_EMPTY, .used = search_uses_matter(model)};
    memset(view->warps, 0, model->slot_warps * sizeof *view->warps);
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
        if (search_empty_slots(model, state, s) < model->scope.slots)
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
        search_find_dispatches(model, state, choices);
        if (choices->count != 1) break;
        search_state_choose(model, state, &choices->items[0]);
    }
    if (choices->count == 0) find_isolated(model, state, choices);
}

void search_state_choose(const struct search_model *model, struct search_state *state,
                         const struct search_choice *choice) {
    struct slot_view view;
    if (choice->kind == CHOICE_ISSUE) {
        search_issue_warp(model, state, choice);
    } else if (choice->kind == CHOICE_DISPATCH) {
        search_dispatch_block(model, state, choice);
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
        if (choices->count > 1 || !search_issue_all(model, state, choices)) break;
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
