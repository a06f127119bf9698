#include "bound/search/grid_explore_room.h"

#include <string.h>

struct grid_state grid_state_in(const struct grid_explore_model *model, void *memory) {
    const struct grid_explore_layout *layout = &model->layout;
    unsigned char *bytes = memory;
    return (struct grid_state){.dispatch = (struct grid_dispatch *)memory,
                               .left = (uint32_t *)(void *)(bytes + layout->left),
                               .sms = (struct grid_sm *)(void *)(bytes + layout->sms),
                               .units = (struct explore_unit *)(void *)(bytes + layout->units),
                               .rooms = (struct grid_room *)(void *)(bytes + layout->rooms),
                               .warps = (struct explore_warp *)(void *)(bytes + layout->warps)};
}

static bool block_ended(const struct grid_explore_model *model, const struct room_view *view) {
    for (uint32_t w = 0; w < view->warp_count; w++)
        if (!warp_ended(model, &view->warps[w])) return false;
    return view->room->held == 0;
}

/* Until an instruction may be issued to its unit. */
static uint32_t unit_open_in(const struct grid_explore_model *model, const struct room_view *view,
                             const struct explore_inst *inst) {
    return explore_unit_open_in(&view->units[inst->unit], model->machine->units[inst->unit].count,
                                model->machine->dispatch_depth);
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

void grid_state_start(const struct grid_explore_model *model, struct grid_state *state) {
    const struct grid_explore_scope *scope = &model->scope;
    state->dispatch->to_deal = scope->dealt;
    for (uint32_t k = 0; k < model->kind_count && scope->order == NULL; k++) {
        state->left[k] = model->kinds[k].blocks;
        state->dispatch->left += state->left[k];
    }
    if (scope->order != NULL) state->dispatch->left = scope->order_count;
    for (size_t r = 0; r < (size_t)scope->sms * scope->rooms; r++)
        state->rooms[r].kind = ROOM_EMPTY;
}

/* Whether a block starts later in a room that another one has left. When the dispatcher takes no time every
 * room is filled at the start, and later blocks all go to used rooms. */
static bool uses_matter(const struct grid_explore_model *model) {
    return model->scope.service > 0 && model->scope.latency > 0;
}

static void empty_room(const struct grid_explore_model *model, const struct room_view *view) {
    *view->room = (struct grid_room){.kind = ROOM_EMPTY, .used = uses_matter(model)};
    memset(view->warps, 0, model->room_warps * sizeof *view->warps);
}

/* Dispatch. */

static uint32_t empty_rooms(const struct grid_explore_model *model, const struct grid_state *state,
                            uint32_t sm) {
    uint32_t empty = 0;
    for (uint32_t r = 0; r < model->scope.rooms; r++)
        empty += state->rooms[(size_t)sm * model->scope.rooms + r].kind == ROOM_EMPTY;
    return empty;
}

/* Whether an SM may get the next block: it has room and, while blocks are dealt out, got as few as any. */
static bool sm_may_get_block(const struct grid_explore_model *model, const struct grid_state *state,
                             uint32_t sm) {
    for (uint32_t s = 0; s < model->scope.sms && state->dispatch->to_deal > 0; s++)
        if (state->sms[s].dealt < state->sms[sm].dealt) return false;
    return empty_rooms(model, state, sm) > 0;
}

/* Whether a block of a kind may be the next one. */
static bool kind_may_be_next(const struct grid_explore_model *model, const struct grid_state *state,
                             uint32_t kind) {
    const struct grid_explore_scope *scope = &model->scope;
    if (scope->order == NULL) return state->left[kind] > 0;
    return scope->order[scope->order_count - state->dispatch->left] == kind;
}

/* Whether every empty room gets a block at once, so that it is all the same which is the first to get one. */
static bool fills_all_rooms(const struct grid_explore_model *model, const struct grid_state *state) {
    uint32_t empty = 0;
    for (uint32_t s = 0; s < model->scope.sms; s++)
        empty += empty_rooms(model, state, s);
    return model->scope.service == 0 && !model->scope.only_dealt && state->dispatch->left >= empty;
}

/* Adds the choices of a block for a room. */
static void add_dispatches(const struct grid_explore_model *model, const struct grid_state *state,
                           uint32_t sm, uint32_t room, struct grid_choices *choices) {
    for (uint32_t k = 0; k < model->kind_count; k++)
        if (kind_may_be_next(model, state, k))
            choices->items[choices->count++] =
                (struct grid_choice){CHOICE_DISPATCH, (uint8_t)sm, (uint8_t)room, (uint8_t)k};
}

/* Which block goes where when the dispatcher has nothing to do: of the empty rooms of an SM it may be the
 * first that is new, or the first that is not. Blocks that are dealt out go to new ones. */
static void find_dispatches(const struct grid_explore_model *model, const struct grid_state *state,
                            struct grid_choices *choices) {
    choices->count = 0;
    if (state->dispatch->left == 0 || state->dispatch->busy > 0) return;
    const bool any_sm = fills_all_rooms(model, state);
    for (uint32_t s = 0; s < model->scope.sms && (choices->count == 0 || !any_sm); s++) {
        bool seen[2] = {false, state->dispatch->to_deal > 0};
        if (!sm_may_get_block(model, state, s)) continue;
        for (uint32_t r = 0; r < model->scope.rooms; r++) {
            const struct grid_room *room = &state->rooms[(size_t)s * model->scope.rooms + r];
            if (room->kind != ROOM_EMPTY || seen[room->used]) continue;
            seen[room->used] = true;
            add_dispatches(model, state, s, r, choices);
        }
    }
}

/* Counts a block that an SM was dealt; behind the last one all that only matters while dealing is forgotten.
 */
static void note_dealt(const struct grid_explore_model *model, struct grid_state *state, uint32_t sm) {
    struct grid_dispatch *dispatch = state->dispatch;
    uint32_t least = ++state->sms[sm].dealt;
    dispatch->to_deal--;
    for (uint32_t s = 0; s < model->scope.sms; s++)
        least = smaller(least, state->sms[s].dealt);
    for (uint32_t s = 0; s < model->scope.sms; s++)
        state->sms[s].dealt = dispatch->to_deal == 0 ? 0 : state->sms[s].dealt - least;
    if (dispatch->to_deal > 0 || !model->scope.only_dealt) return;
    dispatch->left = 0;
    memset(state->left, 0, model->kind_count * sizeof *state->left);
}

static void dispatch_block(const struct grid_explore_model *model, struct grid_state *state,
                           const struct grid_choice *choice) {
    const struct grid_explore_scope *scope = &model->scope;
    const struct grid_explore_kind *kind = &model->kinds[choice->which];
    struct room_view view;
    (void)room_at(model, state, choice->sm, choice->room, &view);
    const bool is_new = uses_matter(model) ? !view.room->used : state->dispatch->to_deal > 0;
    *view.room =
        (struct grid_room){.kind = choice->which, .held = scope->service + (is_new ? 0 : scope->latency)};
    for (uint32_t w = 0; w < kind->warps; w++)
        view.warps[w] = (struct explore_warp){.path = kind->paths[w]};
    state->dispatch->busy = scope->service;
    state->dispatch->left--;
    if (scope->order == NULL) state->left[choice->which]--;
    if (state->dispatch->to_deal > 0) note_dealt(model, state, choice->sm);
}

/* What happens in no time. */

/* Opens a barrier that every live warp has reached; says whether the warps are held until it has. */
static bool open_barrier(const struct grid_explore_model *model, const struct room_view *view) {
    uint32_t reached = UINT32_MAX;
    for (uint32_t w = 0; w < view->warp_count; w++) {
        const struct explore_warp *warp = &view->warps[w];
        if (!warp_ended(model, warp))
            reached = smaller(reached, program_of(model, warp)->barriers_before[warp->position]);
    }
    if (reached == UINT32_MAX || reached == view->room->opened) return false;
    view->room->opened = reached;
    view->room->held = model->machine->barrier_release;
    return view->room->held > 0;
}

/* Executes instructions that take no slot and whose operands are there; says whether there was one. */
static bool execute_free(const struct grid_explore_model *model, const struct room_view *view) {
    bool any = false;
    for (uint32_t w = 0; w < view->warp_count; w++) {
        while (warp_goes_on(model, view, w)) {
            const struct explore_inst *inst = next_inst(model, &view->warps[w]);
            if (inst->unit != UNIT_NONE || explore_operands_in(&view->warps[w], inst) > 0) break;
            explore_warp_advance(&view->warps[w], inst, inst->latency);
            view->room->drains = larger(view->room->drains, inst->latency);
            any = true;
        }
    }
    return any;
}

/* At the start of a cycle, in one room. When no blocks are left results that are under way decide nothing any
 * more: they are only noted in *at_least, for the state `passed` cycles ago. */
static void begin_room(const struct grid_explore_model *model, const struct grid_state *state,
                       const struct room_view *view, uint32_t passed, uint32_t *at_least) {
    while (view->room->held == 0 && !open_barrier(model, view) && execute_free(model, view)) {
    }
    if (state->dispatch->left == 0) {
        *at_least = larger(*at_least, passed + view->room->drains);
        view->room->drains = 0;
    }
    explore_warps_sort(view->warps, view->warp_count);
    if (view->room->drains == 0 && block_ended(model, view)) empty_room(model, view);
}

/* The SMs that have blocks. */
static void find_alone(const struct grid_explore_model *model, const struct grid_state *state,
                       struct grid_choices *choices) {
    choices->count = 0;
    for (uint32_t s = 0; s < model->scope.sms && state->dispatch->left == 0; s++)
        if (empty_rooms(model, state, s) < model->scope.rooms)
            choices->items[choices->count++] = (struct grid_choice){CHOICE_ALONE, (uint8_t)s, 0, 0};
}

/* The start of a cycle, up to choices that are to be made before any warp issues. */
static void begin_cycle(const struct grid_explore_model *model, struct grid_state *state,
                        struct grid_choices *choices, uint32_t passed, uint32_t *at_least) {
    for (;;) {
        struct room_view view;
        for (uint32_t s = 0; s < model->scope.sms; s++)
            for (uint32_t r = 0; r < model->scope.rooms; r++)
                if (room_at(model, state, s, r, &view)) begin_room(model, state, &view, passed, at_least);
        find_dispatches(model, state, choices);
        if (choices->count != 1) break;
        grid_state_choose(model, state, &choices->items[0]);
    }
    if (choices->count == 0) find_alone(model, state, choices);
}

/* Issue. */

static bool is_ready(const struct grid_explore_model *model, const struct room_view *view, uint32_t w) {
    if ((view->room->issued >> w & 1) != 0 || !warp_goes_on(model, view, w)) return false;
    const struct explore_inst *inst = next_inst(model, &view->warps[w]);
    return inst->unit != UNIT_NONE && explore_operands_in(&view->warps[w], inst) == 0 &&
           unit_open_in(model, view, inst) == 0;
}

static bool rooms_equal(const struct room_view *a, const struct room_view *b) {
    if (memcmp(a->room, b->room, sizeof *a->room) != 0) return false;
    for (uint32_t w = 0; w < a->warp_count; w++)
        if (explore_warp_order(&a->warps[w], &b->warps[w]) != 0) return false;
    return true;
}

/* Whether a room before it is in the same state. */
static bool is_repeated(const struct grid_explore_model *model, const struct grid_state *state, uint32_t sm,
                        uint32_t room, const struct room_view *view) {
    struct room_view other;
    for (uint32_t r = 0; r < room; r++)
        if (room_at(model, state, sm, r, &other) && rooms_equal(&other, view)) return true;
    return false;
}

/* The warps that an SM can issue now; of those that can be exchanged only the first. */
static void find_issues(const struct grid_explore_model *model, const struct grid_state *state, uint32_t sm,
                        struct grid_choices *choices) {
    struct room_view view;
    choices->count = 0;
    for (uint32_t r = 0; r < model->scope.rooms; r++) {
        if (!room_at(model, state, sm, r, &view) || view.room->held > 0) continue;
        if (is_repeated(model, state, sm, r, &view)) continue;
        for (uint32_t w = 0; w < view.warp_count; w++) {
            if (!is_ready(model, &view, w)) continue;
            if (w > 0 && explore_warp_order(&view.warps[w], &view.warps[w - 1]) == 0 &&
                (view.room->issued >> (w - 1) & 1) == 0)
                continue;
            choices->items[choices->count++] =
                (struct grid_choice){CHOICE_ISSUE, (uint8_t)sm, (uint8_t)r, (uint8_t)w};
        }
    }
}

static void issue_warp(const struct grid_explore_model *model, struct grid_state *state,
                       const struct grid_choice *choice) {
    struct room_view view;
    (void)room_at(model, state, choice->sm, choice->room, &view);
    struct explore_warp *warp = &view.warps[choice->which];
    const struct explore_inst *inst = next_inst(model, warp);
    uint32_t complete =
        explore_unit_take(&view.units[inst->unit], inst, model->machine->units[inst->unit].count,
                          model->machine->dispatch_depth);
    explore_warp_advance(warp, inst, complete);
    view.room->drains = larger(view.room->drains, complete);
    view.room->issued |= UINT32_C(1) << choice->which;
    state->sms[choice->sm].issued++;
}

/* An SM has issued all that it does in this cycle. */
static void decide_sm(const struct grid_explore_model *model, struct grid_state *state, uint32_t sm) {
    state->sms[sm].decided = 1;
    state->sms[sm].issued = 0;
    for (uint32_t r = 0; r < model->scope.rooms; r++)
        state->rooms[(size_t)sm * model->scope.rooms + r].issued = 0;
}

/* Lets all SMs issue, up to choices of one of them; true when all have. */
static bool issue_all(const struct grid_explore_model *model, struct grid_state *state,
                      struct grid_choices *choices) {
    for (uint32_t s = 0; s < model->scope.sms; s++) {
        while (!state->sms[s].decided) {
            choices->count = 0;
            if (state->sms[s].issued < model->machine->issue_width) find_issues(model, state, s, choices);
            if (choices->count > 1) return false;
            if (choices->count == 0)
                decide_sm(model, state, s);
            else
                issue_warp(model, state, &choices->items[0]);
        }
    }
    return true;
}

void grid_state_choose(const struct grid_explore_model *model, struct grid_state *state,
                       const struct grid_choice *choice) {
    struct room_view view;
    if (choice->kind == CHOICE_ISSUE) {
        issue_warp(model, state, choice);
    } else if (choice->kind == CHOICE_DISPATCH) {
        dispatch_block(model, state, choice);
    } else {
        for (uint32_t s = 0; s < model->scope.sms; s++)
            for (uint32_t r = 0; r < model->scope.rooms && s != choice->sm; r++)
                if (room_at(model, state, s, r, &view)) empty_room(model, &view);
    }
}

/* Time. */

/* Until something happens in a room, UINT32_MAX: nothing will. */
static uint32_t room_event_in(const struct grid_explore_model *model, const struct room_view *view) {
    uint32_t first = UINT32_MAX, reached = UINT32_MAX;
    if (view->room->held > 0) return view->room->held;
    for (uint32_t w = 0; w < view->warp_count; w++) {
        const struct explore_warp *warp = &view->warps[w];
        if (warp_ended(model, warp)) continue;
        reached = smaller(reached, program_of(model, warp)->barriers_before[warp->position]);
        if (!warp_goes_on(model, view, w)) continue;
        const struct explore_inst *inst = next_inst(model, warp);
        uint32_t in = explore_operands_in(warp, inst);
        if (inst->unit != UNIT_NONE) in = larger(in, unit_open_in(model, view, inst));
        first = smaller(first, in);
    }
    if (reached == UINT32_MAX) first = view->room->drains;
    return larger(reached == UINT32_MAX || reached == view->room->opened ? first : 1, 1);
}

/* The same of the grid. */
static uint32_t next_event_in(const struct grid_explore_model *model, const struct grid_state *state) {
    uint32_t first = UINT32_MAX;
    struct room_view view;
    for (uint32_t s = 0; s < model->scope.sms; s++)
        for (uint32_t r = 0; r < model->scope.rooms; r++)
            if (room_at(model, state, s, r, &view)) first = smaller(first, room_event_in(model, &view));
    if (state->dispatch->left > 0 && state->dispatch->busy > 0) first = smaller(first, state->dispatch->busy);
    return first;
}

static uint32_t earlier(uint32_t time, uint32_t passed) {
    return time > passed ? time - passed : 0;
}

static void pass_time(const struct grid_explore_model *model, struct grid_state *state, uint32_t passed) {
    const struct grid_explore_scope *scope = &model->scope;
    struct room_view view;
    for (uint32_t s = 0; s < scope->sms; s++) {
        state->sms[s].decided = 0;
        for (uint32_t u = 0; u < model->machine->unit_count; u++)
            explore_unit_pass(&state->units[s * model->machine->unit_count + u],
                              model->machine->units[u].count, passed);
        for (uint32_t r = 0; r < scope->rooms; r++) {
            if (!room_at(model, state, s, r, &view)) continue;
            view.room->held = earlier(view.room->held, passed);
            view.room->drains = earlier(view.room->drains, passed);
            for (uint32_t w = 0; w < view.warp_count; w++)
                explore_warp_pass(&view.warps[w], passed);
        }
    }
    state->dispatch->busy = earlier(state->dispatch->busy, passed);
}

/* What cannot matter is forgotten. */

/* The units that blocks still to come may use, as bits. */
static uint32_t units_to_come(const struct grid_explore_model *model, const struct grid_state *state) {
    const struct grid_explore_scope *scope = &model->scope;
    uint32_t units = 0;
    if (scope->order != NULL) {
        for (uint32_t b = scope->order_count - state->dispatch->left; b < scope->order_count; b++)
            units |= model->kinds[scope->order[b]].units;
        return units;
    }
    for (uint32_t k = 0; k < model->kind_count; k++)
        if (state->left[k] > 0) units |= model->kinds[k].units;
    return units;
}

/* In a room, results that are there before the block can end. Returns the units that its warps are still to
 * use. */
static uint32_t forget_in_room(const struct grid_explore_model *model, const struct room_view *view) {
    uint32_t units = 0, rest = 0;
    for (uint32_t w = 0; w < view->warp_count; w++) {
        const struct explore_warp *warp = &view->warps[w];
        const struct grid_explore_program *program = &model->programs[warp->path];
        units |= program->steps.units_left[warp->position];
        rest = larger(rest, program->shortest_rest[warp->position]);
    }
    if (view->room->drains <= rest + view->room->held) view->room->drains = 0;
    return units;
}

static void forget(const struct grid_explore_model *model, struct grid_state *state) {
    const uint32_t to_come = units_to_come(model, state);
    struct room_view view;
    if (state->dispatch->left == 0) state->dispatch->busy = 0;
    for (uint32_t s = 0; s < model->scope.sms; s++) {
        uint32_t units = to_come;
        for (uint32_t r = 0; r < model->scope.rooms; r++) {
            if (room_at(model, state, s, r, &view)) units |= forget_in_room(model, &view);
            if (state->dispatch->left == 0) view.room->used = 0;
        }
        for (uint32_t u = 0; u < model->machine->unit_count; u++)
            if ((units >> u & 1) == 0)
                state->units[s * model->machine->unit_count + u] = (struct explore_unit){0};
    }
}

/* Whether some SM has issued, or decided not to, in this cycle. */
static bool is_within_cycle(const struct grid_explore_model *model, const struct grid_state *state) {
    for (uint32_t s = 0; s < model->scope.sms; s++)
        if (state->sms[s].decided || state->sms[s].issued > 0) return true;
    return false;
}

void grid_state_settle(const struct grid_explore_model *model, struct grid_state *state,
                       struct grid_choices *choices, uint32_t *passed, uint32_t *at_least) {
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
    forget(model, state);
}
