/* The distinct covering blocks of a grid: those that differ in paths, or in what their accesses cost. */
#include "warp/trace/blocks.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const struct wb_block *block) {
    uint32_t hash = (uint32_t)block->paths.count;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct access_list *list = block->accesses == NULL ? NULL : &block->accesses[w];
        hash = hash * 31 + block->paths.items[block->warp_path[w]].hash;
        for (size_t i = 0; list != NULL && i < list->items.count; i++) {
            const struct access_key key = access_key_of(&list->items.items[i], list->tables.items);
            hash = hash * 31 + hash_bytes(&key, sizeof key);
        }
    }
    return hash;
}

/* Whether two tables are the same but for where they start. */
static bool same_table(const uint64_t *a, const uint64_t *b, uint32_t mask) {
    for (int i = 1; i < __builtin_popcount(mask); i++)
        if (a[i] - a[0] != b[i] - b[0]) return false;
    return true;
}

static bool same_accesses(const struct access_list *a, const struct access_list *b) {
    if (a->items.count != b->items.count) return false;
    for (size_t i = 0; i < a->items.count; i++) {
        const struct access *x = &a->items.items[i], *y = &b->items.items[i];
        const struct access_key x_key = access_key_of(x, a->tables.items),
                                y_key = access_key_of(y, b->tables.items);
        if (memcmp(&x_key, &y_key, sizeof x_key) != 0) return false;
        if (x_key.addresses == 1 &&
            !same_table(a->tables.items + x->table, b->tables.items + y->table, x->mask))
            return false;
    }
    return true;
}

/* Whether the warps of two blocks execute the same at the same cost. */
static bool same_block(const struct wb_block *a, const struct wb_block *b) {
    if (!notes_equal(&a->notes, &b->notes) || a->uncounted != b->uncounted || a->repeats != b->repeats ||
        a->paths.count != b->paths.count)
        return false;
    for (size_t p = 0; p < a->paths.count; p++)
        if (!path_equal(&a->paths.items[p], &b->paths.items[p])) return false;
    for (uint32_t w = 0; w < a->warp_count; w++) {
        if (a->warp_path[w] != b->warp_path[w]) return false;
        if (a->accesses != NULL && !same_accesses(&a->accesses[w], &b->accesses[w])) return false;
    }
    return true;
}

/* Adds what was noted of a block to what was noted of those before. */
static void add_notes(struct execution_notes *notes, const struct execution_notes *of) {
    notes->assumed |= of->assumed;
    if (of->unmodelled != NULL) notes_unmodelled(notes, of->unmodelled_index, of->unmodelled);
    if (of->longest_sleep > notes->longest_sleep) notes->longest_sleep = of->longest_sleep;
}

wb_status covering_place(struct wb_grid *grid, const struct wb_block *block, uint32_t covering) {
    WB_TRY(grid_note_covering(grid, block));
    add_notes(&grid->notes, &block->notes);
    if (block->accesses != NULL)
        WB_TRY(grid_add_traced(grid, block));
    else
        WB_TRY(vec_push(&grid->blocks, (struct grid_block){0}));
    grid->blocks.items[grid->blocks.count - 1].covering = covering;
    return WB_OK;
}

wb_status covering_keep(struct wb_grid *grid, struct covering_kinds *kinds, struct wb_block *block) {
    const uint32_t hash = hash_of(block);
    uint32_t known = 0;
    while (known < grid->covering.count &&
           (kinds->hashes.items[known] != hash || !same_block(grid->covering.items[known].block, block)))
        known++;
    const struct covering_block added = {block};
    const bool kept = known == grid->covering.count;
    wb_status status = WB_OK;
    grid->blocks.items[grid->blocks.count - 1].covering = known;
    if (kept) status = vec_push(&kinds->hashes, hash);
    if (kept && status == WB_OK) status = vec_push(&grid->covering, added);
    if (kept) grid->covering_bytes += block_bytes(block);
    if (status != WB_OK || !kept) wb_block_free(block);
    return status;
}
