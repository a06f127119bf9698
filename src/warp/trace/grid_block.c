#include "warp/trace/blocks.h"

#include "warp/alu/lanes.h"
#include "warp/timed/timed.h"
#include <stdlib.h>
#include <string.h>

/* ---- A block of a grid --------------------------------------------------------------------------------- */

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

/* What is known of instructions is so of all blocks of the grid. */
static wb_status copy_objects(const struct memory_objects *objects, struct memory_objects *copy) {
    WB_TRY(vec_reserve(&copy->items, objects->items.count));
    copy->items.count = 0;
    copy->uses = objects->uses;
    for (size_t i = 0; i < objects->items.count; i++)
        copy->items.items[copy->items.count++] = objects->items.items[i];
    return WB_OK;
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
        access.base += grid_base(grid, from, warp, stream->groups[a]);
        list->items.items[list->items.count++] = access;
    }
    if (stream->table_count > 0)
        memcpy(list->tables.items, stream->tables, stream->table_count * sizeof *stream->tables);
    list->tables.count = stream->table_count;
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
    WB_TRY(copy_objects(&grid->cover.objects, &block->objects));
    return copy_paths(grid, &grid->shapes.items[from->shape], block);
}

wb_status grid_block_make(const struct wb_grid *grid, uint32_t number, wb_diagnostics *diagnostics,
                          struct wb_block **block) {
    struct wb_block *made = calloc(1, sizeof *made);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, wb_kernel_name(grid->kernel));
    made->kernel = grid->kernel;
    made->memory_limit = grid->memory_limit;
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

/* ---- What a grid knows of its code and its accesses ---------------------------------------------------- */

wb_status grid_find_barriers(struct wb_grid *grid) {
    const struct wb_module *module = grid->kernel->module;
    grid->instruction_count = grid->code_first[module->function_count];
    grid->is_barrier = arena_array(&grid->arena, (size_t)grid->instruction_count + 1, sizeof(bool));
    if (grid->is_barrier == NULL) return WB_ERR_LIMIT;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        bool *is_barrier = grid->is_barrier + grid->code_first[f];
        for (uint32_t i = 0; i < ptx_issued_count(function); i++) {
            const enum barrier_scope scope = barrier_scope_of(
                function, &function->insts[ptx_issued(function, i)], grid->block_size, grid->warp_width);
            is_barrier[i] = scope == BARRIER_WHOLE || scope == BARRIER_COUNTED;
        }
    }
    return WB_OK;
}

/* The end of what the lanes of `mask` access of local memory. */
static uint64_t local_end(const struct access_stream *stream, const struct access *access, uint32_t mask) {
    uint64_t end = 0;
    FOR_LANES_OF(l, access->mask & mask)
    end = cycles_max(end, access_address(access, stream->tables, l) + access->bytes);
    return end;
}

void grid_find_local_bytes(struct wb_grid *grid) {
    uint64_t end = 0, sure_end = 0;
    for (size_t s = 0; s < grid->streams.count; s++) {
        const struct access_stream *stream = &grid->streams.items[s];
        for (uint32_t i = 0; i < stream->access_count; i++) {
            const struct access *access = &stream->accesses[i];
            if (access->space != PTX_SPACE_LOCAL) continue;
            grid->cover.local_open |= access->table == ACCESS_UNKNOWN;
            if (access->table == ACCESS_UNKNOWN) continue;
            const uint64_t all = local_end(stream, access, access->mask);
            const uint64_t sure = local_end(stream, access, access->mask & ~access->unsure);
            end = all > end ? all : end;
            sure_end = sure > sure_end ? sure : sure_end;
        }
    }
    grid->cover.local_open |= sure_end != end;
    grid->local_bytes = (end + 3) / 4 * 4;
}

wb_status grid_note_covering(struct wb_grid *grid, const struct wb_block *block) {
    struct grid_covering *cover = &grid->cover;
    if (!cover->covers) {
        cover->uncounted = PTX_NO_INDEX;
        cover->facts = block->facts;
        WB_TRY(copy_objects(&block->objects, &cover->objects));
    }
    cover->covers = true;
    cover->repeats |= block->repeats;
    cover->meets_maybe |= block->meets_maybe;
    if (cover->uncounted == PTX_NO_INDEX) cover->uncounted = block->uncounted;
    return WB_OK;
}

/* ---- A grid of one block ------------------------------------------------------------------------------- */

wb_status grid_add_traced(struct wb_grid *grid, const struct wb_block *block) {
    struct path *paths = calloc((size_t)block->warp_count + 1, sizeof *paths);
    wb_status status = paths == NULL ? WB_ERR_LIMIT : WB_OK;
    for (uint32_t w = 0; status == WB_OK && w < block->warp_count; w++)
        status = path_copy(&block->paths.items[block->warp_path[w]], &paths[w]);
    if (status == WB_OK) status = grid_add_block(grid, paths, block->accesses);
    for (uint32_t w = 0; paths != NULL && w < block->warp_count; w++)
        path_free(&paths[w]);
    free(paths);
    return status;
}

