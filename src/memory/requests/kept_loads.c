/* Loads of machine code whose sectors the first level may keep (docs/machine-code-bounds.md, section 7). */
#include "memory/requests/requests.h"
#include "ptx/ptx.h"
#include "sass/sass.h"

#define CACHE_NORMALLY 1u /* of SASS_FIELD_CACHE */

bool access_is_kept(const struct wb_grid *grid, const struct traffic_access *access) {
    const struct machine_code *code = grid->kernel->module->code;
    if (access->kind != TRAFFIC_LOAD) return false;
    const struct sass_inst *inst = &code->insts[grid_inst(grid, access->instruction, NULL)->machine].sass;
    const bool loads = inst->op == SASS_OP_LDG || inst->op == SASS_OP_LD;
    return loads && sass_field(inst, SASS_FIELD_CACHE) == CACHE_NORMALLY;
}

bool machine_code_reaches(const struct wb_kernel *kernel, bool (*is)(const struct sass_inst *inst)) {
    const struct ptx_function *function = kernel_function(kernel);
    const struct machine_code *code = kernel->module->code;
    for (uint32_t i = 0; i < function->inst_count; i++)
        if (is(&code->insts[function->insts[i].machine].sass)) return true;
    return false;
}

/* Fences and what comes with them; and what of its accesses is not recorded. */
static bool loses_loads(const struct sass_inst *inst) {
    return inst->op == SASS_OP_MEMBAR || inst->op == SASS_OP_CCTL || sass_touches_anything(inst);
}

static void lose_object_at(struct kept_loads *kept, uint64_t sector) {
    const struct memory_objects *objects = &kept->traffic->grid->cover.objects;
    bool found = false;
    for (size_t o = 0; o < objects->items.count; o++) {
        const struct memory_object *object = &objects->items.items[o];
        if (sector + MEMORY_SECTOR_BYTES <= object->base || sector >= object->base + object->size) continue;
        kept->lost[o] = found = true;
    }
    kept->none = kept->none || !found;
}

/* What is not a load that the first level keeps may take its lines from there; `by_kinds`: or any lines of
 * the object, as other blocks of the kind do. */
static void note_access(struct kept_loads *kept, bool by_kinds, uint32_t block, uint32_t warp,
                        const struct traffic_access *access) {
    const struct traffic *traffic = kept->traffic;
    const struct traffic_pattern *pattern = traffic_pattern_of(traffic, block, warp);
    if (access->request_count == 0 || access_is_kept(traffic->grid, access)) return;
    if (access->is_unknown) {
        kept->none = kept->none || access->object == 0;
        if (access->object > 0) kept->lost[access->object - 1] = true;
        return;
    }
    const uint64_t base = traffic_base(traffic, block, warp, access->group);
    const bool is_local = pattern->group_is_local[access->group];
    for (uint32_t r = 0; r < access->request_count; r++) {
        const uint64_t sector = base + pattern->offsets[access->first_request + r];
        if (!by_kinds)
            (void)number_table_number(&kept->lines, sector / MEMORY_LINE_BYTES);
        else if (!is_local)
            lose_object_at(kept, sector);
    }
}

static void note_block(struct kept_loads *kept, bool by_kinds, uint32_t block) {
    for (uint32_t w = 0; w < kept->traffic->grid->warp_count; w++) {
        const struct traffic_pattern *pattern = traffic_pattern_of(kept->traffic, block, w);
        for (uint32_t a = 0; a < pattern->access_count; a++)
            note_access(kept, by_kinds, block, w, &pattern->accesses[a]);
    }
}

void kept_loads_find(const struct traffic *traffic, const struct block_kinds *kinds, struct arena *arena,
                     struct kept_loads *kept) {
    const struct wb_grid *grid = traffic->grid;
    const size_t objects = grid->cover.objects.items.count;
    const uint32_t blocks = (uint32_t)(kinds != NULL ? kinds->items.count : grid->blocks.count);
    *kept = (struct kept_loads){.traffic = traffic,
                                .lines.arena = arena,
                                .none = machine_code_reaches(grid->kernel, loses_loads),
                                .lost = arena_array(arena, objects + 1, sizeof *kept->lost)};
    for (uint32_t b = 0; b < blocks && !kept->none; b++)
        note_block(kept, kinds != NULL, kinds != NULL ? kinds->items.items[b].block : b);
    for (size_t o = 0; o < objects; o++)
        kept->some_lost = kept->some_lost || kept->lost[o];
}

static bool is_in_lost_object(const struct kept_loads *kept, uint64_t sector) {
    const struct memory_objects *objects = &kept->traffic->grid->cover.objects;
    for (size_t o = 0; o < objects->items.count && kept->some_lost; o++) {
        const struct memory_object *object = &objects->items.items[o];
        const uint64_t line = sector / MEMORY_LINE_BYTES * MEMORY_LINE_BYTES;
        if (kept->lost[o] && line + MEMORY_LINE_BYTES > object->base && line < object->base + object->size)
            return true;
    }
    return false;
}

bool sector_is_kept(const struct kept_loads *kept, uint64_t sector) {
    uint32_t number;
    if (number_table_find(&kept->lines, sector / MEMORY_LINE_BYTES, &number)) return false;
    return !is_in_lost_object(kept, sector);
}
