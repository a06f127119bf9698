#include "warp/trace/trace.h"

#include <string.h>

/* State spaces of an address, and one more for addresses that are not known. */
#define SPACES ((size_t)PTX_SPACE_REG + 1)
#define SPACE_UNKNOWN ((size_t)PTX_SPACE_REG)

_Static_assert(sizeof(struct access) == 48, "compared as bytes: it must not have padding");

/* The common part of a group's accesses, and their places. */
struct group {
    size_t slot; /* instruction * SPACES + space */
    uint64_t base;
};

/* A warp of the block that is being added. */
struct added_warp {
    uint32_t path, stream;
    size_t first_group, group_count;
};

/* The state of adding a block, kept from block to block so that nothing is allocated in the long run. */
struct grid_scratch {
    uint32_t *group_at; /* by slot: 1 + the group of the warp at hand, 0: none */
    uint32_t *base_at;  /* by slot: 1 + the base of the block at hand, 0: none */
    VEC(struct access) accesses;
    VEC(struct group) groups; /* of all warps of the block, one warp's after another's */
    VEC(struct added_warp) warps;
    VEC(struct group_shift) shifts; /* per group */
    VEC(size_t) base_slots;         /* per base of the block the slot it was found under */
    VEC(uint64_t) key;              /* of the shape */
};

/* ---- Finding equal things ------------------------------------------------------------------------------ */

/* The parts that may be in the grid already. */
struct wanted {
    const struct wb_grid *grid;
    const void *what;
};

static bool same_path(const struct table_slot *slot, const void *wanted) {
    const struct wanted *path = wanted;
    return path_equal(&path->grid->paths.items[slot->value], path->what);
}

static bool same_stream(const struct table_slot *slot, const void *wanted) {
    const struct wanted *added = wanted;
    const struct access_stream *known = &added->grid->streams.items[slot->value], *stream = added->what;
    if (known->access_count != stream->access_count || known->table_count != stream->table_count ||
        known->maybe_count != stream->maybe_count)
        return false;
    if (known->maybe_count != 0 && memcmp(known->maybe_executed, stream->maybe_executed,
                                          known->maybe_count * sizeof *known->maybe_executed) != 0)
        return false;
    if (known->access_count != 0 &&
        memcmp(known->accesses, stream->accesses, known->access_count * sizeof *known->accesses) != 0)
        return false;
    return known->table_count == 0 ||
           memcmp(known->tables, stream->tables, known->table_count * sizeof *known->tables) == 0;
}

/* The shape in the scratch space is the one that is wanted. */
static bool same_shape(const struct table_slot *slot, const void *wanted) {
    const struct wb_grid *grid = wanted;
    const struct block_shape *shape = &grid->shapes.items[slot->value];
    const struct grid_scratch *scratch = grid->scratch;
    for (uint32_t w = 0; w < grid->warp_count; w++) {
        const struct added_warp *warp = &scratch->warps.items[w];
        const struct shape_warp *known = &shape->warps[w];
        if (known->path != warp->path || known->stream != warp->stream) return false;
        for (size_t g = 0; g < warp->group_count; g++) {
            const struct group_shift *shift = &scratch->shifts.items[warp->first_group + g];
            if (known->shifts[g].index != shift->index || known->shifts[g].delta != shift->delta)
                return false;
        }
    }
    return true;
}

/* ---- Paths and streams --------------------------------------------------------------------------------- */

/* What is added is kept in arrays that grow like any other, but whoever adds need not ask whether they did:
 * the pass of grid_add_block ends where they cannot. */
#define grid_push(grid, vec, item) grid_require(grid, vec_push(vec, item))
#define grid_reserve(grid, vec, extra) grid_require(grid, vec_reserve(vec, extra))

static void grid_require(const struct wb_grid *grid, wb_status grown) {
    if (grown != WB_OK) arena_fail(&grid->arena, grown);
}

