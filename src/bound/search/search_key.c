#include "bound/search/search_state.h"

#include <assert.h>
#include <string.h>

#include "base/containers.h"

/* Whether there can be choices behind the first issue of a cycle. Where there are none, nothing has been
 * issued yet in the cycle of a choice, and every barrier that can open has opened. */
static bool chooses_within_cycles(const struct search_model *model) {
    return model->scope.sms > 1 || model->machine->sub_cores > 1 || model->machine->issue_width > 1;
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

/* Writes the pieces, in an order of their own where they can be exchanged; returns the place behind them. */
static uint8_t *put_pieces(uint8_t *at, const struct pieces *pieces, bool exchanged) {
    uint32_t order[SEARCH_SLOTS_MAX];
    for (uint32_t p = 0; p < pieces->count; p++) {
        uint32_t i = p;
        for (; exchanged && i > 0 && piece_order(pieces, p, order[i - 1]) < 0; i--)
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

/* An SM while it is written: sub-cores that can be exchanged stand in an order of their own. */
struct sm_order {
    uint32_t sm;
    uint8_t sub_cores[SEARCH_SUB_CORES_MAX];
};

/* The issues of a sub-core in this cycle. */
static uint8_t *put_issued(const struct search_model *model, const struct search_state *state, uint32_t sm,
                           uint32_t sub_core, uint8_t *at) {
    const struct search_sub_core *of = &state->sub_cores[sm * model->machine->sub_cores + sub_core];
    assert(chooses_within_cycles(model) || (!of->decided && of->issued == 0));
    return chooses_within_cycles(model) ? search_put_number(at, of->decided ? 0 : of->issued + 1) : at;
}

/* The units of one sub-core, or those that all share. */
static uint8_t *put_units(const struct search_model *model, const struct search_state *state, uint32_t sm,
                          bool shared, uint32_t sub_core, uint8_t *at) {
    const struct wb_machine *machine = model->machine;
    const struct search_unit *first = &state->units[sm * machine->unit_count * machine->sub_cores];
    for (uint32_t u = 0; u < machine->unit_count; u++)
        if (machine->units[u].shared == shared)
            at = search_put_unit(at, &first[unit_index(model, u, sub_core)], machine->units[u].count,
                                 machine->dispatch_depth);
    return at;
}

/* A slot without its warps. */
static uint8_t *put_slot(const struct search_model *model, const struct search_state *state,
                         const struct search_slot *slot, uint8_t *at) {
    const bool within = chooses_within_cycles(model);
    if (slot->class == SLOT_EMPTY) return search_put_number(at, slot->used);
    at = search_put_number(at, slot->class + 2);
    at = search_put_number(at, slot->held);
    if (within || state->dispatch->left > 0) at = search_put_number(at, slot->drains);
    if (within) at = search_put_number(at, slot->opened);
    return at;
}

/* The warps of a slot's block on a sub-core. Their places follow from the block's class. */
static uint8_t *put_warps(const struct search_model *model, const struct slot_view *view, uint32_t sub_core,
                          uint8_t *at) {
    if (view->slot->class == SLOT_EMPTY) return at;
    const struct search_class *class = &model->classes[view->slot->class];
    const uint32_t place = sub_core >= view->first_sub_core
                               ? sub_core - view->first_sub_core
                               : sub_core + model->machine->sub_cores - view->first_sub_core;
    for (uint32_t w = class->first_of[place]; w < class->first_of[place + 1]; w++) {
        assert(model->machine->issue_width > 1 || view->slot->issued == 0);
        if (model->machine->issue_width > 1) *at++ = view->slot->issued >> w & 1;
        at = search_put_warp(at, &view->warps[w]);
    }
    return at;
}

/* A number that is the same for sub-cores in states that can be exchanged, as far as one sub-core shows,
 * whichever slots blocks are in. */
static uint32_t sign_sub_core(const struct search_model *model, const struct search_state *state, uint32_t sm,
                              uint32_t sub_core, uint8_t *scratch) {
    uint8_t *at = put_issued(model, state, sm, sub_core, scratch);
    at = put_units(model, state, sm, false, sub_core, at);
    uint32_t sign = hash_bytes(scratch, (size_t)(at - scratch));
    struct slot_view view;
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        if (!slot_at(model, state, sm, i, &view)) continue;
        at = put_slot(model, state, view.slot, search_put_number(scratch, view.first_sub_core));
        at = put_warps(model, &view, sub_core, at);
        sign += hash_bytes(scratch, (size_t)(at - scratch));
    }
    return sign;
}

/* Puts sub-cores that can be exchanged in the order of their signs. */
static void sort_twins(const struct search_model *model, const uint32_t *signs, struct sm_order *order) {
    const uint32_t sub_cores = model->machine->sub_cores;
    for (uint32_t a = 0; a < sub_cores; a++)
        for (uint32_t b = a + 1; b < sub_cores; b++) {
            const uint8_t first = order->sub_cores[a], second = order->sub_cores[b];
            if (model->twin[first] != model->twin[second] || signs[first] <= signs[second]) continue;
            order->sub_cores[a] = second;
            order->sub_cores[b] = first;
        }
}

static struct sm_order order_of(const struct search_model *model, const struct search_state *state,
                                uint32_t sm, uint8_t *scratch) {
    struct sm_order order = {.sm = sm};
    uint32_t signs[SEARCH_SUB_CORES_MAX];
    for (uint32_t c = 0; c < SEARCH_SUB_CORES_MAX; c++)
        order.sub_cores[c] = (uint8_t)c;
    if (!model->has_twins) return order;
    for (uint32_t c = 0; c < model->machine->sub_cores; c++)
        signs[c] = sign_sub_core(model, state, sm, c, scratch);
    sort_twins(model, signs, &order);
    return order;
}

/* The slots whose first warps are on a sub-core, with their warps. */
static uint8_t *put_slots(const struct search_model *model, const struct search_state *state,
                          const struct sm_order *order, uint32_t first_sub_core, uint8_t *scratch,
                          uint8_t *at) {
    struct pieces slots = {.count = 0};
    struct slot_view view;
    slots.ends[0] = scratch;
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        if (model->first_sub_core[i] != first_sub_core) continue;
        (void)slot_at(model, state, order->sm, i, &view);
        scratch = put_slot(model, state, view.slot, scratch);
        for (uint32_t c = 0; c < model->machine->sub_cores; c++)
            scratch = put_warps(model, &view, order->sub_cores[c], scratch);
        slots.ends[++slots.count] = scratch;
    }
    return put_pieces(at, &slots, !search_numbers_matter(model, state));
}

static uint8_t *put_sm(const struct search_model *model, const struct search_state *state, uint32_t sm,
                       uint8_t *scratch, uint8_t *at) {
    const struct sm_order order = order_of(model, state, sm, scratch);
    if (state->dispatch->to_deal > 0) at = search_put_number(at, state->sms[sm].dealt);
    at = put_units(model, state, sm, true, 0, at);
    for (uint32_t c = 0; c < model->machine->sub_cores; c++) {
        at = put_issued(model, state, sm, order.sub_cores[c], at);
        at = put_units(model, state, sm, false, order.sub_cores[c], at);
    }
    for (uint32_t c = 0; c < model->machine->sub_cores; c++)
        at = put_slots(model, state, &order, c, scratch, at);
    return at;
}

size_t search_state_key(const struct search_model *model, const struct search_state *state, uint8_t *scratch,
                        uint8_t *key) {
    struct pieces sms = {.count = model->scope.sms};
    uint8_t *at = search_put_number(key, state->dispatch->left);
    if (state->dispatch->left > 0) {
        at = search_put_number(at, state->dispatch->to_deal);
        at = search_put_number(at, state->dispatch->busy);
        at = search_put_number(at, state->dispatch->last);
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
    at = put_pieces(at, &sms, !search_numbers_matter(model, state));
    assert((size_t)(at - key) <= model->layout.key_max);
    return (size_t)(at - key);
}
