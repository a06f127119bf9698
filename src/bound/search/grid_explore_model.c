#include "bound/search/grid_explore_state.h"

#include <stdlib.h>

/* Keys of the table of states have a length of two bytes. */
#define KEY_BYTES_MAX 65535u

/* The same of a block. */
static const char *block_objection(const struct timed_block *block) {
    if (block == NULL) return "the search covers grids of few kinds of blocks";
    if (block->warp_count > GRID_EXPLORE_WARPS_MAX) return "the search covers blocks of at most 32 warps";
    if (block->path_count >= UINT16_MAX) return "the search covers fewer programs";
    return NULL;
}

/* The same of a machine. */
static const char *machine_objection(const struct wb_machine *machine) {
    if (fetch_can_stall(&machine->fetch)) return "the search knows no instruction cache (fetch)";
    const struct machine_memory *memory = &machine->memory;
    if (machine->sub_cores != 1) return "the search covers SMs of one sub-core";
    if (machine->issue_per_warp > 1) return "the search covers one instruction of a warp a cycle";
    if (machine->unit_count > GRID_EXPLORE_UNITS_MAX) return "the search covers at most 16 units";
    for (uint32_t u = 0; u < machine->unit_count; u++)
        if (machine->units[u].count > EXPLORE_INSTANCES_MAX)
            return "the search covers at most 4 instances of a unit";
    if (machine->dispatch_depth > EXPLORE_DEPTH_MAX && machine->dispatch_depth != DEPTH_UNLIMITED)
        return "the search covers dispatch depths 0 to 8 and unlimited";
    if (memory->dispatch_service > 0 && !memory_dispatch_is_dynamic(memory))
        return "the search covers dispatch_service only where blocks go to any SM";
    return NULL;
}

const char *grid_explore_objection(const struct grid_work *work) {
    const struct machine_memory *memory = &work->machine->memory;
    const char *objection = machine_objection(work->machine);
    cycles horizon = 0;
    if (memory_is_contended(memory)) return "the search knows nothing of a memory that all SMs share";
    if (work->kinds.count > GRID_EXPLORE_KINDS_MAX) return "the search covers at most 16 kinds of blocks";
    for (size_t k = 0; objection == NULL && k < work->kinds.count; k++) {
        const struct block_kind *kind = &work->kinds.items[k];
        objection = block_objection(kind->timed);
        if (objection == NULL)
            horizon = cycles_add(horizon, cycles_mul(kind->blocks, timed_block_horizon(kind->timed)));
    }
    if (objection != NULL) return objection;
    const uint32_t sms = memory->sms < work->block_count ? memory->sms : work->block_count;
    if (sms > GRID_EXPLORE_SMS_MAX) return "the search covers at most 16 SMs";
    if (work->resident_most > GRID_EXPLORE_ROOMS_MAX)
        return "the search covers at most 16 blocks of an SM at a time";
    cycles dispatch = (cycles)memory->dispatch_latency + memory->dispatch_service;
    horizon = cycles_add(horizon, cycles_mul(work->block_count, dispatch));
    return horizon > UINT32_MAX / 2 ? "the grid is too long for the search" : NULL;
}

/* From the end of a program to its start: an instruction with a unit takes a cycle to issue. */
static wb_status find_rests(struct grid_explore_program *program, struct arena *arena) {
    const struct explore_program *steps = &program->steps;
    program->shortest_rest = arena_array(arena, (size_t)steps->count + 1, sizeof *program->shortest_rest);
    if (program->shortest_rest == NULL) return WB_ERR_LIMIT;
    for (uint32_t p = steps->count; p-- > 0;) {
        const struct explore_inst *inst = &steps->insts[p];
        uint32_t rest = program->shortest_rest[p + 1] + (inst->unit != UNIT_NONE);
        uint32_t own = inst->init + inst->latency;
        program->shortest_rest[p] = own > rest ? own : rest;
    }
    return WB_OK;
}