/* The index of a path, which is taken over. */
static uint32_t add_path(struct wb_grid *grid, struct path *path) {
    uint32_t hash = (uint32_t)(path->hash ^ path->hash >> 32);
    const struct wanted wanted = {grid, path};
    const struct table_slot *known = table_find(&grid->path_table, hash, same_path, &wanted);
    if (known != NULL) {
        path_free(path);
        return known->value;
    }
    const uint32_t index = (uint32_t)grid->paths.count;
    grid_push(grid, &grid->paths, *path);
    grid->path_bytes += sizeof *path + path_bytes(path);
    *path = (struct path){0};
    grid_require(grid, table_insert(&grid->path_table, hash, NULL, index));
    return index;
}

static uint64_t first_address(const struct access *access, const uint64_t *tables) {
    return access_address(access, tables, (uint32_t)__builtin_ctz(access->mask));
}

/* The common part of a group's accesses. */
static size_t slot_of(const struct access *access) {
    const size_t space = access->table == ACCESS_UNKNOWN ? SPACE_UNKNOWN : access->space;
    return access->instruction * SPACES + space;
}

/* The group of the warp at hand that an access belongs to. */
static struct group *group_of(struct wb_grid *grid, size_t first_group, const struct access *access,
                              const uint64_t *tables) {
    struct grid_scratch *scratch = grid->scratch;
    const size_t slot = slot_of(access);
    assert(slot < grid->instruction_count * SPACES);
    if (scratch->group_at[slot] == 0) {
        struct group group = {.slot = slot};
        if (slot % SPACES == PTX_SPACE_GLOBAL) group.base = first_address(access, tables);
        grid_push(grid, &scratch->groups, group);
        scratch->group_at[slot] = (uint32_t)(scratch->groups.count - first_group);
    }
    return &scratch->groups.items[first_group + scratch->group_at[slot] - 1];
}

/* Writes the accesses of a warp, relative to the bases of their groups, into the scratch space. */
static void normalise(struct wb_grid *grid, const struct access_list *list) {
    struct grid_scratch *scratch = grid->scratch;
    const size_t first_group = scratch->groups.count;
    scratch->accesses.count = 0;
    grid_reserve(grid, &scratch->accesses, list->items.count);
    for (size_t i = 0; i < list->items.count; i++) {
        struct access access = list->items.items[i];
        access.base -= group_of(grid, first_group, &access, list->tables.items)->base;
        scratch->accesses.items[scratch->accesses.count++] = access;
    }
    for (size_t g = first_group; g < scratch->groups.count; g++)
        scratch->group_at[scratch->groups.items[g].slot] = 0;
}

/* Copies a stream to the grid; the groups of its accesses are numbered as they are met. They are the scratch
 * space's from `first_group` on. */
static void keep_stream(struct wb_grid *grid, const struct access_stream *stream, size_t first_group) {
    struct grid_scratch *scratch = grid->scratch;
    struct access_stream kept = *stream;
    kept.accesses = arena_array(&grid->arena, (size_t)kept.access_count + 1, sizeof *kept.accesses);
    kept.groups = arena_array(&grid->arena, (size_t)kept.access_count + 1, sizeof *kept.groups);
    kept.tables = arena_array(&grid->arena, (size_t)kept.table_count + 1, sizeof *kept.tables);
    kept.maybe_executed =
        arena_array(&grid->arena, (size_t)kept.maybe_count + 1, sizeof *kept.maybe_executed);
    for (uint32_t g = 0; g < kept.group_count; g++)
        scratch->group_at[scratch->groups.items[first_group + g].slot] = g;
    for (uint32_t i = 0; i < kept.access_count; i++) {
        kept.accesses[i] = stream->accesses[i];
        kept.groups[i] = scratch->group_at[slot_of(&kept.accesses[i])];
    }
    for (uint32_t g = 0; g < kept.group_count; g++)
        scratch->group_at[scratch->groups.items[first_group + g].slot] = 0;
    if (kept.table_count != 0) memcpy(kept.tables, stream->tables, kept.table_count * sizeof *kept.tables);
    if (kept.maybe_count != 0)
        memcpy(kept.maybe_executed, stream->maybe_executed, kept.maybe_count * sizeof *kept.maybe_executed);
    grid_push(grid, &grid->streams, kept);
}

