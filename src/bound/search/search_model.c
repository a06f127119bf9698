#include "bound/search/search_model.h"

#include <assert.h>
#include <stdlib.h>

const char *search_units_objection(const struct wb_machine *machine) {
    if (machine->unit_count > SEARCH_UNITS_MAX) return "the search covers at most 16 units";
    for (uint32_t u = 0; u < machine->unit_count; u++)
        if (machine->units[u].count > SEARCH_INSTANCES_MAX)
            return "the search covers at most 4 instances of a unit";
    if (machine->dispatch_depth > SEARCH_DEPTH_MAX && machine->dispatch_depth != DEPTH_UNLIMITED)
        return "the search covers dispatch depths 0 to 8 and unlimited";
    return NULL;
}

static int rising(const void *a, const void *b) {
    return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* Writes out a class of blocks, its programs behind those of the classes before it. */
static wb_status add_class(const struct search_blocks *blocks, struct arena *arena,
                           struct search_model *model) {
    const struct timed_block *block = blocks->timed;
    const uint32_t first = model->program_count;
    struct search_class *made = &model->classes[model->class_count++];
    assert(block->warp_count <= SEARCH_WARPS_MAX);
    *made = (struct search_class){.blocks = (uint32_t)blocks->count, .warps = block->warp_count};
    if (model->slot_warps < made->warps) model->slot_warps = made->warps;
    for (uint32_t p = 0; p < block->path_count; p++)
        WB_TRY(search_program_make(block, p, arena, &model->programs[model->program_count++]));
    made->paths = arena_array(arena, (size_t)block->warp_count + 1, sizeof *made->paths);
    if (made->paths == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        made->paths[w] = (uint16_t)(first + block->warp_path[w]);
        made->units |= model->programs[made->paths[w]].units_left[0];
    }
    qsort(made->paths, made->warps, sizeof *made->paths, rising);
    return WB_OK;
}

wb_status search_model_make(const struct wb_machine *machine, const struct search_blocks *blocks,
                            size_t count, struct arena *arena, struct search_model *model) {
    *model = (struct search_model){.machine = machine};
    size_t programs = 0;
    assert(search_units_objection(machine) == NULL && count <= SEARCH_CLASSES_MAX);
    for (size_t c = 0; c < count; c++)
        programs += blocks[c].timed->path_count;
    if (programs > UINT16_MAX) return WB_ERR_DECLINED;
    model->programs = arena_array(arena, programs + 1, sizeof *model->programs);
    model->classes = arena_array(arena, count + 1, sizeof *model->classes);
    if (model->programs == NULL || model->classes == NULL) return WB_ERR_LIMIT;
    for (size_t c = 0; c < count; c++)
        WB_TRY(add_class(&blocks[c], arena, model));
    return WB_OK;
}
