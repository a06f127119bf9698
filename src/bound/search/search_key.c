#include "bound/search/search_key.h"

#include <assert.h>
#include <string.h>

#include "bound/search/search_view.h"

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

/* The places of the warps follow from the block's class. */
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

/* What the sub-cores of an SM have issued in this cycle. */
static uint8_t *put_sub_cores(const struct search_model *model, const struct search_state *state, uint32_t sm,
                              uint8_t *at) {
    for (uint32_t c = 0; c < model->machine->sub_cores; c++) {
        const struct search_sub_core *sub_core = &state->sub_cores[sm * model->machine->sub_cores + c];
        assert(chooses_within_cycles(model) || (!sub_core->decided && sub_core->issued == 0));
        if (chooses_within_cycles(model))
            at = search_put_number(at, sub_core->decided ? 0 : sub_core->issued + 1);
    }
    return at;
}

static uint8_t *put_units(const struct search_model *model, const struct search_state *state, uint32_t sm,
                          uint8_t *at) {
    const struct wb_machine *machine = model->machine;
    const struct search_unit *first = &state->units[sm * machine->unit_count * machine->sub_cores];
    for (uint32_t u = 0; u < machine->unit_count; u++)
        for (uint32_t c = 0; c < (machine->units[u].shared ? 1 : machine->sub_cores); c++)
            at = search_put_unit(at, &first[unit_index(model, u, c)], machine->units[u].count,
                                 machine->dispatch_depth);
    return at;
}

/* The slots whose first warps are on a sub-core. */
static uint8_t *put_slots(const struct search_model *model, const struct search_state *state, uint32_t sm,
                          uint32_t first_sub_core, uint8_t *scratch, uint8_t *at) {
    struct pieces slots = {.count = 0};
    struct slot_view view;
    slots.ends[0] = scratch;
    for (uint32_t i = 0; i < model->scope.slots; i++) {
        if (model->first_sub_core[i] != first_sub_core) continue;
        (void)slot_at(model, state, sm, i, &view);
        scratch = put_slot(model, state, &view, scratch);
        slots.ends[++slots.count] = scratch;
    }
    return put_sorted(at, &slots);
}

static uint8_t *put_sm(const struct search_model *model, const struct search_state *state, uint32_t sm,
                       uint8_t *scratch, uint8_t *at) {
    at = put_sub_cores(model, state, sm, at);
    if (state->dispatch->to_deal > 0) at = search_put_number(at, state->sms[sm].dealt);
    at = put_units(model, state, sm, at);
    for (uint32_t c = 0; c < model->machine->sub_cores; c++)
        at = put_slots(model, state, sm, c, scratch, at);
    return at;
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
