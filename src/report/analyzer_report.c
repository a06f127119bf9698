#include "report/analyzer_report.h"

#include <string.h>

#include "warp/code_timing.h"

/* Whether an instruction accesses global memory by what it says of itself. */
static bool names_global(const struct ptx_form *form) {
    switch (form->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU:
    case PTX_OP_ST:
    case PTX_OP_ATOM:
    case PTX_OP_RED: return form->space == PTX_SPACE_GLOBAL;
    case PTX_OP_CP_ASYNC: return form->space_from == PTX_SPACE_GLOBAL;
    default: return false;
    }
}

/* Marks the instructions that were executed on global memory, whatever they say. */
static void mark_executed(const struct wb_grid *grid, bool *is_global) {
    for (size_t s = 0; s < grid->streams.count; s++) {
        const struct access_stream *stream = &grid->streams.items[s];
        for (uint32_t i = 0; i < stream->access_count; i++)
            if (stream->accesses[i].space == PTX_SPACE_GLOBAL)
                is_global[stream->accesses[i].instruction] = true;
    }
}

static bool any(const bool *flags, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++)
        if (flags[i]) return true;
    return false;
}

/* Lists the loads and stores of the kernel and of the functions that some warp enters. Addresses count
 * through these functions in the order of the module. */
static wb_status list_insts(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    const struct wb_module *module = grid->kernel->module;
    bool *used =
        executed_instructions(grid->paths.items, grid->paths.count, grid->instruction_count, &report->arena);
    bool *is_global = arena_array(&report->arena, (size_t)grid->instruction_count + 1, sizeof *is_global);
    report->listed = arena_array(&report->arena, (size_t)grid->instruction_count + 1, sizeof(uint32_t));
    if (used == NULL || is_global == NULL || report->listed == NULL) return WB_ERR_LIMIT;
    mark_executed(grid, is_global);
    memset(report->listed, 0xff, (size_t)grid->instruction_count * sizeof(uint32_t));
    uint64_t pc = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        uint32_t first = grid->code_first[f], end = grid->code_first[f + 1];
        if (f != grid->kernel->function && !any(used, first, end)) continue;
        for (uint32_t i = first; i < end; i++, pc += PC_STEP) {
            if (!is_global[i] && !names_global(module->functions[f].insts[i - first].form)) continue;
            report->listed[i] = (uint32_t)report->insts.count;
            struct analyzer_inst inst = {i, pc};
            WB_TRY(vec_push(&report->insts, inst));
        }
    }
    report->first_sorted = arena_array(&report->arena, report->insts.count + 2, sizeof(uint32_t));
    return report->first_sorted == NULL ? WB_ERR_LIMIT : WB_OK;
}

/* The group of an entry; new ones in the order in which they appear. */
static wb_status steering_group_of(struct analyzer_report *report, const struct steered_warp *steered,
                                   struct steering_group **found) {
    for (size_t g = 0; g < report->steerings.count; g++) {
        *found = &report->steerings.items[g];
        if ((*found)->instruction == steered->instruction && (*found)->origin == steered->origin &&
            (*found)->branch == steered->branch)
            return WB_OK;
    }
    struct steering_group group = {
        .instruction = steered->instruction, .origin = steered->origin, .branch = steered->branch};
    WB_TRY(vec_push(&report->steerings, group));
    *found = &report->steerings.items[report->steerings.count - 1];
    return WB_OK;
}

/* Appends the block at hand to the list of its group, or to the entry before it if that is of the same warps
 * in the blocks just before. */
static wb_status close_block(struct steering_group *group) {
    struct steered_blocks block = group->open;
    if (block.warps == 0) return WB_OK;
    group->open.warps = 0;
    if (group->blocks.count != 0) {
        struct steered_blocks *last = &group->blocks.items[group->blocks.count - 1];
        if (last->last + 1 == block.first && last->warps == block.warps) {
            last->last = block.last;
            return WB_OK;
        }
    }
    return vec_push(&group->blocks, block);
}

/* Sums up the steered warps, which stand in the order of their blocks. */
static wb_status group_steerings(struct analyzer_report *report) {
    const struct wb_grid *grid = report->grid;
    for (size_t i = 0; i < grid->steered.count; i++) {
        const struct steered_warp *steered = &grid->steered.items[i];
        struct steering_group *group;
        WB_TRY(steering_group_of(report, steered, &group));
        if (group->open.first != steered->block) WB_TRY(close_block(group));
        group->open.first = group->open.last = steered->block;
        group->open.warps |= 1u << steered->warp;
    }
    for (size_t g = 0; g < report->steerings.count; g++)
        WB_TRY(close_block(&report->steerings.items[g]));
    return WB_OK;
}

