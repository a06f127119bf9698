/* A slot of a state with what belongs to it: its warps, the sub-cores that they are on, and the units that
 * they can reach. */
#ifndef WB_BOUND_SEARCH_SEARCH_VIEW_H
#define WB_BOUND_SEARCH_SEARCH_VIEW_H

#include "bound/search/search_parts.h"

struct slot_view {
    struct search_slot *slot;
    struct search_warp *warps;
    uint32_t warp_count;
    uint32_t first_sub_core;           /* of its first warp */
    struct search_sub_core *sub_cores; /* of its SM */
    struct search_unit *units;         /* of its SM */
};

/* False when the slot is empty. */
static inline bool slot_at(const struct search_model *model, const struct search_state *state, uint32_t sm,
                           uint32_t slot, struct slot_view *view) {
    const size_t index = (size_t)sm * model->scope.slots + slot;
    const size_t first = (size_t)sm * model->machine->sub_cores;
    view->slot = &state->slots[index];
    view->warps = &state->warps[index * model->slot_warps];
    view->first_sub_core = model->first_sub_core[slot];
    view->sub_cores = &state->sub_cores[first];
    view->units = &state->units[first * model->machine->unit_count];
    view->warp_count = view->slot->class == SLOT_EMPTY ? 0 : model->classes[view->slot->class].warps;
    return view->slot->class != SLOT_EMPTY;
}

/* Whether blocks come in their order, each to the slot that the rule of the dispatcher says. */
static inline bool search_follows_rule(const struct search_model *model) {
    return model->scope.rule != DISPATCH_ANY && model->scope.rule != DISPATCH_STATIC;
}

/* Whether a rule goes by the numbers of SMs and slots, so that those in equal states cannot be exchanged. */
static inline bool search_numbers_matter(const struct search_model *model, const struct search_state *state) {
    return search_follows_rule(model) && state->dispatch->left > 0;
}

static inline const struct search_program *program_of(const struct search_model *model,
                                                      const struct search_warp *warp) {
    return &model->programs[warp->place.path];
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

static inline uint32_t sub_core_of(const struct search_model *model, const struct slot_view *view,
                                   uint32_t w) {
    const uint32_t sub_core = view->first_sub_core + view->warps[w].place.sub_core;
    return sub_core < model->machine->sub_cores ? sub_core : sub_core - model->machine->sub_cores;
}

/* Where a sub-core's unit stands among those of the SM; one that all share is that of the first sub-core. */
static inline uint32_t unit_index(const struct search_model *model, uint32_t unit, uint32_t sub_core) {
    return unit * model->machine->sub_cores + (model->machine->units[unit].shared ? 0 : sub_core);
}

/* The unit that executes the next instruction of warp w. */
static inline struct search_unit *unit_of(const struct search_model *model, const struct slot_view *view,
                                          uint32_t w, const struct search_inst *inst) {
    return &view->units[unit_index(model, inst->unit, sub_core_of(model, view, w))];
}

#endif