static int rising(const void *a, const void *b) {
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* Writes out the programs of a kind, from model->programs[first] on. */
static wb_status make_kind(const struct block_kind *kind, struct arena *arena, uint32_t first,
                           struct grid_explore_model *model) {
    const struct timed_block *block = kind->timed;
    struct grid_explore_kind *made = &model->kinds[model->kind_count++];
    *made = (struct grid_explore_kind){.blocks = (uint32_t)kind->blocks, .warps = block->warp_count};
    if (model->room_warps < made->warps) model->room_warps = made->warps;
    for (uint32_t p = 0; p < block->path_count; p++) {
        struct grid_explore_program *program = &model->programs[first + p];
        WB_TRY(explore_program_make(block, p, arena, &program->steps));
        WB_TRY(find_rests(program, arena));
    }
    made->paths = arena_array(arena, (size_t)block->warp_count + 1, sizeof *made->paths);
    if (made->paths == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        made->paths[w] = (uint16_t)(first + block->warp_path[w]);
        made->units |= model->programs[made->paths[w]].steps.units_left[0];
    }
    qsort(made->paths, made->warps, sizeof *made->paths, rising);
    return WB_OK;
}

wb_status grid_explore_model_make(const struct grid_work *work, struct arena *arena,
                                  struct grid_explore_model *model) {
    *model = (struct grid_explore_model){.machine = work->machine};
    size_t programs = 0;
    for (size_t k = 0; k < work->kinds.count; k++)
        programs += work->kinds.items[k].timed->path_count;
    if (programs > UINT16_MAX) return WB_ERR_DECLINED;
    model->programs = arena_array(arena, programs + 1, sizeof *model->programs);
    model->kinds = arena_array(arena, work->kinds.count + 1, sizeof *model->kinds);
    if (model->programs == NULL || model->kinds == NULL) return WB_ERR_LIMIT;
    programs = 0;
    for (size_t k = 0; k < work->kinds.count; k++) {
        WB_TRY(make_kind(&work->kinds.items[k], arena, (uint32_t)programs, model));
        programs += work->kinds.items[k].timed->path_count;
    }
    return WB_OK;
}

static size_t put_behind(size_t *size, size_t count, size_t item) {
    size_t at = *size;
    *size += count * item;
    return at;
}

bool grid_explore_model_set(struct grid_explore_model *model, const struct grid_explore_scope *scope) {
    struct grid_explore_layout *layout = &model->layout;
    const size_t units = model->machine->unit_count, rooms = (size_t)scope->sms * scope->rooms;
    model->scope = *scope;
    size_t size = sizeof(struct grid_dispatch);
    layout->left = put_behind(&size, model->kind_count, sizeof(uint32_t));
    layout->sms = put_behind(&size, scope->sms, sizeof(struct grid_sm));
    layout->units = put_behind(&size, scope->sms * units, sizeof(struct explore_unit));
    layout->rooms = put_behind(&size, rooms, sizeof(struct grid_room));
    layout->warps = put_behind(&size, rooms * model->room_warps, sizeof(struct explore_warp));
    layout->size = size;
    layout->room_max = ROOM_KEY_MAX + (size_t)model->room_warps * EXPLORE_WARP_KEY_MAX;
    layout->sm_max = SM_KEY_MAX + units * EXPLORE_UNIT_KEY_MAX + scope->rooms * layout->room_max;
    layout->key_max = DISPATCH_KEY_MAX + model->kind_count * NUMBER_KEY_MAX + scope->sms * layout->sm_max;
    return layout->key_max <= KEY_BYTES_MAX;
}

/* Ways to choose n of `from` things, one of them as often as one likes. */
static double multisets(double from, uint32_t n) {
    double sets = 1;
    for (uint32_t i = 0; i < n; i++)
        sets *= (from + i) / (i + 1);
    return sets;
}

double grid_explore_positions(const struct grid_work *work, const struct grid_explore_scope *scope) {
    double rooms = 1, left = 1;
    for (size_t k = 0; k < work->kinds.count; k++) {
        const struct block_kind *kind = &work->kinds.items[k];
        rooms += explore_positions(kind->timed);
        left *= (double)kind->blocks + 1;
    }
    if (scope->order != NULL) left = (double)scope->order_count + 1;
    return multisets(multisets(rooms, scope->rooms), scope->sms) * left;
}