wb_status analyzer_report_open(const struct wb_grid *grid, const wb_writer *writer,
                               struct analyzer_report *report) {
    *report = (struct analyzer_report){.grid = grid, .writer = writer};
    WB_TRY(source_lines_open(grid->kernel->module, &report->lines));
    WB_TRY(list_insts(report));
    return group_steerings(report);
}

void analyzer_report_close(struct analyzer_report *report) {
    for (size_t g = 0; g < report->steerings.count; g++)
        vec_free(&report->steerings.items[g].blocks);
    vec_free(&report->steerings);
    vec_free(&report->insts);
    vec_free(&report->sorted);
    source_lines_close(&report->lines);
    text_free(&report->out);
    arena_free(&report->arena);
}

/* The place of an access in the list of instructions; PTX_NO_INDEX when it is not of global memory. */
static uint32_t listed_at(const struct analyzer_report *report, const struct access *access) {
    return access->space == PTX_SPACE_GLOBAL ? report->listed[access->instruction] : PTX_NO_INDEX;
}

/* Sorts the accesses of the warp at hand by instruction, those of each in their order. */
static wb_status sort_accesses(struct analyzer_report *report) {
    const struct access_stream *stream = report->stream;
    uint32_t *first = report->first_sorted;
    size_t insts = report->insts.count;
    report->sorted.count = 0;
    WB_TRY(vec_reserve(&report->sorted, stream->access_count));
    memset(first, 0, (insts + 2) * sizeof *first);
    for (uint32_t i = 0; i < stream->access_count; i++) {
        uint32_t at = listed_at(report, &stream->accesses[i]);
        if (at != PTX_NO_INDEX) first[at + 2]++;
    }
    for (size_t i = 2; i < insts + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < stream->access_count; i++) {
        uint32_t at = listed_at(report, &stream->accesses[i]);
        if (at != PTX_NO_INDEX) report->sorted.items[first[at + 1]++] = i;
    }
    return WB_OK;
}

wb_status analyzer_select_warp(struct analyzer_report *report, uint32_t block, uint32_t warp) {
    const struct wb_grid *grid = report->grid;
    const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[block].shape];
    const struct access_stream *stream = &grid->streams.items[shape->warps[warp].stream];
    bool sorted = report->stream == stream; /* warps often have the stream of the one before */
    report->block = block;
    report->warp = warp;
    report->stream = stream;
    return sorted ? WB_OK : sort_accesses(report);
}

struct analyzer_accesses analyzer_accesses_at(const struct analyzer_report *report, uint32_t inst) {
    const uint32_t *first = report->first_sorted + inst;
    struct analyzer_accesses accesses = {.count = first[1] - first[0]};
    if (accesses.count != 0) accesses.items = report->sorted.items + first[0];
    return accesses;
}

bool analyzer_is_perhaps(const struct analyzer_report *report, uint32_t access) {
    const struct access_stream *stream = report->stream;
    const struct access *of = &stream->accesses[access];
    uint32_t low = 0, high = stream->perhaps_count; /* the first stretch that does not end before its step */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stream->perhaps[middle].end <= of->step)
            low = middle + 1;
        else
            high = middle;
    }
    return (of->mask & ~of->unsure) == 0 ||
           (low < stream->perhaps_count && stream->perhaps[low].first <= of->step);
}

uint32_t analyzer_lines(const struct analyzer_report *report, uint32_t access, uint64_t lines[REQUESTS_MAX]) {
    const struct access_stream *stream = report->stream;
    const struct grid_block *block = &report->grid->blocks.items[report->block];
    uint64_t base = grid_base(report->grid, block, report->warp, stream->groups[access]);
    struct lane_addresses lanes;
    lane_addresses_read(&stream->accesses[access], stream->tables, base, &lanes);
    return requests_coalesce(&lanes, MEMORY_LINE_BYTES, lines);
}

uint64_t analyzer_block_number(const struct wb_grid *grid, uint32_t block) {
    uint32_t index[3];
    grid_block_index(grid, block, index);
    return ((uint64_t)index[2] * grid->dimensions[1] + index[1]) * grid->dimensions[0] + index[0];
}
