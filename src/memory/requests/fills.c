/* What caches fill once, where they keep all that a kernel touches: translations of pages, and sectors that
 * come from DRAM (docs/machine-code-bounds.md, section 7). */
#include "memory/requests/requests.h"
#include "sass/sass.h"

/* ---- What a kernel touches ----------------------------------------------------------------------------- */

/* A buffer or variable, and the bytes of it that are touched: from `first` to `end`. */
struct touched_object {
    uint64_t base, size;
    uint64_t first, end;
    bool anywhere; /* inside, as far as is known */
};

struct fill_counter {
    const struct traffic *traffic;
    struct memory_fills *fills;
    struct arena scratch;
    struct number_table all, of_block; /* sectors */
    struct number_table lines;
    struct touched_object *objects;
    size_t object_count;
    bool anywhere; /* an address that nothing is known of may be that of a buffer that no argument names */
};

static void find_objects(struct fill_counter *counter) {
    const struct memory_objects *objects = &counter->traffic->grid->cover.objects;
    counter->object_count = objects->items.count;
    counter->objects = arena_array(&counter->scratch, objects->items.count, sizeof *counter->objects);
    for (size_t o = 0; o < objects->items.count; o++) {
        const struct memory_object *object = &objects->items.items[o];
        counter->objects[o] = (struct touched_object){object->base, object->size, UINT64_MAX, 0, false};
    }
}

static void touch(struct touched_object *object, uint64_t first, uint64_t end) {
    if (first < object->first) object->first = first;
    if (end > object->end) object->end = end;
}

static void touch_sector(struct fill_counter *counter, uint64_t sector) {
    (void)number_table_number(&counter->lines, sector / MEMORY_LINE_BYTES);
    bool found = false;
    for (size_t o = 0; o < counter->object_count; o++) {
        struct touched_object *object = &counter->objects[o];
        if (sector + MEMORY_SECTOR_BYTES <= object->base || sector >= object->base + object->size) continue;
        touch(object, sector, sector + MEMORY_SECTOR_BYTES);
        found = true;
    }
    counter->anywhere = counter->anywhere || !found;
}

static void note_sector(struct fill_counter *counter, uint64_t sector, bool is_local) {
    const uint32_t of_block = counter->of_block.count, all = counter->all.count;
    (void)number_table_number(&counter->of_block, sector);
    if (counter->of_block.count == of_block) return;
    (void)number_table_number(&counter->all, sector);
    if (counter->all.count > all && !is_local) touch_sector(counter, sector);
}

static uint64_t count_unknown(struct fill_counter *counter, const struct traffic_access *access) {
    counter->anywhere = counter->anywhere || access->object == 0;
    if (access->object > 0) {
        struct touched_object *object = &counter->objects[access->object - 1];
        touch(object, object->base, object->base + object->size);
        object->anywhere = true;
    }
    return (uint64_t)access->request_count << traffic_is_write(access->kind);
}

/* The transfers of an access from and to DRAM but for each sector's first: one is written back at most once
 * for each request that changes it. (Of a store to a part of a sector the rest may have to be read.) What is
 * unknown is new each time. */
static uint64_t count_access(struct fill_counter *counter, uint32_t block, uint32_t warp,
                             const struct traffic_access *access) {
    const struct traffic_pattern *pattern = traffic_pattern_of(counter->traffic, block, warp);
    counter->fills->requests += access->request_count;
    if (access->is_unknown) return access->request_count == 0 ? 0 : count_unknown(counter, access);
    const uint64_t base = traffic_base(counter->traffic, block, warp, access->group);
    for (uint32_t r = 0; r < access->request_count; r++) {
        const uint64_t sector = base + pattern->offsets[access->first_request + r];
        note_sector(counter, sector, pattern->group_is_local[access->group]);
    }
    return traffic_is_write(access->kind) ? access->request_count : 0;
}

