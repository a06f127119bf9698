/* One room of a state, as the files that change states and write their keys see it. */
#ifndef WB_BOUND_SEARCH_GRID_EXPLORE_ROOM_H
#define WB_BOUND_SEARCH_GRID_EXPLORE_ROOM_H

#include "bound/search/grid_explore_state.h"

/* What a room holds, with what belongs to it. */
struct room_view {
    struct grid_room *room;
    struct explore_warp *warps;
    uint32_t warp_count;
    struct explore_unit *units; /* of its SM */
};

/* False when the room is empty. */
static inline bool room_at(const struct grid_explore_model *model, const struct grid_state *state,
                           uint32_t sm, uint32_t room, struct room_view *view) {
    const size_t index = (size_t)sm * model->scope.rooms + room;
    view->room = &state->rooms[index];
    view->warps = &state->warps[index * model->room_warps];
    view->units = &state->units[(size_t)sm * model->machine->unit_count];
    view->warp_count = view->room->kind == ROOM_EMPTY ? 0 : model->kinds[view->room->kind].warps;
    return view->room->kind != ROOM_EMPTY;
}

static inline const struct explore_program *program_of(const struct grid_explore_model *model,
                                                       const struct explore_warp *warp) {
    return &model->programs[warp->path].steps;
}

static inline bool warp_ended(const struct grid_explore_model *model, const struct explore_warp *warp) {
    return warp->position == program_of(model, warp)->count;
}

static inline const struct explore_inst *next_inst(const struct grid_explore_model *model,
                                                   const struct explore_warp *warp) {
    return &program_of(model, warp)->insts[warp->position];
}

/* Whether the warp is still to issue something, and no barrier holds it. */
static inline bool warp_goes_on(const struct grid_explore_model *model, const struct room_view *view,
                                uint32_t w) {
    const struct explore_warp *warp = &view->warps[w];
    return !warp_ended(model, warp) &&
           program_of(model, warp)->barriers_before[warp->position] <= view->room->opened;
}

#endif
