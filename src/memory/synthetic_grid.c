#include "memory/synthetic_grid.h"

#include <stdlib.h>

/* Bytes that a lane accesses. */
#define MEMORY_WORD_BYTES 4u

/* Room for the block at hand: what grid_add_block takes. */
struct block_room {
    struct path *paths;
    struct access_list *accesses;
};

/* Warps of the largest block. */
static uint32_t most_warps(const struct synthetic_block *block) {
    uint32_t most = 0;
    for (size_t k = 0; k < block->kinds.count; k++) {
        uint32_t warps = block->kinds.items[k].timed.warp_count;
        most = warps > most ? warps : most;
    }
    return most;
}

/* Which instructions are barriers, and where the code begins. */
static wb_status number_code(const struct timed_code *code, struct wb_grid *grid) {
    grid->instruction_count = code->inst_count;
    grid->code_first = arena_array(&grid->arena, 2, sizeof *grid->code_first);
    grid->is_barrier = arena_array(&grid->arena, (size_t)code->inst_count + 1, sizeof *grid->is_barrier);
    if (grid->code_first == NULL || grid->is_barrier == NULL) return WB_ERR_LIMIT;
    grid->code_first[1] = code->inst_count;
    for (uint32_t i = 0; i < code->inst_count; i++)
        grid->is_barrier[i] = code->insts[i].barrier;
    return WB_OK;
}

/* The requests of a warp: each instruction of the memory unit makes one a lane, as many as it keeps the unit
 * cycles. Nothing is known of addresses, and without caches they do not matter. */
static wb_status add_accesses(const struct synthetic_block *block, const struct path *path,
                              struct access_list *list) {
    struct path_cursor cursor = path_begin(path);
    struct path_step at;
    for (uint64_t step = 0; path_next(&cursor, &at); step++) {
        const struct timed_inst *inst = &block->timed.code.insts[at.instruction];
        if (inst->unit == UNIT_NONE || inst->unit != block->memory_unit) continue;
        const struct access access = {.step = step,
                                      .stride = MEMORY_LINE_BYTES,
                                      .instruction = at.instruction,
                                      .mask = (uint32_t)((UINT64_C(1) << inst->init) - 1),
                                      .table = ACCESS_AFFINE,
                                      .bytes = MEMORY_WORD_BYTES,
                                      .space = PTX_SPACE_GLOBAL};
        WB_TRY(vec_push(&list->items, access));
    }
    return WB_OK;
}

/* Adds a block; a block with fewer warps than the largest has some that execute nothing. */
static wb_status add_block(const struct synthetic_block *block, const struct timed_block *timed,
                           struct block_room *room, struct wb_grid *grid) {
    for (uint32_t w = 0; w < grid->warp_count; w++)
        room->accesses[w].items.count = 0;
    for (uint32_t w = 0; w < timed->warp_count; w++) {
        const struct path *path = &timed->paths[timed->warp_path[w]];
        WB_TRY(add_accesses(block, path, &room->accesses[w]));
        WB_TRY(path_copy(path, &room->paths[w]));
    }
    return grid_add_block(grid, room->paths, room->accesses);
}

/* Some of the blocks: `count` of each kind from `first` on, before `end`; 0: as many as there are. */
struct block_choice {
    size_t first, end;
    uint32_t count;
};

static wb_status add_blocks(const struct synthetic_block *block, const struct block_choice *choice,
                            struct wb_grid *grid) {
    struct block_room room = {.paths = calloc((size_t)grid->warp_count + 1, sizeof *room.paths),
                              .accesses = calloc((size_t)grid->warp_count + 1, sizeof *room.accesses)};
    wb_status status = room.paths == NULL || room.accesses == NULL ? WB_ERR_LIMIT : WB_OK;
    for (size_t k = choice->first; k < choice->end; k++) {
        const uint32_t count = choice->count != 0 ? choice->count : block->kinds.items[k].count;
        for (uint32_t b = 0; status == WB_OK && b < count; b++)
            status = add_block(block, &block->kinds.items[k].timed, &room, grid);
    }
    for (uint32_t w = 0; room.paths != NULL && w < grid->warp_count; w++)
        path_free(&room.paths[w]);
    for (uint32_t w = 0; room.accesses != NULL && w < grid->warp_count; w++)
        vec_free(&room.accesses[w].items);
    free(room.paths);
    free(room.accesses);
    return status;
}

static wb_status fill(const struct synthetic_block *block, const struct block_choice *choice,
                      struct wb_grid *grid) {
    grid->warp_count = most_warps(block);
    grid->warp_width = MACHINE_WARP_WIDTH;
    grid->block_size[0] = grid->warp_count * MACHINE_WARP_WIDTH;
    grid->block_size[1] = grid->block_size[2] = 1;
    WB_TRY(number_code(&block->timed.code, grid));
    WB_TRY(add_blocks(block, choice, grid));
    grid->dimensions[0] = (uint32_t)grid->blocks.count;
    grid->dimensions[1] = grid->dimensions[2] = 1;
    return WB_OK;
}

static wb_status make(const struct synthetic_block *block, const struct block_choice *choice,
                      wb_diagnostics *diagnostics, struct wb_grid *grid, struct timed_grid *timed) {
    *grid = (struct wb_grid){0};
    *timed = (struct timed_grid){.grid = grid, .machine = &block->machine, .code = block->timed.code};
    if (fill(block, choice, grid) != WB_OK) return diagnose_out_of_memory(diagnostics, block->machine.name);
    return traffic_make(grid, timed->machine, diagnostics, &timed->traffic);
}

wb_status synthetic_grid_make(const struct synthetic_block *block, wb_diagnostics *diagnostics,
                              struct wb_grid *grid, struct timed_grid *timed) {
    return make(block, &(struct block_choice){0, block->kinds.count, 0}, diagnostics, grid, timed);
}

wb_status synthetic_grid_make_block(const struct synthetic_block *block, size_t kind,
                                    wb_diagnostics *diagnostics, struct wb_grid *grid,
                                    struct timed_grid *timed) {
    return make(block, &(struct block_choice){kind, kind + 1, 1}, diagnostics, grid, timed);
}