static void count_block(struct fill_counter *counter, uint32_t block) {
    uint64_t more = 0;
    number_table_clear(&counter->of_block);
    for (uint32_t w = 0; w < counter->traffic->grid->warp_count; w++) {
        const struct traffic_pattern *pattern = traffic_pattern_of(counter->traffic, block, w);
        for (uint32_t a = 0; a < pattern->access_count; a++)
            more += count_access(counter, block, w, &pattern->accesses[a]);
    }
    counter->fills->all += more;
    counter->fills->most_of_block = cycles_max(counter->fills->most_of_block, more + counter->of_block.count);
}

/* ---- What caches have to keep for it ------------------------------------------------------------------- */

static uint64_t code_bytes(const struct wb_grid *grid) {
    return (uint64_t)grid->kernel->module->code->inst_count * SASS_BYTES;
}

/* Whether some instruction reads constants without a bank, which may be anywhere. */
static bool reads_bindless(const struct machine_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++)
        if (sass_reads_bindless(&code->insts[i].sass)) return true;
    return false;
}

/* Whether some access has more fetched than its sectors. */
static bool fetches_more(const struct machine_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++)
        if (sass_field(&code->insts[i].sass, SASS_FIELD_PREFETCH) != 0) return true;
    return false;
}

/* Whether some instruction touches memory of which nobody knows where. */
static bool touches_anything(const struct machine_code *code) {
    for (uint32_t i = 0; i < code->inst_count; i++)
        if (sass_touched_of(&code->insts[i].sass).lines > 0) return true;
    return false;
}

/* Of local memory, of all warps that an SM holds. */
static uint64_t local_bytes(const struct wb_grid *grid, const struct wb_machine *machine) {
    const uint64_t threads = (uint64_t)machine->limits.warps * WARP_LANES;
    return cycles_mul(grid->local_bytes, threads > 0 ? threads : CYCLES_SATURATED);
}

/* Pages that the bytes from `first` to `end` of a stretch touch at most, wherever it starts. */
static uint64_t pages_of(const struct machine_sass *sass, uint64_t first, uint64_t end) {
    const uint32_t page = sass->page_bytes, align = sass->align < page ? sass->align : page;
    if (first >= end) return 0;
    return cycles_add(end - first / align * align - 1, page - align) / page + 1;
}

static void add_up(struct fill_counter *counter) {
    const struct wb_grid *grid = counter->traffic->grid;
    const struct wb_machine *machine = counter->traffic->machine;
    const struct machine_sass *sass = &machine->sass;
    const uint64_t code = code_bytes(grid), local = local_bytes(grid, machine);
    const uint64_t constants = constant_bytes(grid->kernel->module, kernel_function(grid->kernel));
    struct memory_fills *fills = counter->fills;
    fills->pages =
        cycles_add(pages_of(sass, 0, code), pages_of(sass, 0, constants) + pages_of(sass, 0, local));
    fills->bytes =
        cycles_add(cycles_add(code, constants + (uint64_t)counter->lines.count * MEMORY_LINE_BYTES),
                   cycles_mul(local, machine->memory.sms));
    for (size_t o = 0; o < counter->object_count; o++) {
        const struct touched_object *object = &counter->objects[o];
        if (object->first >= object->end) continue;
        const uint64_t before = cycles_sub(object->first, object->base);
        fills->pages = cycles_add(fills->pages, pages_of(sass, before, object->end - object->base));
        if (object->anywhere) fills->bytes = cycles_add(fills->bytes, object->size);
    }
    const struct machine_code *insts = grid->kernel->module->code;
    fills->translations +=
        code / sass->l1_instructions.line_bytes + constants / sass->constants.line_bytes + 2;
    if (counter->anywhere || grid->cover.local_open || reads_bindless(insts) || touches_anything(insts))
        fills->pages = fills->bytes = CYCLES_SATURATED;
    if (fetches_more(insts)) fills->bytes = CYCLES_SATURATED;
}

