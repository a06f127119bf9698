/* States as bytes: rooms of an SM can be exchanged, and so can SMs, so both are written in order. */
#include <string.h>

#include "bound/search/grid_explore_room.h"

/* Pieces of bytes that stand one behind the other, to be brought in order. */
struct pieces {
    const uint8_t *ends[GRID_EXPLORE_ROOMS_MAX + 1]; /* the end of each, behind the start of the first */
    uint32_t count;
};

_Static_assert(GRID_EXPLORE_SMS_MAX <= GRID_EXPLORE_ROOMS_MAX, "pieces are rooms of an SM, or SMs");

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
    uint32_t order[GRID_EXPLORE_ROOMS_MAX];
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

/* The programs of the warps follow from the block's kind. */
static uint8_t *put_room(uint8_t *at, const struct room_view *view) {
    if (view->room->kind == ROOM_EMPTY) return explore_put_number(at, view->room->used);
    at = explore_put_number(at, view->room->kind + 2);
    at = explore_put_number(at, view->room->held);
    at = explore_put_number(at, view->room->drains);
    at = explore_put_number(at, view->room->opened);
    at = explore_put_number(at, view->room->issued);
    for (uint32_t w = 0; w < view->warp_count; w++)
        at = explore_put_warp(at, &view->warps[w]);
    return at;
}

static uint8_t *put_sm(const struct grid_explore_model *model, const struct grid_state *state, uint32_t sm,
                       uint8_t *scratch, uint8_t *at) {
    const struct wb_machine *machine = model->machine;
    struct pieces rooms = {.count = model->scope.rooms};
    struct room_view view;
    at = explore_put_number(at, state->sms[sm].decided);
    at = explore_put_number(at, state->sms[sm].issued);
    at = explore_put_number(at, state->sms[sm].dealt);
    for (uint32_t u = 0; u < machine->unit_count; u++)
        at = explore_put_unit(at, &state->units[sm * machine->unit_count + u], machine->units[u].count,
                              machine->dispatch_depth);
    rooms.ends[0] = scratch;
    for (uint32_t r = 0; r < rooms.count; r++) {
        (void)room_at(model, state, sm, r, &view);
        scratch = put_room(scratch, &view);
        rooms.ends[r + 1] = scratch;
    }
    return put_sorted(at, &rooms);
}

size_t grid_state_key(const struct grid_explore_model *model, const struct grid_state *state,
                      uint8_t *scratch, uint8_t *key) {
    struct pieces sms = {.count = model->scope.sms};
    uint8_t *at = explore_put_number(key, state->dispatch->left);
    at = explore_put_number(at, state->dispatch->to_deal);
    at = explore_put_number(at, state->dispatch->busy);
    for (uint32_t k = 0; k < model->kind_count; k++)
        at = explore_put_number(at, state->left[k]);
    uint8_t *rooms = at; /* of one SM at a time, where the SMs go at the end */
    sms.ends[0] = scratch;
    for (uint32_t s = 0; s < sms.count; s++) {
        scratch = put_sm(model, state, s, rooms, scratch);
        sms.ends[s + 1] = scratch;
    }
    at = put_sorted(at, &sms);
    return (size_t)(at - key);
}
