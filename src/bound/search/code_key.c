/* States of blocks of machine code as bytes. Warps of one program and sub-core can be exchanged, and so can
 * counts of one counter. */
#include <assert.h>
#include <string.h>

#include "bound/search/code_state.h"
#include "bound/search/search_state.h"

static int count_order(const struct code_entry *a, const struct code_entry *b) {
    if (a->counter != b->counter) return a->counter < b->counter ? -1 : 1;
    if (a->fresh != b->fresh) return a->fresh < b->fresh ? -1 : 1;
    if (a->left.most != b->left.most) return a->left.most < b->left.most ? -1 : 1;
    return (a->left.least > b->left.least) - (a->left.least < b->left.least);
}

static void sort_counts(struct code_warp *warp) {
    for (uint32_t e = warp->flights + 1u; e < warp->entries; e++)
        for (uint32_t i = e; i > warp->flights && count_order(&warp->list[i], &warp->list[i - 1]) < 0; i--) {
            const struct code_entry moved = warp->list[i];
            warp->list[i] = warp->list[i - 1];
            warp->list[i - 1] = moved;
        }
}

static uint8_t *put_span(uint8_t *at, const struct code_span *span) {
    at = search_put_number(at, span->most);
    return span->most == 0 ? at : search_put_number(at, span->least);
}

static uint8_t *put_warp(const struct code_warp *warp, uint8_t *at) {
    at = search_put_number(at, warp->position);
    at = search_put_number(at, warp->probe);
    *at++ = (uint8_t)(warp->opening << 4 | warp->fresh << 2 | warp->at_barrier << 1 | warp->probed);
    if (warp->opening) at = search_put_number(at, warp->stall);
    at = put_span(at, &warp->earliest);
    *at++ = (uint8_t)warp->flights;
    *at++ = (uint8_t)warp->entries;
    for (uint32_t e = 0; e < warp->entries; e++) {
        const struct code_entry *entry = &warp->list[e];
        *at++ = (uint8_t)(entry->phase << 4 | entry->stage << 2 | entry->fresh << 1 | entry->asked);
        if (entry->phase == CODE_COUNTS)
            *at++ = entry->counter;
        else
            at = search_put_number(at, entry->inst);
        at = put_span(at, &entry->left);
    }
    return at;
}

/* Warps that can be exchanged, in the order of their bytes. Pieces are at most warp_max bytes long. */
struct warp_piece {
    uint16_t at, size;
};

static int piece_order(const uint8_t *bytes, struct warp_piece a, struct warp_piece b) {
    const int order = memcmp(bytes + a.at, bytes + b.at, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static bool exchangeable(const struct code_model *model, uint32_t w, uint32_t v) {
    assert(model->cores > 0);
    return w % model->cores == v % model->cores && model->block->warp_path[w] == model->block->warp_path[v];
}

static uint8_t *put_warps(const struct code_model *model, void *state, uint8_t *scratch, uint8_t *at) {
    struct warp_piece pieces[CODE_WARPS_MAX];
    uint8_t *end = scratch;
    for (uint32_t w = 0; w < model->warps; w++) {
        struct code_warp *warp = code_warp_at(model, state, w);
        sort_counts(warp);
        uint8_t *next = put_warp(warp, end);
        pieces[w] = (struct warp_piece){(uint16_t)(end - scratch), (uint16_t)(next - end)};
        end = next;
        /* Bubbled down among those before it that it can be exchanged with. */
        for (uint32_t v = w, u = w; v-- > 0;) {
            if (!exchangeable(model, v, u)) continue;
            if (piece_order(scratch, pieces[u], pieces[v]) >= 0) break;
            const struct warp_piece piece = pieces[u];
            pieces[u] = pieces[v];
            pieces[v] = piece;
            u = v;
        }
    }
    for (uint32_t w = 0; w < model->warps; w++) {
        memcpy(at, scratch + pieces[w].at, pieces[w].size);
        at += pieces[w].size;
    }
    return at;
}

size_t code_key(const void *of, void *state, uint8_t *scratch, uint8_t *key) {
    const struct code_model *model = of;
    const struct code_state *head = state;
    uint8_t *at = key;
    *at++ = (uint8_t)(head->moment << 3 | head->half_open << 2 | head->promptly << 1 | head->acted);
    for (uint32_t c = 0; c < model->cores; c++) {
        const struct code_core *core = &code_cores(model, state)[c];
        *at++ = (uint8_t)(core->no_room << 1 | core->decided);
        at = put_span(at, &core->slot);
    }
    for (uint32_t u = 0; u < model->units; u++) {
        const struct code_unit *unit = &code_units(model, state)[u];
        *at++ = (uint8_t)(unit->taken << 1 | unit->declined);
        at = put_span(at, &unit->hold);
    }
    return (size_t)(put_warps(model, state, scratch, at) - key);
}
