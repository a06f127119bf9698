/* Which buffer or variable each instruction accesses in all blocks, where it is one for certain: what a
 * launch promises of that (RESIDENT_BUFFERS) holds for the instruction. */
#include <assert.h>

#include "base/cycles.h"
#include "warp/alu/lanes.h"
#include "warp/trace/blocks.h"

/* Where an instruction's accesses of global memory are, relative to some base. */
struct use_reach {
    struct object_use *use; /* of the instruction; NULL: there are none */
    int64_t first, last;    /* bytes where lanes' accesses begin, */
    uint32_t bytes;         /* and the most that one has */
};

static void note_object(struct object_use *use, uint32_t object) {
    if (use->object == 0) use->object = object;
    if (use->object != object) use->object = OBJECTS_SEVERAL;
}

/* Notes what needs no addresses; whether the access is at known ones of global memory. */
static bool note_access(const struct access *access, struct object_use *use) {
    const bool is_global = access->space == PTX_SPACE_GLOBAL, is_known = access->table != ACCESS_UNKNOWN;
    if (!is_global && access->space != PTX_SPACE_LOCAL) return false;
    use->stores = use->stores || access->is_store || access->is_atomic;
    if (!is_global || !is_known) note_object(use, OBJECTS_SEVERAL);
    return is_global && is_known;
}

/* What is further away is no address of a buffer, relative to one. */
#define FAR (INT64_C(1) << 60)

static void reach(struct use_reach *made, struct object_use *use, int64_t first, int64_t last,
                  uint32_t bytes) {
    if (first < -FAR || last > FAR) note_object(use, OBJECTS_SEVERAL);
    if (made->use == NULL) *made = (struct use_reach){use, first, last, bytes};
    assert(made->use == use);
    if (first < made->first) made->first = first;
    if (last > made->last) made->last = last;
    if (bytes > made->bytes) made->bytes = bytes;
}

/* Every lane that may take part does. */
static void reach_lanes(const struct access *access, const uint64_t *tables, struct object_use *use,
                        struct use_reach *made) {
    FOR_LANES_OF(l, access->mask) {
        const int64_t at = (int64_t)access_address(access, tables, l);
        reach(made, use, at, at, access->bytes);
    }
}

/* Notes the object that all of it is in. */
static void note_reach(const struct memory_objects *objects, const struct use_reach *reach, uint64_t base) {
    const uint64_t first = base + (uint64_t)reach->first;
    const uint64_t size = cycles_add((uint64_t)reach->last - (uint64_t)reach->first, reach->bytes);
    uint32_t found = OBJECTS_SEVERAL;
    for (size_t o = 0; o < objects->items.count && found == OBJECTS_SEVERAL; o++) {
        const struct memory_object *object = &objects->items.items[o];
        if (first - object->base < object->size && size <= object->size - (first - object->base))
            found = (uint32_t)o + 1;
    }
    note_object(reach->use, found);
}

wb_status block_find_uses(struct wb_block *block) {
    const struct wb_module *module = block->kernel->module;
    if (module->code == NULL || block->repeats || block->uncounted != PTX_NO_INDEX) return WB_OK;
    const size_t count = block->code_first[module->function_count];
    struct object_use *uses = arena_array(&block->arena, count + 1, sizeof *uses);
    if (uses == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct access_list *list = &block->accesses[w];
        for (size_t a = 0; a < list->items.count; a++) {
            const struct access *access = &list->items.items[a];
            struct object_use *use = &uses[access->instruction];
            struct use_reach made = {0};
            if (!note_access(access, use)) continue;
            reach_lanes(access, list->tables.items, use, &made);
            note_reach(&block->objects, &made, 0);
        }
    }
    block->objects.uses = uses;
    return WB_OK;
}

/* ---- Grids --------------------------------------------------------------------------------------------- */

struct use_finder {
    struct wb_grid *grid;
    struct arena scratch;
    struct object_use *uses;
    struct use_reach **streams; /* per stream and group, relative to the group's base */
    struct use_reach **shapes;  /* per shape and base, relative to that: each is of one instruction */
};

static void reach_stream(struct use_finder *finder, const struct access_stream *stream,
                         struct use_reach *made) {
    for (uint32_t a = 0; a < stream->access_count; a++) {
        const struct access *access = &stream->accesses[a];
        struct object_use *use = &finder->uses[access->instruction];
        if (note_access(access, use)) reach_lanes(access, stream->tables, use, &made[stream->groups[a]]);
    }
}

static void reach_shape(const struct use_finder *finder, const struct block_shape *shape,
                        struct use_reach *made) {
    for (uint32_t w = 0; w < finder->grid->warp_count; w++) {
        const struct shape_warp *warp = &shape->warps[w];
        const struct use_reach *groups = finder->streams[warp->stream];
        for (uint32_t g = 0; g < finder->grid->streams.items[warp->stream].group_count; g++) {
            const uint64_t delta = warp->shifts[g].delta;
            if (groups[g].use != NULL)
                reach(&made[warp->shifts[g].index], groups[g].use,
                      (int64_t)((uint64_t)groups[g].first + delta),
                      (int64_t)((uint64_t)groups[g].last + delta), groups[g].bytes);
        }
    }
}

static void find_uses(void *context) {
    struct use_finder *finder = context;
    struct wb_grid *grid = finder->grid;
    arena_bind(&finder->scratch, &grid->arena);
    finder->uses = arena_array(&grid->arena, (size_t)grid->instruction_count + 1, sizeof *finder->uses);
    finder->streams = arena_array(&finder->scratch, grid->streams.count + 1, sizeof *finder->streams);
    finder->shapes = arena_array(&finder->scratch, grid->shapes.count + 1, sizeof *finder->shapes);
    for (size_t s = 0; s < grid->streams.count; s++) {
        const struct access_stream *stream = &grid->streams.items[s];
        finder->streams[s] =
            arena_array(&finder->scratch, (size_t)stream->group_count + 1, sizeof **finder->streams);
        reach_stream(finder, stream, finder->streams[s]);
    }
    for (size_t s = 0; s < grid->shapes.count; s++) {
        const struct block_shape *shape = &grid->shapes.items[s];
        finder->shapes[s] =
            arena_array(&finder->scratch, (size_t)shape->base_count + 1, sizeof **finder->shapes);
        reach_shape(finder, shape, finder->shapes[s]);
    }
    for (size_t b = 0; b < grid->blocks.count; b++) {
        const struct grid_block *block = &grid->blocks.items[b];
        for (uint32_t r = 0; r < grid->shapes.items[block->shape].base_count; r++) {
            const struct use_reach *reach = &finder->shapes[block->shape][r];
            if (reach->use != NULL && reach->use->object != OBJECTS_SEVERAL)
                note_reach(&grid->cover.objects, reach, grid->bases.items[block->first_base + r]);
        }
    }
    arena_free(&finder->scratch);
}

wb_status grid_find_uses(struct wb_grid *grid) {
    const struct grid_covering *cover = &grid->cover;
    const bool counted = !cover->covers || (!cover->repeats && cover->uncounted == PTX_NO_INDEX);
    struct use_finder finder = {.grid = grid};
    if (grid->kernel->module->code != NULL && grid->shapes.count > 0 && counted)
        WB_TRY(arena_protect(&grid->arena, find_uses, &finder));
    grid->cover.objects.uses = finder.uses;
    for (size_t k = 0; k < grid->covering.count; k++)
        grid->covering.items[k].block->objects.uses = finder.uses;
    return WB_OK;
}
