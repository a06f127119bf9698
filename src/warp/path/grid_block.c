#include "warp/path/grid_block.h"

#include <stdlib.h>
#include <string.h>

/* Appends a copy of a path. */
static wb_status append_path(const struct path *path, struct wb_block *block) {
    struct path copy = {0};
    WB_TRY(path_copy(path, &copy));
    if (vec_push(&block->paths, copy) == WB_OK) return WB_OK;
    path_free(&copy);
    return WB_ERR_LIMIT;
}

/* The paths of the warps, each once, in the order of the first warp that has it. */
static wb_status copy_paths(const struct wb_grid *grid, const struct block_shape *shape,
                            struct wb_block *block) {
    uint32_t *places = calloc(grid->paths.count + 1, sizeof *places); /* 1 + where a path of the grid is */
    wb_status status = places == NULL ? WB_ERR_LIMIT : WB_OK;
    for (uint32_t w = 0; status == WB_OK && w < grid->warp_count; w++) {
        uint32_t *place = &places[shape->warps[w].path];
        if (*place == 0) {
            status = append_path(&grid->paths.items[shape->warps[w].path], block);
            *place = (uint32_t)block->paths.count;
        }
        block->warp_path[w] = *place - 1;
    }
    free(places);
    return status;
}

/* The accesses of a warp at their addresses. */
static wb_status copy_accesses(const struct wb_grid *grid, const struct grid_block *from, uint32_t warp,
                               struct access_list *list) {
    const struct access_stream *stream =
        &grid->streams.items[grid->shapes.items[from->shape].warps[warp].stream];
    WB_TRY(vec_reserve(&list->items, stream->access_count));
    WB_TRY(vec_reserve(&list->tables, stream->table_count));
    for (uint32_t a = 0; a < stream->access_count; a++) {
        struct access access = stream->accesses[a];
        const uint64_t base = grid_base(grid, from, warp, stream->groups[a]);
        if (access.table == ACCESS_AFFINE) {
            access.base += base;
        } else {
            uint32_t lanes = (uint32_t)__builtin_popcount(access.mask);
            const uint64_t *table = stream->tables + access.table;
            access.table = (uint32_t)list->tables.count;
            for (uint32_t lane = 0; lane < lanes; lane++)
                WB_TRY(vec_push(&list->tables, table[lane] + base));
        }
        list->items.items[list->items.count++] = access;
    }
    return WB_OK;
}

static wb_status fill_block(const struct wb_grid *grid, uint32_t number, struct wb_block *block) {
    const struct grid_block *from = &grid->blocks.items[number];
    const uint32_t functions = grid->kernel->module->function_count;
    block->code_first = arena_array(&block->arena, (size_t)functions + 1, sizeof *block->code_first);
    block->warp_path = arena_array(&block->arena, (size_t)grid->warp_count + 1, sizeof *block->warp_path);
    block->accesses = arena_array(&block->arena, (size_t)grid->warp_count + 1, sizeof *block->accesses);
    if (block->code_first == NULL || block->warp_path == NULL || block->accesses == NULL) return WB_ERR_LIMIT;
    memcpy(block->code_first, grid->code_first, ((size_t)functions + 1) * sizeof *block->code_first);
    block->warp_count = grid->warp_count;
    for (uint32_t w = 0; w < grid->warp_count; w++)
        WB_TRY(copy_accesses(grid, from, w, &block->accesses[w]));
    return copy_paths(grid, &grid->shapes.items[from->shape], block);
}

wb_status grid_block_make(const struct wb_grid *grid, uint32_t number, wb_diagnostics *diagnostics,
                          struct wb_block **block) {
    struct wb_block *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, wb_kernel_name(grid->kernel));
    made->kernel = grid->kernel;
    made->shared_bytes = grid->shared_bytes;
    made->registers = grid->registers;
    made->inputs = grid->inputs;
    made->warp_width = grid->warp_width;
    made->notes = grid->notes;
    made->unrecorded = made->uncounted = PTX_NO_INDEX;
    memcpy(made->grid, grid->dimensions, sizeof made->grid);
    memcpy(made->size, grid->block_size, sizeof made->size);
    grid_block_index(grid, number, made->index);
    if (fill_block(grid, number, made) != WB_OK) {
        wb_block_free(made);
        return diagnose_out_of_memory(diagnostics, wb_kernel_name(grid->kernel));
    }
    *block = made;
    return WB_OK;
}
