#include "bound/explore_state.h"

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

/* Until the operands of the warp's next instruction can be read. */
static uint32_t operands_in(const struct explore_warp *warp, const struct explore_inst *inst) {
    uint32_t latest = 0;
    for (uint32_t waits = inst->waits; waits != 0; waits &= waits - 1) {
        uint32_t result = warp->live[__builtin_ctz(waits)];
        if (result > latest) latest = result;
    }
    return latest;
}

/* Until an instruction may be issued to the unit. */
static uint32_t unit_open_in(const struct explore_model *model, uint32_t unit_number,
                             const struct explore_unit *unit) {
    if (model->depth == DEPTH_UNLIMITED) return 0;
    if (model->depth == 0) return unit->busy[model->block->machine->units[unit_number].count - 1];
    return unit->waiting_count < model->depth ? 0 : unit->waiting[unit->waiting_count - model->depth];
}

/* Behind its next instruction, whose result can be read in `result` cycles. */
static void warp_advance(struct explore_warp *warp, const struct explore_inst *inst, uint32_t result) {
    uint32_t kept = 0;
    for (uint32_t keeps = inst->keeps; keeps != 0; keeps &= keeps - 1)
        warp->live[kept++] = warp->live[__builtin_ctz(keeps)];
    if (inst->is_live) warp->live[kept++] = result;
    warp->live_count = kept;
    warp->position++;
}

static uint32_t earlier(uint32_t time, uint32_t passed) {
    return time > passed ? time - passed : 0;
}

static void pass_time(const struct explore_model *model, struct explore_state *state, uint32_t passed) {
    for (uint32_t w = 0; w < model->warp_count; w++)
        for (uint32_t l = 0; l < state->warps[w].live_count; l++)
            state->warps[w].live[l] = earlier(state->warps[w].live[l], passed);
    for (uint32_t u = 0; u < model->unit_count; u++) {
        struct explore_unit *unit = &state->units[u];
        for (uint32_t i = 0; i < model->block->machine->units[u].count; i++)
            unit->busy[i] = earlier(unit->busy[i], passed);
        uint32_t waiting = 0;
        for (uint32_t i = 0; i < unit->waiting_count; i++)
            if (unit->waiting[i] > passed) unit->waiting[waiting++] = unit->waiting[i] - passed;
        unit->waiting_count = waiting;
    }
}

/* Executes instructions that take no slot and whose operands are there; says whether there was one. */
static bool execute_free(const struct explore_model *model, struct explore_state *state) {
    uint32_t open = barriers_open(model, state);
    bool any = false;
    for (uint32_t w = 0; w < model->warp_count; w++) {
        struct explore_warp *warp = &state->warps[w];
        while (!warp_ended(model, warp) && barriers_passed(model, warp) <= open) {
            const struct explore_inst *inst = next_inst(model, warp);
            if (inst->unit != UNIT_NONE || operands_in(warp, inst) > 0) break;
            warp_advance(warp, inst, inst->latency);
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
        uint32_t in = operands_in(warp, inst);
        if (inst->unit != UNIT_NONE) {
            uint32_t room = unit_open_in(model, inst->unit, &state->units[inst->unit]);
            if (room > in) in = room;
        }
        if (in < first) first = in;
    }
    return first;
}

static int warp_order(const struct explore_warp *a, const struct explore_warp *b) {
    if (a->path != b->path) return a->path < b->path ? -1 : 1;
    if (a->position != b->position) return a->position < b->position ? -1 : 1;
    for (uint32_t l = 0; l < a->live_count; l++)
        if (a->live[l] != b->live[l]) return a->live[l] < b->live[l] ? -1 : 1;
    return 0;
}

/* Warps of one path stand together and may be exchanged: insertion sort, as nearly all are in order. */
static void sort_warps(const struct explore_model *model, struct explore_state *state) {
    for (uint32_t w = 1; w < model->warp_count; w++) {
        for (uint32_t i = w; i > 0 && warp_order(&state->warps[i], &state->warps[i - 1]) < 0; i--) {
            struct explore_warp moved = state->warps[i];
            state->warps[i] = state->warps[i - 1];
            state->warps[i - 1] = moved;
        }
    }
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
    sort_warps(model, state);
    return true;
}

uint32_t explore_choices(const struct explore_model *model, const struct explore_state *state,
                         uint8_t choices[EXPLORE_WARPS_MAX]) {
    uint32_t open = barriers_open(model, state);
    uint32_t count = 0;
    for (uint32_t w = 0; w < model->warp_count; w++) {
        const struct explore_warp *warp = &state->warps[w];
        if (warp_ended(model, warp) || barriers_passed(model, warp) > open) continue;
        if (w > 0 && warp_order(warp, &state->warps[w - 1]) == 0) continue;
        const struct explore_inst *inst = next_inst(model, warp);
        if (inst->unit == UNIT_NONE || operands_in(warp, inst) > 0) continue;
        if (unit_open_in(model, inst->unit, &state->units[inst->unit]) == 0) choices[count++] = (uint8_t)w;
    }
    return count;
}

/* Keeps the instances in falling order when the last, the one that is free first, is taken until `end`. */
static void take_instance(struct explore_unit *unit, uint32_t instances, uint32_t end) {
    uint32_t i = instances - 1;
    for (; i > 0 && unit->busy[i - 1] < end; i--)
        unit->busy[i] = unit->busy[i - 1];
    unit->busy[i] = end;
}

uint32_t explore_issue(const struct explore_model *model, struct explore_state *state, uint32_t warp_index) {
    struct explore_warp *warp = &state->warps[warp_index];
    const struct explore_inst *inst = next_inst(model, warp);
    struct explore_unit *unit = &state->units[inst->unit];
    uint32_t instances = model->block->machine->units[inst->unit].count;
    uint32_t start = unit->busy[instances - 1];
    take_instance(unit, instances, start + inst->init);
    if (start > 0 && model->depth != 0 && model->depth != DEPTH_UNLIMITED)
        unit->waiting[unit->waiting_count++] = start;
    uint32_t complete = start + inst->init + inst->latency;
    warp_advance(warp, inst, complete);
    pass_time(model, state, 1);
    return complete;
}

static uint8_t *put_number(uint8_t *at, uint32_t number) {
    for (; number >= 128; number >>= 7)
        *at++ = (uint8_t)(number | 128);
    *at++ = (uint8_t)number;
    return at;
}

size_t explore_key(const struct explore_model *model, const struct explore_state *state,
                   uint8_t key[EXPLORE_KEY_MAX]) {
    uint8_t *at = key;
    for (uint32_t w = 0; w < model->warp_count; w++) {
        const struct explore_warp *warp = &state->warps[w];
        at = put_number(at,
                        warp->position); /* the path follows from the place: warps of a path stand together */
        for (uint32_t l = 0; l < warp->live_count; l++)
            at = put_number(at, warp->live[l]);
    }
    for (uint32_t u = 0; u < model->unit_count; u++) {
        const struct explore_unit *unit = &state->units[u];
        for (uint32_t i = 0; i < model->block->machine->units[u].count; i++)
            at = put_number(at, unit->busy[i]);
        if (model->depth == 0 || model->depth == DEPTH_UNLIMITED) continue;
        at = put_number(at, unit->waiting_count);
        for (uint32_t i = 0; i < unit->waiting_count; i++)
            at = put_number(at, unit->waiting[i]);
    }
    return (size_t)(at - key);
}