/* The most passes over the tags that an access makes, and the most accesses to memory of a warp. */
static void look_at_patterns(const struct traffic *traffic, struct memory_fills *fills) {
    fills->passes = 1;
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        const struct traffic_pattern *pattern = &traffic->patterns.items[p];
        uint64_t asking = 0;
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            fills->passes = u32_max(fills->passes, pattern->counts[a].further[SASS_COUNT_PASSES] + 1u);
            asking += pattern->accesses[a].request_count > 0;
        }
        fills->translations = cycles_max(fills->translations, asking);
    }
}

static void count_blocks(void *context) {
    struct fill_counter *counter = context;
    struct arena *scratch = &counter->scratch;
    *counter->fills = (struct memory_fills){0};
    look_at_patterns(counter->traffic, counter->fills);
    counter->all.arena = counter->of_block.arena = counter->lines.arena = scratch;
    find_objects(counter);
    for (uint32_t b = 0; b < counter->traffic->grid->blocks.count; b++)
        count_block(counter, b);
    counter->fills->all += counter->all.count;
    add_up(counter);
}

static wb_status count_fills(struct timed_grid *timed) {
    struct fill_counter counter = {.traffic = &timed->traffic, .fills = &timed->fills};
    const wb_status status = arena_protect(&counter.scratch, count_blocks, &counter);
    arena_free(&counter.scratch);
    return status;
}

/* ---- What is counted once ------------------------------------------------------------------------------ */

/* Whether the sectors of DRAM, once each, take less than each request does. */
static bool is_worth_it(const struct timed_grid *timed) {
    const struct machine_sass *sass = &timed->machine->sass;
    const uint32_t each = machine_sector_most(timed->machine), level = sass->l2_sector;
    const cycles sms = timed->machine->memory.sms; /* parts of a cycle */
    if (level == 0 || level >= each) return false;
    if (sass->row_cycle > 0) return true;
    return cycles_mul(timed->fills.requests, (each - level) * sms) > cycles_mul(timed->fills.all, each);
}

/* Decides what `machine`, of the grid's own, fills once. */
static void decide(const struct timed_grid *timed, struct wb_machine *machine) {
    const struct memory_fills *fills = &timed->fills;
    const struct machine_sass *sass = &machine->sass;
    if (sass->tlb_most > 0 && fills->pages <= sass->tlb_keeps && fills->pages < fills->translations)
        machine_fill_pages(machine, (uint32_t)fills->pages, fills->passes);
    if (fills->bytes <= sass->l2_keeps && is_worth_it(timed)) machine_fill_sectors(machine);
}

wb_status timed_grid_decide_fills(struct timed_grid *timed, wb_diagnostics *diagnostics) {
    const struct wb_machine *machine = timed->machine;
    const bool decides = machine_may_fill_once(machine);
    if (timed->grid->kernel == NULL || timed->grid->kernel->module->code == NULL) return WB_OK;
    if (!decides && machine->fills.sector == 0) return WB_OK;
    struct wb_machine *own = decides ? arena_alloc(&timed->arena, sizeof *own) : NULL;
    if ((decides && own == NULL) || count_fills(timed) != WB_OK)
        return diagnose_out_of_memory(diagnostics, machine->name);
    if (!decides) return WB_OK;
    *own = *machine;
    own->fills.of = machine;
    decide(timed, own);
    timed->machine = own;
    return WB_OK;
}

wb_status timed_grid_fills(const struct wb_grid *grid, const struct wb_machine *machine,
                           wb_diagnostics *diagnostics, struct timed_grid *timed) {
    timed->grid = grid;
    timed->machine = machine;
    if (!machine_may_fill_once(machine) || grid->cover.repeats) return WB_OK;
    WB_TRY(traffic_make(grid, machine, diagnostics, &timed->traffic));
    return timed_grid_decide_fills(timed, diagnostics);
}
