#include "same_grid.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

wb_grid *same_grid_trace(const wb_kernel *kernel, const wb_launch *launch, enum grid_how how,
                         wb_diagnostics *diagnostics) {
    const wb_grid_options options = {.size = sizeof options,
                                     .classes_from = how == GRID_EXECUTED ? UINT32_MAX : 1,
                                     .counted_from = how == GRID_COUNTED_BLOCKS ? 1 : UINT32_MAX,
                                     .passes_from = how == GRID_EXECUTED ? UINT64_MAX : 50};
    wb_grid *grid = NULL;
    (void)wb_grid_trace(kernel, launch, &options, diagnostics, &grid);
    return grid;
}

wb_grid *same_grid_cover(const wb_kernel *kernel, const wb_launch *launch, const wb_facts *facts,
                         uint32_t classes_from, wb_diagnostics *diagnostics) {
    const wb_grid_options options = {.size = sizeof options,
                                     .cover = true,
                                     .unknown_contents = true,
                                     .record_accesses = true,
                                     .facts = facts,
                                     .classes_from = classes_from};
    wb_grid *grid = NULL;
    (void)wb_grid_trace(kernel, launch, &options, diagnostics, &grid);
    return grid;
}

static bool same_stream(const struct access_stream *a, const struct access_stream *b) {
    return a->access_count == b->access_count && a->group_count == b->group_count &&
           a->table_count == b->table_count && a->maybe_count == b->maybe_count &&
           memcmp(a->accesses, b->accesses, a->access_count * sizeof *a->accesses) == 0 &&
           memcmp(a->groups, b->groups, a->access_count * sizeof *a->groups) == 0 &&
           (a->table_count == 0 || memcmp(a->tables, b->tables, a->table_count * sizeof *a->tables) == 0);
}

static bool same_warp(const struct shape_warp *a, const struct shape_warp *b, uint32_t groups) {
    bool same = a->path == b->path && a->stream == b->stream;
    for (uint32_t g = 0; same && g < groups; g++)
        same = a->shifts[g].index == b->shifts[g].index && a->shifts[g].delta == b->shifts[g].delta;
    return same;
}

static bool same_counts(const wb_grid *a, const wb_grid *b, struct text *difference) {
    if (a->blocks.count == b->blocks.count && a->paths.count == b->paths.count &&
        a->streams.count == b->streams.count && a->shapes.count == b->shapes.count &&
        a->bases.count == b->bases.count && a->covering.count == b->covering.count &&
        a->input_dependent.count == b->input_dependent.count)
        return true;
    text_printf(difference,
                "%zu and %zu blocks, %zu and %zu paths, %zu and %zu streams, %zu and %zu shapes, %zu "
                "and %zu covering blocks",
                a->blocks.count, b->blocks.count, a->paths.count, b->paths.count, a->streams.count,
                b->streams.count, a->shapes.count, b->shapes.count, a->covering.count, b->covering.count);
    return false;
}

static bool same_block(const struct grid_block *a, const struct grid_block *b) {
    return a->shape == b->shape && a->first_base == b->first_base && a->covering == b->covering;
}

static bool same_list(const struct access_list *a, const struct access_list *b) {
    return a->items.count == b->items.count && a->tables.count == b->tables.count &&
           a->maybe_executed.count == b->maybe_executed.count &&
           (a->items.count == 0 ||
            memcmp(a->items.items, b->items.items, a->items.count * sizeof *a->items.items) == 0) &&
           (a->tables.count == 0 ||
            memcmp(a->tables.items, b->tables.items, a->tables.count * sizeof *a->tables.items) == 0) &&
           (a->maybe_executed.count == 0 ||
            memcmp(a->maybe_executed.items, b->maybe_executed.items,
                   a->maybe_executed.count * sizeof *a->maybe_executed.items) == 0);
}

/* Compares covering blocks. */
static void compare_covering(const struct wb_block *a, const struct wb_block *b, size_t number,
                             struct text *difference) {
    if (a->paths.count != b->paths.count || a->repeats != b->repeats || a->meets_maybe != b->meets_maybe ||
        a->uncounted != b->uncounted || a->unrecorded != b->unrecorded ||
        a->causes.count != b->causes.count || a->objects.items.count != b->objects.items.count ||
        memcmp(a->index, b->index, sizeof a->index) != 0 || a->notes.assumed != b->notes.assumed)
        text_printf(difference, "covering block %zu; ", number);
    for (size_t p = 0; p < a->paths.count && p < b->paths.count; p++)
        if (!path_equal(&a->paths.items[p], &b->paths.items[p]))
            text_printf(difference, "path %zu of covering block %zu; ", p, number);
    for (size_t c = 0; c < a->causes.count && c < b->causes.count; c++) {
        const struct cover_cause *x = &a->causes.items[c], *y = &b->causes.items[c];
        if (x->instruction != y->instruction || x->origin != y->origin || x->need != y->need)
            text_printf(difference, "cause %zu of covering block %zu; ", c, number);
    }
    for (uint32_t w = 0; w < a->warp_count; w++)
        if (a->warp_path[w] != b->warp_path[w] || !same_list(&a->accesses[w], &b->accesses[w]))
            text_printf(difference, "warp %u of covering block %zu; ", w, number);
}