/* The index of the stream of a warp, whose groups are appended to the scratch space's. */
static uint32_t add_stream(struct wb_grid *grid, const struct access_list *list) {
    struct grid_scratch *scratch = grid->scratch;
    size_t first_group = scratch->groups.count;
    normalise(grid, list);
    struct access_stream stream = {
        .accesses = scratch->accesses.items,
        .tables = list->tables.items,
        .maybe_executed = list->maybe_executed.items,
        .access_count = (uint32_t)scratch->accesses.count,
        .table_count = (uint32_t)list->tables.count,
        .group_count = (uint32_t)(scratch->groups.count - first_group),
        .maybe_count = (uint32_t)list->maybe_executed.count,
    };
    uint32_t hash = hash_bytes(stream.accesses, stream.access_count * sizeof *stream.accesses);
    hash ^= hash_bytes(stream.tables, stream.table_count * sizeof *stream.tables);
    const struct wanted wanted = {grid, &stream};
    const struct table_slot *known = table_find(&grid->stream_table, hash, same_stream, &wanted);
    if (known != NULL) return known->value;
    const uint32_t index = (uint32_t)grid->streams.count;
    keep_stream(grid, &stream, first_group);
    grid_require(grid, table_insert(&grid->stream_table, hash, NULL, index));
    return index;
}

/* ---- Shapes and blocks --------------------------------------------------------------------------------- */

/* Finds the base of the block that a group is relative to; a new one where no earlier warp has the group. All
 * groups with absolute addresses share one base, 0. */
static struct group_shift shift_of(struct wb_grid *grid, size_t first_base, const struct group *group) {
    struct grid_scratch *scratch = grid->scratch;
    bool absolute = group->slot % SPACES != PTX_SPACE_GLOBAL;
    size_t slot = absolute ? grid->instruction_count * SPACES : group->slot;
    if (scratch->base_at[slot] == 0) {
        grid_push(grid, &grid->bases, group->base);
        grid_push(grid, &scratch->base_slots, slot);
        scratch->base_at[slot] = (uint32_t)scratch->base_slots.count;
    }
    const uint32_t index = scratch->base_at[slot] - 1;
    return (struct group_shift){index, group->base - grid->bases.items[first_base + index]};
}

/* Appends the bases of the block to the grid's, and says where those of its warps are relative to them. */
static void find_shifts(struct wb_grid *grid, size_t first_base) {
    struct grid_scratch *scratch = grid->scratch;
    grid_reserve(grid, &scratch->shifts, scratch->groups.count);
    for (size_t g = 0; g < scratch->groups.count; g++)
        scratch->shifts.items[g] = shift_of(grid, first_base, &scratch->groups.items[g]);
    for (size_t i = 0; i < scratch->base_slots.count; i++)
        scratch->base_at[scratch->base_slots.items[i]] = 0;
}

/* The hash of the shape in the scratch space. */
static uint32_t shape_hash(const struct wb_grid *grid) {
    struct grid_scratch *scratch = grid->scratch;
    grid_reserve(grid, &scratch->key, scratch->warps.count + 2 * scratch->groups.count);
    uint64_t *next = scratch->key.items;
    for (size_t w = 0; w < scratch->warps.count; w++)
        *next++ = (uint64_t)scratch->warps.items[w].path << 32 | scratch->warps.items[w].stream;
    for (size_t g = 0; g < scratch->groups.count; g++) {
        *next++ = scratch->shifts.items[g].index;
        *next++ = scratch->shifts.items[g].delta;
    }
    return hash_bytes(scratch->key.items, (size_t)(next - scratch->key.items) * sizeof *next);
}

