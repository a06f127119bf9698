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

/* Whether a sector is promised to be in the second level. */
static bool is_promised(const struct sass_sm *sm, bool is_local, uint64_t sector) {
    const struct memory_objects *objects = &sm->program->traffic->grid->cover.objects;
    if (is_local || !machine_promises(sm->machine, RESIDENT_BUFFERS)) return false;
    for (size_t o = 0; o < objects->items.count; o++) {
        const struct memory_object *object = &objects->items.items[o];
        if (sector + MEMORY_SECTOR_BYTES > object->base && sector < object->base + object->size)
            return memory_object_is_promised(sm->machine, object);
    }
    return false;
}

/* When a page that is asked for in this cycle is translated. */
static cycles translated(struct sass_sm *sm, uint64_t page) {
    struct sass_fills *fills = &sm->fills;
    const uint32_t count = fills->pages.count, number = number_table_number(&fills->pages, page);
    const uint32_t tlb = machine_as_stated(sm->machine)->sass.tlb_most;
    if (fills->pages.count > count) arena_push(&sm->arena, &fills->translated, sm->now + tlb);
    return fills->translated.items[number];
}

/* When DRAM begins with a sector that waits from this cycle on, and so what it is asked for may be `dram`
 * cycles later: whole cycles, as parts of one are in that figure. */
static cycles served(struct sass_sm *sm) {
    struct sass_fills *fills = &sm->fills;
    const struct machine_sass *sass = &sm->machine->sass;
    const uint32_t parts = sm->machine->memory.sms;
    const cycles begins = cycles_max(sm->now * parts, fills->dram_free);
    fills->dram_free =
        begins + (sass->row_cycle > 0 ? (cycles)sass->row_cycle * parts : sm->machine->fills.sector);
    return begins / parts;
}

/* When a request of a sector is past those that DRAM serves before it. */
static cycles fetched(struct sass_sm *sm, const struct traffic_access *access, bool promised,
                      uint64_t sector) {
    struct sass_fills *fills = &sm->fills;
    const uint32_t count = fills->sectors.count, number = number_table_number(&fills->sectors, sector);
    if (fills->sectors.count > count)
        arena_push(&sm->arena, &fills->fetched, promised ? sm->now : served(sm));
    if (traffic_is_write(access->kind)) (void)served(sm);
    return access->kind == TRAFFIC_STORE ? sm->now : fills->fetched.items[number];
}

/* When the second level has served a sector that waits from this cycle on. */
static cycles asked(struct sass_sm *sm, bool promised) {
    struct sass_fills *fills = &sm->fills;
    const uint32_t each = promised ? sm->machine->fills.each_in_l2 : fills->each;
    fills->level_free = cycles_max(sm->now, fills->level_free) + each;
    return fills->level_free;
}

/* The same of what the first level may keep, as it keeps all that it has loaded. */
static cycles loaded(struct sass_sm *sm, const struct traffic_access *access, bool promised,
                     uint64_t sector) {
    struct sass_fills *fills = &sm->fills;
    if (!access_is_kept(sm->program->traffic->grid, access))
        return asked(sm, promised && traffic_is_load(access->kind));
    const uint32_t count = fills->loaded.count, number = number_table_number(&fills->loaded, sector);
    if (fills->loaded.count > count) arena_push(&sm->arena, &fills->asked, asked(sm, promised));
    return fills->asked.items[number];
}

static cycles access_filled(struct sass_sm *sm, const struct sass_flight *flight,
                            const struct traffic_access *access) {
    const struct sass_warp *warp = &sm->warps[flight->warp];
    const struct traffic *traffic = sm->program->traffic;
    const uint32_t block = sm->program->block != NULL ? sm->program->block->traffic_block
                                                      : sass_slot_of(sm, flight->warp)->block;
    const uint32_t in_block = flight->warp - warp->slot * sm->program->warp_count;
    const uint64_t base = traffic_base(traffic, block, in_block, access->group);
    const bool is_local = warp->pattern->group_is_local[access->group];
    cycles there = sm->now;
    for (uint32_t r = 0; !access->is_unknown && r < access->request_count; r++) {
        const uint64_t sector = base + warp->pattern->offsets[access->first_request + r];
        const uint64_t page = sm->machine->fills.pages > 0 ? page_of(sm, sector) : UINT64_MAX;
        const bool promised = is_promised(sm, is_local, sector);
        if (page != UINT64_MAX) there = cycles_max(there, translated(sm, page));
        if (sm->fills.each > 0) there = cycles_max(there, loaded(sm, access, promised, sector));
        if (sm->fills.has_dram) there = cycles_max(there, fetched(sm, access, promised, sector));
    }
    return there;
}

void sass_fills_init(struct sass_sm *sm) {
    /* The SMs of a grid share DRAM, whose queue is not simulated. */
    sm->fills.has_dram = sm->program->block != NULL && sm->machine->fills.sector > 0;
    sm->fills.each = sm->machine->fills.each;
    sm->fills.pages.arena = sm->fills.sectors.arena = sm->fills.loaded.arena = &sm->arena;
}

cycles sass_filled(struct sass_sm *sm, const struct sass_flight *flight) {
    const struct traffic_pattern *pattern = sm->warps[flight->warp].pattern;
    cycles there = sm->now;
    if (pattern == NULL || !machine_fills_once(sm->machine)) return there;
    for (uint32_t a = flight->accesses; a-- > 0 && pattern->accesses[a].step == flight->step;)
        there = cycles_max(there, access_filled(sm, flight, &pattern->accesses[a]));
    return there;
}