bool same_grid(const wb_grid *a, const wb_grid *b, struct text *difference) {
    if (!same_counts(a, b, difference)) return false;
    for (size_t i = 0; i < a->paths.count; i++)
        if (!path_equal(&a->paths.items[i], &b->paths.items[i])) text_printf(difference, "path %zu; ", i);
    for (size_t i = 0; i < a->streams.count; i++)
        if (!same_stream(&a->streams.items[i], &b->streams.items[i]))
            text_printf(difference, "stream %zu; ", i);
    for (size_t i = 0; i < a->shapes.count; i++)
        for (uint32_t w = 0; w < a->warp_count; w++) {
            const struct shape_warp *x = &a->shapes.items[i].warps[w], *y = &b->shapes.items[i].warps[w];
            if (!same_warp(x, y, a->streams.items[x->stream].group_count))
                text_printf(difference, "shape %zu, warp %u; ", i, w);
        }
    for (size_t i = 0; i < a->blocks.count; i++)
        if (!same_block(&a->blocks.items[i], &b->blocks.items[i])) text_printf(difference, "block %zu; ", i);
    for (size_t i = 0; i < a->bases.count; i++)
        if (a->bases.items[i] != b->bases.items[i]) text_printf(difference, "base %zu; ", i);
    for (size_t i = 0; i < a->covering.count; i++)
        compare_covering(a->covering.items[i].block, b->covering.items[i].block, i, difference);
    if (a->local_bytes != b->local_bytes) text_string(difference, "local memory; ");
    if (a->stored.count != b->stored.count) text_string(difference, "stored variables; ");
    if (((a->notes.assumed ^ b->notes.assumed) & ~assumed_bit(ASSUMED_NAN_BITS)) != 0)
        text_string(difference, "more is assumed; ");
    if (a->notes.longest_sleep != b->notes.longest_sleep) text_string(difference, "it sleeps longer; ");
    return difference->length == 0;
}

/* Whether warps of two blocks execute the same, and their addresses differ by whole lines, or not at all. */
static bool is_alike(const wb_grid *a, uint32_t x, const wb_grid *b, uint32_t y, bool lines) {
    const struct grid_block *of_a = &a->blocks.items[x], *of_b = &b->blocks.items[y];
    for (uint32_t w = 0; w < a->warp_count; w++) {
        const struct shape_warp *v = &a->shapes.items[of_a->shape].warps[w],
                                *u = &b->shapes.items[of_b->shape].warps[w];
        const struct access_stream *stream = &a->streams.items[v->stream];
        if (!path_equal(&a->paths.items[v->path], &b->paths.items[u->path]) ||
            !same_stream(stream, &b->streams.items[u->stream]))
            return false;
        for (uint32_t g = 0; g < stream->group_count; g++) {
            const uint64_t apart = grid_base(a, of_a, w, g) - grid_base(b, of_b, w, g);
            if (lines ? apart % MEMORY_LINE_BYTES != 0 : apart != 0) return false;
        }
    }
    return true;
}

/* The first block of the grid that is counted which a block is like; its number of blocks: there is none. */
static uint32_t first_alike(const wb_grid *counted, const wb_grid *grid, uint32_t block) {
    uint32_t first = 0;
    while (first < counted->blocks.count && !is_alike(counted, first, grid, block, true))
        first++;
    return first;
}

bool same_grid_counted(const wb_grid *counted, const wb_grid *whole, struct text *difference) {
    const uint32_t blocks = (uint32_t)counted->blocks.count;
    uint64_t *count = calloc((size_t)2 * blocks + 2, sizeof *count), *expected = count + blocks + 1;
    if (grid_block_count(counted) != whole->blocks.count) text_string(difference, "number of blocks; ");
    for (uint32_t b = 0; b < blocks; b++) {
        const uint64_t number = grid_block_number(counted, b);
        if (number >= whole->blocks.count || !is_alike(counted, b, whole, (uint32_t)number, false))
            text_printf(difference, "block %u; ", b);
        count[first_alike(counted, counted, b)] += grid_blocks_alike(counted, b);
    }
    for (uint32_t b = 0; b < whole->blocks.count; b++)
        expected[first_alike(counted, whole, b)]++;
    for (uint32_t b = 0; b <= blocks; b++)
        if (count[b] != expected[b]) text_printf(difference, "blocks like %u; ", b);
    if (counted->local_bytes != whole->local_bytes) text_string(difference, "local memory; ");
    free(count);
    return difference->length == 0;
}