static void keep_shape(struct wb_grid *grid) {
    const struct grid_scratch *scratch = grid->scratch;
    struct block_shape shape = {.base_count = (uint32_t)scratch->base_slots.count};
    shape.warps = arena_array(&grid->arena, (size_t)grid->warp_count + 1, sizeof *shape.warps);
    struct group_shift *shifts = arena_array(&grid->arena, scratch->groups.count + 1, sizeof *shifts);
    if (scratch->groups.count != 0)
        memcpy(shifts, scratch->shifts.items, scratch->groups.count * sizeof *shifts);
    for (uint32_t w = 0; w < grid->warp_count; w++) {
        const struct added_warp *warp = &scratch->warps.items[w];
        shape.warps[w] = (struct shape_warp){warp->path, warp->stream, shifts + warp->first_group};
    }
    grid_push(grid, &grid->shapes, shape);
}

/* The index of the shape in the scratch space. */
static uint32_t add_shape(struct wb_grid *grid) {
    const uint32_t hash = shape_hash(grid);
    const struct table_slot *known = table_find(&grid->shape_table, hash, same_shape, grid);
    if (known != NULL) return known->value;
    const uint32_t index = (uint32_t)grid->shapes.count;
    keep_shape(grid);
    grid_require(grid, table_insert(&grid->shape_table, hash, NULL, index));
    return index;
}

static void make_scratch(struct wb_grid *grid) {
    const size_t slots = grid->instruction_count * SPACES + 1;
    struct grid_scratch *scratch = arena_alloc(&grid->arena, sizeof *scratch);
    scratch->group_at = arena_array(&grid->arena, slots, sizeof(uint32_t));
    scratch->base_at = arena_array(&grid->arena, slots, sizeof(uint32_t));
    grid->scratch = scratch;
}

/* The block that is added, warp by warp. */
struct addition {
    struct wb_grid *grid;
    struct path *paths;
    const struct access_list *accesses;
};

/* The pass of grid_add_block. */
static void add_block(void *context) {
    const struct addition *added = context;
    struct wb_grid *grid = added->grid;
    if (grid->scratch == NULL) make_scratch(grid);
    struct grid_scratch *scratch = grid->scratch;
    struct grid_block block = {.first_base = grid->bases.count};
    scratch->groups.count = scratch->warps.count = scratch->base_slots.count = 0;
    if (grid->blocks.count >= PTX_NO_INDEX) arena_fail(&grid->arena, WB_ERR_LIMIT);
    for (uint32_t w = 0; w < grid->warp_count; w++) {
        struct added_warp warp = {.first_group = scratch->groups.count};
        warp.path = add_path(grid, &added->paths[w]);
        warp.stream = add_stream(grid, &added->accesses[w]);
        warp.group_count = scratch->groups.count - warp.first_group;
        assert(warp.group_count == grid->streams.items[warp.stream].group_count);
        grid_push(grid, &scratch->warps, warp);
    }
    find_shifts(grid, block.first_base);
    block.shape = add_shape(grid);
    assert(grid->bases.count - block.first_base == grid->shapes.items[block.shape].base_count);
    grid_push(grid, &grid->blocks, block);
}

wb_status grid_add_block(struct wb_grid *grid, struct path *paths, const struct access_list *accesses) {
    struct addition added = {grid, paths, accesses};
    return arena_protect(&grid->arena, add_block, &added);
}

static void free_scratch(struct grid_scratch *scratch) {
    if (scratch == NULL) return;
    vec_free(&scratch->accesses);
    vec_free(&scratch->groups);
    vec_free(&scratch->warps);
    vec_free(&scratch->shifts);
    vec_free(&scratch->base_slots);
    vec_free(&scratch->key);
}

