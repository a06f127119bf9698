#include "bound/search/explore_state.h"

static const struct explore_program *program_of(const struct explore_model *model,
                                                const struct explore_warp *warp) {
    return &model->programs[warp->path];
}

static bool warp_ended(const struct explore_model *model, const struct explore_warp *warp) {
    return warp->position == program_of(model, warp)->count;
}

static uint32_t barriers_passed(const struct explore_model *model, const struct explore_warp *warp) {
    return program_of(model, warp)->barriers_before[warp->position];
}

/* Fewest barriers that a warp that has not ended has passed; a warp that has passed more is held. */
static uint32_t barriers_open(const struct explore_model *model, const struct explore_state *state) {
    uint32_t least = UINT32_MAX;
    for (uint32_t w = 0; w < model->warp_count; w++) {
        const struct explore_warp *warp = &state->warps[w];
        if (warp_ended(model, warp)) continue;
        uint32_t passed = barriers_passed(model, warp);
        if (passed < least) least = passed;
    }
    return least;
}

static const struct explore_inst *next_inst(const struct explore_model *model,
                                            const struct explore_warp *warp) {
    return &program_of(model, warp)->insts[warp->position];
}

static uint32_t instances_of(const struct explore_model *model, uint32_t unit) {
    return model->block->machine->units[unit].count;
}

/* Until an instruction may be issued to the unit. */
static uint32_t unit_open_in(const struct explore_model *model, const struct explore_state *state,
                             uint32_t unit) {
    return explore_unit_open_in(&state->units[unit], instances_of(model, unit), model->depth);
}

static void pass_time(const struct explore_model *model, struct explore_state *state, uint32_t passed) {
    for (uint32_t w = 0; w < model->warp_count; w++)
        explore_warp_pass(&state->warps[w], passed);
    for (uint32_t u = 0; u < model->unit_count; u++)
        explore_unit_pass(&state->units[u], instances_of(model, u), passed);
}

/* Executes instructions that take no slot and whose operands are there; says whether there was one. */
static bool execute_free(const struct explore_model *model, struct explore_state *state) {
    uint32_t open = barriers_open(model, state);
    bool any = false;
    for (uint32_t w = 0; w < model->warp_count; w++) {
        struct explore_warp *warp = &state->warps[w];
        while (!warp_ended(model, warp) && barriers_passed(model, warp) <= open) {
            const struct explore_inst *inst = next_inst(model, warp);
            if (inst->unit != UNIT_NONE || explore_operands_in(warp, inst) > 0) break;
            explore_warp_advance(warp, inst, inst->latency);
            any = true;
        }
    }
    return any;
}

/* Until the first warp can go on, UINT32_MAX when all have ended. */
static uint32_t next_event_in(const struct explore_model *model, const struct explore_state *state) {
    uint32_t open = barriers_open(model, state);
    uint32_t first = UINT32_MAX;
    for (uint32_t w = 0; w < model->warp_count; w++) {
        const struct explore_warp *warp = &state->warps[w];
        if (warp_ended(model, warp) || barriers_passed(model, warp) > open) continue;
        const struct explore_inst *inst = next_inst(model, warp);
        uint32_t in = explore_operands_in(warp, inst);
        if (inst->unit != UNIT_NONE) {
            uint32_t room = unit_open_in(model, state, inst->unit);
            if (room > in) in = room;
        }
        if (in < first) first = in;
    }
    return first;
}

/* Units that no instruction to come uses look idle. */
static void forget_unused_units(const struct explore_model *model, struct explore_state *state) {
    uint32_t left = 0;
    for (uint32_t w = 0; w < model->warp_count; w++)
        left |= program_of(model, &state->warps[w])->units_left[state->warps[w].position];
    for (uint32_t u = 0; u < model->unit_count; u++)
        if ((left >> u & 1) == 0) state->units[u] = (struct explore_unit){0};
}

void explore_start(const struct explore_model *model, struct explore_state *state) {
    *state = (struct explore_state){0};
    for (uint32_t w = 0; w < model->warp_count; w++)
        state->warps[w].path = (uint16_t)model->block->warp_path[w];
}

/* Lets time pass from the arrival of the last warp at a barrier until it lets them go: as all are held, none
 * can issue then. */
static uint32_t open_barrier(const struct explore_model *model, struct explore_state *state) {
    uint32_t open = barriers_open(model, state), release = model->block->machine->barrier_release;
    if (open == UINT32_MAX || open == state->opened) return 0;
    state->opened = open;
    pass_time(model, state, release);
    return release;
}

bool explore_settle(const struct explore_model *model, struct explore_state *state, uint32_t *passed) {
    *passed = 0;
    for (;;) {
        do {
            *passed += open_barrier(model, state);
        } while (execute_free(model, state));
        uint32_t in = next_event_in(model, state);
        if (in == UINT32_MAX) return false;
        if (in == 0) break;
        pass_time(model, state, in);
        *passed += in;
    }
    forget_unused_units(model, state);
    explore_warps_sort(state->warps, model->warp_count);
    return true;
}

uint32_t explore_choices(const struct explore_model *model, const struct explore_state *state,
                         uint8_t choices[EXPLORE_WARPS_MAX]) {
    uint32_t open = barriers_open(model, state);
    uint32_t count = 0;
    for (uint32_t w = 0; w < model->warp_count; w++) {
        const struct explore_warp *warp = &state->warps[w];
        if (warp_ended(model, warp) || barriers_passed(model, warp) > open) continue;
        if (w > 0 && explore_warp_order(warp, &state->warps[w - 1]) == 0) continue;
        const struct explore_inst *inst = next_inst(model, warp);
        if (inst->unit == UNIT_NONE || explore_operands_in(warp, inst) > 0) continue;
        if (unit_open_in(model, state, inst->unit) == 0) choices[count++] = (uint8_t)w;
    }
    return count;
}

uint32_t explore_issue(const struct explore_model *model, struct explore_state *state, uint32_t warp_index) {
    struct explore_warp *warp = &state->warps[warp_index];
    const struct explore_inst *inst = next_inst(model, warp);
    uint32_t complete =
        explore_unit_take(&state->units[inst->unit], inst, instances_of(model, inst->unit), model->depth);
    explore_warp_advance(warp, inst, complete);
    pass_time(model, state, 1);
    return complete;
}

size_t explore_key(const struct explore_model *model, const struct explore_state *state,
                   uint8_t key[EXPLORE_KEY_MAX]) {
    uint8_t *at = key;
    /* The path of a warp follows from its place: warps of a path stand together. */
    for (uint32_t w = 0; w < model->warp_count; w++)
        at = explore_put_warp(at, &state->warps[w]);
    for (uint32_t u = 0; u < model->unit_count; u++)
        at = explore_put_unit(at, &state->units[u], instances_of(model, u), model->depth);
    return (size_t)(at - key);
}
