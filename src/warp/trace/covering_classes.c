/* Classes of blocks on covering paths (docs/block-classes.md, section 6): no memory but constants is known to
 * them, and what is not the same in all blocks of a class is unknown. */
#include "warp/trace/classes.h"

#include <stdlib.h>
#include <string.h>

#include "warp/cover/cover.h"

/* Most shifts of a class's addresses that change what accesses cost. */
#define SHIFTS_MAX 64u

/* Warp instructions up to which all blocks are executed with the data that is given. */
#define SHORT_MAX (UINT64_C(1) << 22)

/* All that stores can reach is unknown, and remains so. */
static wb_status forget_memory(struct run *run) {
    for (size_t i = 0; i < run->memory.regions.count; i++) {
        struct region *region = &run->memory.regions.items[i];
        if (!region->writable) continue;
        WB_TRY(region_forget(region));
        region->is_volatile = true;
    }
    return WB_OK;
}

/* As if the block were the only one. */
static wb_status begin_run(struct classification *of, uint32_t r) {
    struct covering_classes *covering = of->covering;
    struct run *run = &of->runs[r];
    run_begin_alone(run, covering->limit, covering->instructions, 0);
    WB_TRY(forget_memory(run));
    return cover_begin(run, covering->options->facts, &covering->code[r]);
}

/* The records of the origin's warps go with the block. */
static void let_go_of_records(struct classification *of) {
    of->accesses[0] = NULL;
    for (uint32_t w = 0; w < of->runs[0].warp_count; w++)
        of->runs[0].warps[w].accesses = NULL;
}

void covering_class_end(struct classification *of) {
    struct covering_classes *covering = of->covering;
    for (uint32_t r = 0; r < of->begun; r++) {
        cover_end(&of->runs[r]);
        arena_free(&covering->code[r]);
    }
    if (covering->block != NULL) {
        let_go_of_records(of);
        wb_block_free(covering->block);
        covering->block = NULL;
    }
}

wb_status covering_class_begin(struct classification *of) {
    struct covering_classes *covering = of->covering;
    const bool records = covering->options->record_accesses;
    covering_class_end(of);
    covering->block = calloc(1, sizeof *covering->block);
    if (covering->block == NULL) return WB_ERR_LIMIT;
    covering->block->kernel = of->runs[0].kernel;
    covering->block->code_first = of->grid->code_first;
    WB_TRY(block_begin(covering->block, &of->runs[0], records));
    of->accesses[0] = covering->block->accesses;
    for (uint32_t r = 0; r < of->lockstep.count; r++) {
        if (!records) of->accesses[r] = NULL;
        WB_TRY(begin_run(of, r));
    }
    return WB_OK;
}

/* Whether only accesses to global memory move, of which the costs are the same again after REQUEST_ALIGN. */
static bool only_global_moves(const struct classification *of, const struct block_class *class) {
    const struct wb_grid *grid = of->grid;
    const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[grid->blocks.count - 1].shape];
    for (uint32_t w = 0; class->base_count > 0 && w < grid->warp_count; w++) {
        const struct access_stream *stream = &grid->streams.items[shape->warps[w].stream];
        for (uint32_t a = 0; a < stream->access_count; a++) {
            const uint32_t base = shape->warps[w].shifts[stream->groups[a]].index;
            if (stream->accesses[a].space == PTX_SPACE_GLOBAL) continue;
            for (uint32_t j = 0; j < AXES; j++)
                if (class->space.step[j] != 0 && class->moves[j][base] != 0) return false;
        }
    }
    return true;
}

/* Finds after how many steps along each axis all accesses cost the same again. */
static wb_status find_periods(struct classification *of, struct block_class *class) {
    uint64_t shifts = 1;
    if (!only_global_moves(of, class)) return WB_ERR_DECLINED;
    for (uint32_t j = 0; j < AXES; j++) {
        uint64_t bits = 0;
        for (uint32_t b = 0; class->space.step[j] != 0 && b < class->base_count; b++)
            bits |= class->moves[j][b];
        class->period[j] = 1;
        while (class->period[j] * bits % REQUEST_ALIGN != 0)
            class->period[j] *= 2;
        shifts *= class->period[j];
    }
    if (shifts > SHIFTS_MAX) return WB_ERR_DECLINED;
    class->coverings = arena_array(&of->grid->arena, shifts, sizeof *class->coverings);
    return class->coverings == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* Whether every block by itself takes so little that it can be executed with the data that is given. */
static bool is_short(const struct classification *of) {
    const wb_grid_options *options = of->covering->options;
    const uint32_t *grid = of->grid->dimensions;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    return !options->unknown_contents && options->classes_from == 0 &&
           of->covering->instructions <= SHORT_MAX / blocks;
}

wb_status covering_class_add(struct classification *of, struct block_class *class) {
    struct covering_classes *covering = of->covering;
    struct wb_block *block = covering->block;
    WB_TRY(block_collect(block, &of->runs[0]));
    covering->instructions += of->runs[0].instructions;
    if (of->classes.count == 0 && is_short(of)) return WB_ERR_DECLINED;
    WB_TRY(covering_place(of->grid, block, 0));
    WB_TRY(find_periods(of, class));
    let_go_of_records(of);
    covering->block = NULL;
    WB_TRY(covering_keep(of->grid, covering->kinds, block));
    class->coverings[0] = of->grid->blocks.items[of->grid->blocks.count - 1].covering + 1;
    return WB_OK;
}

/* Makes *to, a block of the same paths whose accesses are elsewhere, one like that of its class. */
static wb_status take_over(const struct wb_block *from, struct wb_block *to) {
    to->notes = from->notes;
    to->unrecorded = from->unrecorded;
    to->covering = true;
    to->facts = from->facts;
    to->repeats = from->repeats;
    to->meets_maybe = from->meets_maybe;
    to->uncounted = from->uncounted;
    WB_TRY(vec_reserve(&to->causes, from->causes.count));
    for (size_t i = 0; i < from->causes.count; i++)
        to->causes.items[to->causes.count++] = from->causes.items[i];
    for (uint32_t w = 0; w < to->warp_count; w++)
        for (size_t i = 0; i < from->accesses[w].maybe_executed.count; i++)
            WB_TRY(vec_push(&to->accesses[w].maybe_executed, from->accesses[w].maybe_executed.items[i]));
    return WB_OK;
}

/* Executed by itself, the last block would be one whose accesses are shifted. */
static wb_status place_shifted(struct classification *of, const struct block_class *class) {
    struct wb_grid *grid = of->grid;
    const struct wb_block *like = grid->covering.items[class->coverings[0] - 1].block;
    const uint32_t number = (uint32_t)(grid->blocks.count - 1);
    struct wb_block *made = NULL;
    WB_TRY(grid_block_make(grid, number, &of->messages, &made));
    wb_status status = take_over(like, made);
    if (status == WB_OK) return covering_keep(grid, of->covering->kinds, made);
    wb_block_free(made);
    return status;
}

wb_status covering_class_place(struct classification *of, struct block_class *class) {
    struct grid_block *placed = &of->grid->blocks.items[of->grid->blocks.count - 1];
    uint64_t shift = 0;
    for (uint32_t j = AXES; j-- > 0;) {
        const int64_t period = class->period[j], left = class->space.step[j] == 0 ? 0 : class->q[j] % period;
        shift = shift * (uint64_t)period + (uint64_t)(left < 0 ? left + period : left);
    }
    if (class->coverings[shift] == 0) {
        WB_TRY(place_shifted(of, class));
        class->coverings[shift] = placed->covering + 1;
    }
    placed->covering = class->coverings[shift] - 1;
    return WB_OK;
}