static uint64_t table_bytes(const struct table *table) {
    return table->slot_count * sizeof *table->slots;
}

uint64_t grid_bytes(const struct wb_grid *grid) {
    return grid->arena.used + grid->path_bytes + grid->covering_bytes +
           grid->streams.count * sizeof *grid->streams.items +
           grid->shapes.count * sizeof *grid->shapes.items + grid->blocks.count * sizeof *grid->blocks.items +
           grid->bases.count * sizeof *grid->bases.items +
           grid->input_dependent.count * sizeof *grid->input_dependent.items +
           table_bytes(&grid->path_table) + table_bytes(&grid->stream_table) +
           table_bytes(&grid->shape_table);
}

void grid_restart(struct wb_grid *grid) {
    for (size_t i = 0; i < grid->paths.count; i++)
        path_free(&grid->paths.items[i]);
    for (size_t i = 0; i < grid->covering.count; i++)
        wb_block_free(grid->covering.items[i].block);
    table_free(&grid->path_table);
    table_free(&grid->stream_table);
    table_free(&grid->shape_table);
    grid->paths.count = grid->streams.count = grid->shapes.count = grid->blocks.count = 0;
    grid->bases.count = grid->covering.count = grid->alike.count = 0;
    grid->counted = 0;
    grid->path_bytes = grid->covering_bytes = 0;
}

void grid_clear(struct wb_grid *grid) {
    free_scratch(grid->scratch);
    grid_restart(grid);
    vec_free(&grid->paths);
    vec_free(&grid->streams);
    vec_free(&grid->shapes);
    vec_free(&grid->blocks);
    vec_free(&grid->alike);
    vec_free(&grid->bases);
    vec_free(&grid->input_dependent);
    vec_free(&grid->stored);
    vec_free(&grid->covering);
    vec_free(&grid->cover.objects.items);
    arena_free(&grid->arena);
    *grid = (struct wb_grid){0};
}

bool grid_is_steered(const wb_grid *grid) {
    return grid->input_dependent.count > 0;
}

const struct ptx_inst *grid_inst(const struct wb_grid *grid, uint32_t index,
                                 const struct ptx_function **function) {
    return code_inst(grid->kernel->module, grid->code_first, index, function);
}

void grid_block_index(const struct wb_grid *grid, uint32_t block, uint32_t index[3]) {
    uint64_t number = block;
    if (grid_is_counted(grid)) {
        memcpy(index, grid->alike.items[block].index, sizeof grid->alike.items[block].index);
        return;
    }
    memcpy(index, grid->first_index, sizeof grid->first_index);
    for (uint32_t axis = 0; axis < 3; axis++) {
        index[axis] += (uint32_t)(number % grid->dimensions[axis]);
        number /= grid->dimensions[axis];
    }
}

uint64_t grid_block_number(const struct wb_grid *grid, uint32_t block) {
    uint32_t index[3];
    grid_block_index(grid, block, index);
    return ((uint64_t)index[2] * grid->dimensions[1] + index[1]) * grid->dimensions[0] + index[0];
}

uint64_t grid_walk_length(const struct wb_grid *grid) {
    uint64_t length = 0;
    for (size_t p = 0; p < grid->paths.count; p++)
        length += grid->paths.items[p].length;
    return length;
}

bool is_access_unsure(const struct access_stream *stream, uint32_t access) {
    const struct access *of = &stream->accesses[access];
    uint32_t low = 0, high = stream->maybe_count; /* the first stretch that does not end before its step */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stream->maybe_executed[middle].end <= of->step)
            low = middle + 1;
        else
            high = middle;
    }
    return (of->mask & ~of->unsure) == 0 ||
           (low < stream->maybe_count && stream->maybe_executed[low].first <= of->step);
}

void wb_grid_free(wb_grid *grid) {
    if (grid == NULL) return;
    grid_clear(grid);
    free(grid);
}
