#include "order_explorer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"

static void must(bool holds) {
    if (!holds) abort();
}

/* A state. What is served are the first `served` of the order, what is issued are the accesses before the
 * warp's next op. Data is there as soon as it is served, and a block starts as soon as there is room: being
 * later only disables what comes after, so that the states without a successor are the same. */
struct model_state {
    uint16_t served, unit_count;
    uint16_t arrived[MODEL_WARPS_MAX];    /* per access a bit: it came to its channel */
    uint8_t next[MODEL_WARPS_MAX];        /* per warp its next op */
    uint8_t unit[MODEL_UNIT_ENTRIES_MAX]; /* warps with an access in the load/store unit, oldest first */
};

struct explorer {
    const struct order_model *model;
    struct key_table seen;
    VEC(struct model_state) open;
    struct exploration result;
};

static bool is_served(const struct model_state *state, const struct model_warp *warp, uint32_t access) {
    return warp->ranks[access] < state->served;
}

static bool is_issued(const struct model_state *state, uint32_t number, const struct model_warp *warp,
                      uint32_t access) {
    return warp->access_ops[access] < state->next[number];
}

static bool has_arrived(const struct model_state *state, uint32_t number, uint32_t access) {
    return (state->arrived[number] >> access & 1) != 0;
}

/* Whether a warp has executed everything and, with `drained`, is served everything. */
static bool has_ended(const struct order_model *model, const struct model_state *state, uint32_t number,
                      bool drained) {
    const struct model_warp *warp = &model->warps[number];
    if (state->next[number] < warp->op_count) return false;
    for (uint32_t a = 0; drained && a < warp->access_count; a++)
        if (!is_served(state, warp, a)) return false;
    return true;
}

static bool block_has_ended(const struct order_model *model, const struct model_state *state,
                            uint32_t block) {
    for (uint32_t w = 0; w < model->warp_count; w++)
        if (!has_ended(model, state, block * model->warp_count + w, true)) return false;
    return true;
}

/* Blocks that have started: the resident ones, and those before that have ended. */
static uint32_t started_blocks(const struct order_model *model, const struct model_state *state) {
    uint32_t ended = 0;
    for (uint32_t b = 0; b < model->block_count; b++)
        ended += block_has_ended(model, state, b);
    uint32_t started = ended + model->resident;
    return started < model->block_count ? started : model->block_count;
}

/* Entries of a warp's channel that are taken. */
static uint32_t taken_entries(const struct order_model *model, const struct model_state *state,
                              uint32_t number) {
    const struct model_warp *warp = &model->warps[number];
    uint32_t taken = 0;
    for (uint32_t a = 0; a < warp->access_count; a++) {
        bool holds = model->rules.credit ? is_issued(state, number, warp, a) : has_arrived(state, number, a);
        if (!holds || is_served(state, warp, a)) continue;
        taken += model->rules.groups ? warp->ops[warp->access_ops[a]].entries : 1;
    }
    return taken;
}

static bool has_room(const struct order_model *model, const struct model_state *state, uint32_t number,
                     const struct model_op *op) {
    uint32_t entries = model->rules.groups ? op->entries : 1;
    return taken_entries(model, state, number) + entries <= model->rules.depth;
}

/* Takes a state as a successor of the one at hand. */
static void visit(struct explorer *explorer, const struct model_state *state) {
    uint32_t hash, value;
    if (key_table_find(&explorer->seen, (const uint8_t *)state, sizeof *state, &hash, &value)) return;
    const uint8_t *kept = key_table_keep(&explorer->seen, (const uint8_t *)state, sizeof *state);
    must(kept != NULL && key_table_insert(&explorer->seen, kept, hash, 0) == WB_OK);
    must(vec_push(&explorer->open, *state) == WB_OK);
    explorer->result.states++;
}

/* The reordering unit serves the next of the order if that is in its channel. */
static bool serve(struct explorer *explorer, const struct model_state *from) {
    const struct order_model *model = explorer->model;
    if (from->served == model->order_count) return false;
    struct model_service next = model->order[from->served];
    if (next.index == UINT32_MAX || !has_arrived(from, next.warp, next.index)) return false;
    for (uint32_t a = 0; a < next.index; a++)
        if (!is_served(from, &model->warps[next.warp], a)) explorer->result.head_only = false;
    struct model_state to = *from;
    to.served++;
    visit(explorer, &to);
    return true;
}

