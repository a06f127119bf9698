/* What caches fill once, where bounds count it beside the times of warps (docs/machine-code-bounds.md,
 * section 7): an access waits until its pages are translated and its sectors have come from DRAM. */
#include "sim/sass/sass_simulate.h"

/* Pages begin in the middle of each buffer and variable, as far as these may start there, which makes the
 * most of them. */
static uint64_t page_of(const struct sass_sm *sm, uint64_t address) {
    const struct memory_objects *objects = &sm->program->traffic->grid->cover.objects;
    const uint64_t page = sm->machine->sass.page_bytes, align = sm->machine->sass.align;
    for (size_t o = 0; o < objects->items.count; o++) {
        const struct memory_object *object = &objects->items.items[o];
        if (address - object->base >= object->size) continue;
        const uint64_t start = (page - object->size / 2 % page) / align * align % page;
        return (uint64_t)o << 32 | (address - object->base + start) / page;
    }
    return UINT64_MAX;
}

/* When a page that is asked for in this cycle is translated: one after the other. */
static cycles translated(struct sass_sm *sm, uint64_t page) {
    struct sass_fills *fills = &sm->fills;
    const uint32_t count = fills->pages.count, number = number_table_number(&fills->pages, page);
    if (fills->pages.count > count) {
        fills->walker_free = cycles_max(sm->now, fills->walker_free) + sm->machine->fills.translation;
        arena_push(&sm->arena, &fills->translated, fills->walker_free);
    }
    return fills->translated.items[number];
}

/* When DRAM has passed a sector, in parts of a cycle, of which there are `parts` in one. */
static cycles served(struct sass_sm *sm, uint32_t parts) {
    struct sass_fills *fills = &sm->fills;
    const struct machine_sass *sass = &sm->machine->sass;
    const cycles now = sm->now * parts;
    fills->dram_free = cycles_max(now, fills->dram_free) +
                       (sass->row_cycle > 0 ? (cycles)sass->row_cycle * parts : sm->machine->fills.sector);
    return fills->dram_free;
}

/* When a request of a sector is past DRAM, if it passes it. */
static cycles fetched(struct sass_sm *sm, const struct traffic_access *access, uint64_t sector) {
    struct sass_fills *fills = &sm->fills;
    const uint32_t parts = sm->machine->memory.sms, count = fills->sectors.count;

    const uint32_t number = number_table_number(&fills->sectors, sector);
    if (fills->sectors.count > count)
        arena_push(&sm->arena, &fills->fetched, cycles_ceiling(served(sm, parts), parts));
    if (access->kind == TRAFFIC_ATOMIC || access->kind == TRAFFIC_STORE) (void)served(sm, parts);
    return access->kind == TRAFFIC_STORE ? sm->now : fills->fetched.items[number];
}

static cycles access_filled(struct sass_sm *sm, const struct sass_flight *flight,
                            const struct traffic_access *access) {
    const struct sass_warp *warp = &sm->warps[flight->warp];
    const struct traffic *traffic = sm->program->traffic;
    const uint32_t block = sm->program->block != NULL ? sm->program->block->traffic_block
                                                      : sass_slot_of(sm, flight->warp)->block;
    const uint32_t in_block = flight->warp - warp->slot * sm->program->warp_count;
    const uint64_t base = traffic_base(traffic, block, in_block, access->group);
    cycles there = sm->now;
    for (uint32_t r = 0; !access->is_unknown && r < access->request_count; r++) {
        const uint64_t sector = base + warp->pattern->offsets[access->first_request + r];
        const uint64_t page = sm->machine->fills.pages > 0 ? page_of(sm, sector) : UINT64_MAX;
        if (page != UINT64_MAX) there = cycles_max(there, translated(sm, page));
        if (sm->fills.has_dram) there = cycles_max(there, fetched(sm, access, sector));
    }
    return there;
}

void sass_fills_init(struct sass_sm *sm) {
    /* The SMs of a grid share DRAM, whose queue is not simulated. */
    sm->fills.has_dram = sm->program->block != NULL && sm->machine->fills.sector > 0;
    sm->fills.pages.arena = sm->fills.sectors.arena = &sm->arena;
}

cycles sass_filled(struct sass_sm *sm, const struct sass_flight *flight) {
    const struct traffic_pattern *pattern = sm->warps[flight->warp].pattern;
    cycles there = sm->now;
    if (pattern == NULL || (sm->machine->fills.pages == 0 && !sm->fills.has_dram)) return there;
    for (uint32_t a = flight->accesses; a-- > 0 && pattern->accesses[a].step == flight->step;)
        there = cycles_max(there, access_filled(sm, flight, &pattern->accesses[a]));
    return there;
}