/* Fills a grid of one block. */
static wb_status fill_from_block(const struct wb_block *block, struct wb_grid *grid) {
    const struct wb_module *module = block->kernel->module;
    grid->kernel = block->kernel;
    memcpy(grid->dimensions, block->grid, sizeof grid->dimensions);
    memcpy(grid->block_size, block->size, sizeof grid->block_size);
    memcpy(grid->first_index, block->index, sizeof grid->first_index);
    grid->memory_limit = block->memory_limit;
    grid->shared_bytes = block->shared_bytes;
    grid->registers = block->registers;
    grid->notes = block->notes;
    if (block->covering) WB_TRY(grid_note_covering(grid, block));
    if (!block->covering) WB_TRY(copy_objects(&block->objects, &grid->cover.objects));
    grid->warp_count = block->warp_count;
    grid->warp_width = block->warp_width;
    WB_TRY(code_number(module, &grid->arena, &grid->code_first));
    WB_TRY(grid_find_barriers(grid));
    WB_TRY(grid_add_traced(grid, block));
    grid_find_local_bytes(grid);
    return WB_OK;
}

wb_status grid_from_block(const struct wb_block *block, wb_diagnostics *diagnostics, struct wb_grid *grid) {
    if (block->unrecorded != PTX_NO_INDEX && !block->covering) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, block->kernel->module,
                     block_inst(block, block->unrecorded, NULL),
                     "the memory that this instruction accesses is unknown");
        return WB_ERR_DECLINED;
    }
    wb_status status = fill_from_block(block, grid);
    if (status != WB_OK) return diagnose_out_of_memory(diagnostics, wb_kernel_name(block->kernel));
    return WB_OK;
}

/* ---- What is declined ---------------------------------------------------------------------------------- */

/* Says which value of the first input-dependent warp is not known, and where it comes from. */
static void explain_steering(const struct wb_grid *grid, const struct steered_warp *first,
                             wb_diagnostics *diagnostics) {
    const struct wb_module *module = grid->kernel->module;
    const char *what = first->origin == first->instruction ? "which memory this instruction accesses"
                       : first->branch                     ? "whether this is executed"
                                                           : "the address";
    uint32_t index[3];
    grid_block_index(grid, first->block, index);
    ptx_diagnose(diagnostics, SEVERITY_ERROR, module, grid_inst(grid, first->instruction, NULL),
                 "%s depends on an unknown value (block %u,%u,%u, warp %u; %zu warps in all)", what, index[0],
                 index[1], index[2], first->warp, grid->input_dependent.count);
    if (first->origin != PTX_NO_INDEX && first->origin != first->instruction)
        ptx_diagnose(diagnostics, SEVERITY_NOTE, module, grid_inst(grid, first->origin, NULL),
                     "the value comes from here");
}

wb_status grid_decline_covering(const struct wb_grid *grid, wb_diagnostics *diagnostics) {
    if (!grid->cover.covers) return WB_OK;
    diagnose(
        diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel),
        "these are covering paths: no warp executes all of them, so they can be bounded but not simulated");
    return WB_ERR_DECLINED;
}

/* Declines covering paths some of whose accesses are not recorded. */
static wb_status decline_uncounted(const struct wb_grid *grid, wb_diagnostics *diagnostics) {
    if (!grid->cover.covers) return WB_OK;
    if (grid->cover.uncounted != PTX_NO_INDEX) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, grid->kernel->module,
                     grid_inst(grid, grid->cover.uncounted, NULL), UNKNOWN_MEMORY "%s",
                     grid->kernel->module->code == NULL ? "; the kernel's cubin says which: analyze that"
                                                        : "");
        return WB_ERR_DECLINED;
    }
    if (grid->cover.repeats) {
        diagnose(
            diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel),
            "a loop has so many iterations that their accesses were not counted, which a machine with caches "
            "needs; state a smaller limit of the loop with flow facts");
        return WB_ERR_DECLINED;
    }
    if (grid->shapes.count == 0 && grid->blocks.count > 0) {
        diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel),
                 "the blocks were executed without recording their accesses");
        return WB_ERR_DECLINED;
    }
    return WB_OK;
}

wb_status grid_decline_steered(const struct wb_grid *grid, wb_diagnostics *diagnostics) {
    WB_TRY(decline_uncounted(grid, diagnostics));
    if (grid->kernel != NULL && grid->notes.unmodelled != NULL) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, grid->kernel->module,
                     grid_inst(grid, grid->notes.unmodelled_index, NULL), "%s", grid->notes.unmodelled);
        return WB_ERR_DECLINED;
    }
    if (grid->input_dependent.count == 0) return WB_OK;
    if (grid->kernel == NULL)
        diagnose(diagnostics, SEVERITY_ERROR, "grid", "unknown values decide what warps execute");
    else
        explain_steering(grid, &grid->input_dependent.items[0], diagnostics);
    return WB_ERR_DECLINED;
}

wb_status grid_decline_clusters(const struct wb_grid *grid, wb_diagnostics *diagnostics) {
    if (grid->kernel == NULL || grid->blocks.count < 2 || !ptx_in_clusters(kernel_function(grid->kernel)))
        return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(grid->kernel),
             "its blocks start in clusters, on SMs with room for a whole cluster: that is not modelled; "
             "bound one block (-i 0,0,0)");
    return WB_ERR_DECLINED;
}