/* The oldest access in the load/store unit goes to its channel, or any that was issued. */
static bool arrive(struct explorer *explorer, const struct model_state *from, uint32_t number) {
    const struct order_model *model = explorer->model;
    const struct model_warp *warp = &model->warps[number];
    bool moved = false;
    if (model->rules.in_order && (from->unit_count == 0 || from->unit[0] != number)) return false;
    for (uint32_t a = 0; a < warp->access_count; a++) {
        if (!is_issued(from, number, warp, a) || has_arrived(from, number, a)) continue;
        if (model->rules.credit || has_room(model, from, number, &warp->ops[warp->access_ops[a]])) {
            struct model_state to = *from;
            to.arrived[number] |= (uint16_t)(1u << a);
            if (model->rules.in_order) {
                to.unit_count--;
                memmove(to.unit, to.unit + 1, to.unit_count);
                to.unit[to.unit_count] = 0;
            }
            visit(explorer, &to);
            moved = true;
        }
        if (model->rules.in_order) break;
    }
    return moved;
}

/* A warp of a resident block executes an access or a use. */
static bool issue(struct explorer *explorer, const struct model_state *from, uint32_t number) {
    const struct order_model *model = explorer->model;
    const struct model_warp *warp = &model->warps[number];
    if (from->next[number] == warp->op_count) return false;
    const struct model_op *op = &warp->ops[from->next[number]];
    struct model_state to = *from;
    to.next[number]++;
    if (op->kind == MODEL_BARRIER) return false;
    if (op->kind == MODEL_USE) {
        for (uint32_t a = 0; a < warp->access_count; a++)
            if (is_issued(from, number, warp, a) && !is_served(from, warp, a)) return false;
    } else {
        if (model->rules.credit && !has_room(model, from, number, op)) return false;
        if (model->rules.in_order && from->unit_count == model->rules.unit_entries) return false;
        if (model->rules.in_order) to.unit[to.unit_count++] = (uint8_t)number;
    }
    visit(explorer, &to);
    return true;
}

/* All warps of a block that have not ended wait at a barrier: they go on. */
static bool pass_barrier(struct explorer *explorer, const struct model_state *from, uint32_t block) {
    const struct order_model *model = explorer->model;
    struct model_state to = *from;
    bool waiting = false;
    for (uint32_t number = block * model->warp_count; number < (block + 1) * model->warp_count; number++) {
        const struct model_warp *warp = &model->warps[number];
        if (has_ended(model, from, number, false)) continue;
        if (warp->ops[from->next[number]].kind != MODEL_BARRIER) return false;
        waiting = true;
        to.next[number]++;
    }
    if (waiting) visit(explorer, &to);
    return waiting;
}

/* All successors of a state; notes a deadlock. */
static void expand(struct explorer *explorer, const struct model_state *state) {
    const struct order_model *model = explorer->model;
    bool moves = serve(explorer, state), ended = true;
    uint32_t started = started_blocks(model, state);
    for (uint32_t block = 0; block < started; block++) {
        moves |= pass_barrier(explorer, state, block);
        for (uint32_t w = block * model->warp_count; w < (block + 1) * model->warp_count; w++) {
            moves |= issue(explorer, state, w);
            moves |= arrive(explorer, state, w);
        }
    }
    for (uint32_t block = 0; block < model->block_count; block++)
        ended = ended && block_has_ended(model, state, block);
    if (moves || ended || explorer->result.deadlock) return;
    explorer->result.deadlock = true;
    memcpy(explorer->result.stuck, state->next, sizeof state->next);
}

struct exploration order_explore(const struct order_model *model, uint64_t limit) {
    struct explorer explorer = {.model = model, .result = {.complete = true, .head_only = true}};
    static_assert(sizeof(struct model_state) == 4 + 3 * MODEL_WARPS_MAX + MODEL_UNIT_ENTRIES_MAX,
                  "states are compared byte by byte");
    visit(&explorer, &(struct model_state){0});
    while (explorer.open.count > 0 && explorer.result.complete) {
        struct model_state state = explorer.open.items[--explorer.open.count];
        expand(&explorer, &state);
        explorer.result.complete = explorer.result.states < limit;
    }
    struct exploration result = explorer.result;
    key_table_free(&explorer.seen);
    vec_free(&explorer.open);
    return result;
}
