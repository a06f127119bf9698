/* Which memory a trace accesses: what instructions access of global memory, as far as it is not apart, stands
 * for the buffers, whose sizes a trace does not say. */
#include <stdlib.h>

#include "warp/trace/recorded.h"

/* Bytes between two accesses of an instruction that are taken for one piece of memory, and most pieces. */
#define APART_MOST 4096u
#define PIECES_MAX 64u

wb_status recorded_memory_note(struct recorded_memory *memory, uint32_t number, uint64_t first,
                               uint64_t end) {
    struct recorded_pieces *pieces = &memory->of[number];
    size_t at = 0;
    while (at < pieces->count && pieces->items[at].end + APART_MOST < first)
        at++;
    if (at == pieces->count || end + APART_MOST < pieces->items[at].first) {
        const struct recorded_piece made = {first, end};
        memory->too_many |= pieces->count == PIECES_MAX;
        if (memory->too_many) return WB_OK;
        WB_TRY(vec_push(pieces, made));
        for (size_t i = pieces->count - 1; i > at; i--)
            pieces->items[i] = pieces->items[i - 1];
        pieces->items[at] = made;
        return WB_OK;
    }
    struct recorded_piece *piece = &pieces->items[at];
    if (first < piece->first) piece->first = first;
    if (end > piece->end) piece->end = end;
    while (at + 1 < pieces->count && piece[1].first <= piece->end + APART_MOST) {
        if (piece[1].end > piece->end) piece->end = piece[1].end;
        for (size_t i = at + 1; i + 1 < pieces->count; i++)
            pieces->items[i] = pieces->items[i + 1];
        pieces->count--;
    }
    return WB_OK;
}

static int compare_pieces(const void *a, const void *b) {
    const struct recorded_piece *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

wb_status recorded_memory_objects(const struct recorded_memory *memory, uint32_t count,
                                  struct memory_objects *objects) {
    struct recorded_pieces all = {0};
    wb_status status = WB_OK;
    size_t kept = 0;
    for (uint32_t i = 0; i < count && status == WB_OK && !memory->too_many; i++)
        for (size_t p = 0; p < memory->of[i].count && status == WB_OK; p++)
            status = vec_push(&all, memory->of[i].items[p]);
    if (all.items == NULL) return status;
    qsort(all.items, all.count, sizeof *all.items, compare_pieces);
    for (size_t p = 0; p < all.count; p++) {
        struct recorded_piece *last = kept > 0 ? &all.items[kept - 1] : NULL;
        if (last == NULL || last->end <= all.items[p].first)
            all.items[kept++] = all.items[p];
        else if (all.items[p].end > last->end)
            last->end = all.items[p].end;
    }
    for (size_t p = 0; p < kept && status == WB_OK; p++) {
        const struct memory_object made = {.base = all.items[p].first,
                                           .size = all.items[p].end - all.items[p].first,
                                           .name = "memory that the trace accesses"};
        status = vec_push(&objects->items, made);
    }
    vec_free(&all);
    return status;
}
