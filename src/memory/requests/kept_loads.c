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

/* What is not a load that the first level keeps may take its lines from there. */
static void note_access(struct kept_loads *kept, const struct traffic *traffic, uint32_t block, uint32_t warp,
                        const struct traffic_access *access) {
    const struct traffic_pattern *pattern = traffic_pattern_of(traffic, block, warp);
    if (access->request_count == 0 || access_is_kept(traffic->grid, access)) return;
    if (access->is_unknown) {
        kept->none = kept->none || access->object == 0;
        if (access->object > 0) kept->lost[access->object - 1] = true;
        return;
    }
    const uint64_t base = traffic_base(traffic, block, warp, access->group);
    for (uint32_t r = 0; r < access->request_count; r++)
        (void)number_table_number(&kept->lines,
                                  (base + pattern->offsets[access->first_request + r]) / MEMORY_LINE_BYTES);
}

void kept_loads_find(const struct traffic *traffic, struct arena *arena, struct kept_loads *kept) {
    const struct wb_grid *grid = traffic->grid;
    const size_t objects = grid->cover.objects.items.count;
    *kept = (struct kept_loads){.traffic = traffic,
                                .lines.arena = arena,
                                .none = machine_code_reaches(grid->kernel, loses_loads),
                                .lost = arena_array(arena, objects + 1, sizeof *kept->lost)};
    for (uint32_t b = 0; b < grid->blocks.count && !kept->none; b++)
        for (uint32_t w = 0; w < grid->warp_count; w++) {
            const struct traffic_pattern *pattern = traffic_pattern_of(traffic, b, w);
            for (uint32_t a = 0; a < pattern->access_count; a++)
                note_access(kept, traffic, b, w, &pattern->accesses[a]);
        }
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
