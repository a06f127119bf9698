/* What caches fill once, where they keep all that a kernel touches: translations of pages, sectors that come
 * from DRAM, and what blocks load from the second level (docs/machine-code-bounds.md, section 7). */
#include <inttypes.h>

#include "memory/requests/requests.h"
#include "sass/sass.h"

/* More are not looked at one by one, but by kinds of blocks. */
#define REQUESTS_COUNTED_MAX (UINT64_C(1) << 20)

/* ---- What a kernel touches ----------------------------------------------------------------------------- */

/* A buffer or variable, and the bytes of it that are touched: from `first` to `end`. */
struct touched_object {
    uint64_t base, size;
    uint64_t first, end;
    bool anywhere; /* inside, as far as is known */
    bool promised; /* to be in the second level */
};

/* The sectors of an object that a block asks for, relative to the first base in it. */
struct object_reach {
    int64_t first, end;
};

struct fill_counter {
    const struct traffic *traffic;
    struct memory_fills *fills;
    uint64_t each_most; /* requests that are looked at one by one */
    struct arena scratch;
    struct number_table all, of_block; /* sectors */
    uint64_t times;                    /* the block at hand counts for so many */
    bool by_kinds;                     /* `all` and `lines` are not filled, but: */
    struct block_kinds kinds;
    struct object_reach *reach; /* of the block at hand, per object */
    uint64_t local, promised;   /* sectors of local memory, of promised buffers among those of the block */
    bool strays;                /* some block asks for what is not in the object of its base */
    uint64_t sectors;           /* all that come from DRAM, no fewer */
    uint64_t line_count;        /* and lines */
    bool looks_at_loads;        /* that a first level keeps: */
    struct kept_loads kept;
    struct number_table loaded; /* sectors, by the block */
    uint64_t below;             /* others, in times of the block */
    uint64_t in_l2;             /* of either, loads of what is promised to be there */
    struct number_table lines;
    struct touched_object *objects;
    size_t object_count;
    bool promises; /* some of them are promised */
    bool anywhere; /* an address that nothing is known of may be that of a buffer that no argument names */
};

static void find_objects(struct fill_counter *counter) {
    const struct memory_objects *objects = &counter->traffic->grid->cover.objects;
    counter->object_count = objects->items.count;
    counter->objects = arena_array(&counter->scratch, objects->items.count, sizeof *counter->objects);
    for (size_t o = 0; o < objects->items.count; o++) {
        const struct memory_object *object = &objects->items.items[o];
        const bool promised = memory_object_is_promised(counter->traffic->machine, object);
        counter->objects[o] =
            (struct touched_object){object->base, object->size, UINT64_MAX, 0, false, promised};
        counter->promises = counter->promises || promised;
    }
}

static void touch(struct touched_object *object, uint64_t first, uint64_t end) {
    if (first < object->first) object->first = first;
    if (end > object->end) object->end = end;
}

/* The object that a sector is part of, or NO_OBJECT. */
static uint32_t object_of_sector(const struct fill_counter *counter, uint64_t sector) {
    for (size_t o = 0; o < counter->object_count; o++) {
        const struct touched_object *object = &counter->objects[o];
        if (sector + MEMORY_SECTOR_BYTES > object->base && sector < object->base + object->size)
            return (uint32_t)o;
    }
    return NO_OBJECT;
}

/* Whether it is promised to be in the second level. */
static bool is_promised(const struct fill_counter *counter, uint64_t sector) {
    const uint32_t object = counter->promises ? object_of_sector(counter, sector) : NO_OBJECT;
    return object != NO_OBJECT && counter->objects[object].promised;
}

static void touch_sector(struct fill_counter *counter, uint64_t sector) {
    const uint32_t object = object_of_sector(counter, sector);
    (void)number_table_number(&counter->lines, sector / MEMORY_LINE_BYTES);
    if (object == NO_OBJECT)
        counter->anywhere = true;
    else
        touch(&counter->objects[object], sector, sector + MEMORY_SECTOR_BYTES);
}

/* The first base of a block in an object. */
static uint64_t first_base_in(const struct fill_counter *counter, uint32_t block, uint32_t object) {
    const struct wb_grid *grid = counter->traffic->grid;
    const struct grid_block *of = &grid->blocks.items[block];
    return grid->bases.items[of->first_base + counter->kinds.shapes[of->shape].first_base[object]];
}

/* The object that the base of a group of the block lies in, which the group moves with. */
static uint32_t object_of_group(const struct fill_counter *counter, uint32_t block, uint32_t warp,
                                uint32_t group) {
    const uint32_t shape = counter->traffic->grid->blocks.items[block].shape;
    const struct shape_warp *of = &counter->traffic->grid->shapes.items[shape].warps[warp];
    return counter->kinds.shapes[shape].of_base[of->shifts[group].index];
}

/* Notes how far the block of a kind reaches. A group that goes from one object to another does not move with
 * the bases in that. */
static void reach_sector(struct fill_counter *counter, uint32_t block, uint32_t object, uint64_t sector) {
    if (object == NO_OBJECT || object != object_of_sector(counter, sector)) {
        counter->strays = true;
        return;
    }
    const uint64_t base = first_base_in(counter, block, object);
    struct object_reach *reach = &counter->reach[object];
    const int64_t first = (int64_t)(sector - base), end = first + (int64_t)MEMORY_SECTOR_BYTES;
    if (reach->first >= reach->end) *reach = (struct object_reach){first, end};
    if (first < reach->first) reach->first = first;
    if (end > reach->end) reach->end = end;
}

/* `object`: of the group, where it is asked for by kinds. */
static void note_sector(struct fill_counter *counter, uint32_t block, uint32_t object, uint64_t sector,
                        bool is_local) {
    const uint32_t of_block = counter->of_block.count, all = counter->all.count;
    if (counter->by_kinds && !is_local) reach_sector(counter, block, object, sector);
    (void)number_table_number(&counter->of_block, sector);
    if (counter->of_block.count == of_block) return;
    counter->local += is_local;
    const bool promised = !is_local && is_promised(counter, sector);
    counter->promised += promised;
    if (counter->by_kinds) return;
    (void)number_table_number(&counter->all, sector);
    if (counter->all.count == all) return;
    counter->sectors += !promised;
    counter->fills->promised += promised;
    if (!is_local) touch_sector(counter, sector);
}

/* A sector that the first level is asked for, and the second one only where the first does not keep it. */
static void note_load(struct fill_counter *counter, uint64_t sector) {
    const uint32_t loaded = counter->loaded.count;
    const bool kept = sector_is_kept(&counter->kept, sector);
    if (kept) (void)number_table_number(&counter->loaded, sector);
    counter->below += !kept;
    counter->in_l2 += (!kept || counter->loaded.count > loaded) && is_promised(counter, sector);
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
    const bool keeps = counter->looks_at_loads && !counter->kept.none && !access->is_unknown &&
                       access_is_kept(counter->traffic->grid, access) &&
                       !(counter->by_kinds && pattern->group_is_local[access->group]);
    counter->fills->requests += counter->times * access->request_count;
    if (!keeps) counter->below += access->request_count;
    if (access->is_unknown) return access->request_count == 0 ? 0 : count_unknown(counter, access);
    const uint64_t base = traffic_base(counter->traffic, block, warp, access->group);
    const bool is_local = pattern->group_is_local[access->group];
    const uint32_t object =
        counter->by_kinds ? object_of_group(counter, block, warp, access->group) : NO_OBJECT;
    for (uint32_t r = 0; r < access->request_count; r++) {
        const uint64_t sector = base + pattern->offsets[access->first_request + r];
        note_sector(counter, block, object, sector, is_local);
        if (keeps)
            note_load(counter, sector);
        else if (!is_local && traffic_is_load(access->kind))
            counter->in_l2 += is_promised(counter, sector);
    }
    return traffic_is_write(access->kind) ? access->request_count : 0;
}

static void count_block(struct fill_counter *counter, uint32_t block) {
    uint64_t more = 0;
    number_table_clear(&counter->of_block);
    number_table_clear(&counter->loaded);
    counter->below = counter->in_l2 = counter->local = counter->promised = 0;
    for (uint32_t w = 0; w < counter->traffic->grid->warp_count; w++) {
        const struct traffic_pattern *pattern = traffic_pattern_of(counter->traffic, block, w);
        for (uint32_t a = 0; a < pattern->access_count; a++)
            more += count_access(counter, block, w, &pattern->accesses[a]);
    }
    struct memory_fills *fills = counter->fills;
    fills->all += counter->times * more;
    fills->most_of_block =
        cycles_max(fills->most_of_block, more + counter->of_block.count - counter->promised);
    const uint64_t below = counter->below + counter->loaded.count;
    fills->below += counter->times * below;
    fills->below_of_block = cycles_max(fills->below_of_block, below);
    fills->behind_of_block = cycles_max(fills->behind_of_block, below - counter->in_l2);
    fills->l1_of_block =
        cycles_max(fills->l1_of_block, (uint64_t)counter->loaded.count * MEMORY_SECTOR_BYTES);
}

/* ---- What caches have to keep for it ------------------------------------------------------------------- */

static uint64_t code_bytes(const struct wb_grid *grid) {
    return (uint64_t)grid->kernel->module->code->inst_count * SASS_BYTES;
}

/* Whether more is fetched for an access than its sectors. */
static bool fetches_more(const struct sass_inst *inst) {
    return sass_field(inst, SASS_FIELD_PREFETCH) != 0;
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
    fills->bytes = cycles_add(cycles_add(code, constants + counter->line_count * MEMORY_LINE_BYTES),
                              cycles_mul(local, machine->memory.sms));
    fills->l1_bytes = cycles_add(counter->line_count * MEMORY_LINE_BYTES, local);
    for (size_t o = 0; o < counter->object_count; o++) {
        const struct touched_object *object = &counter->objects[o];
        if (object->first >= object->end) continue;
        const uint64_t before = cycles_sub(object->first, object->base);
        fills->pages = cycles_add(fills->pages, pages_of(sass, before, object->end - object->base));
        if (!object->anywhere) continue;
        fills->bytes = cycles_add(fills->bytes, object->size);
        fills->l1_bytes = cycles_add(fills->l1_bytes, object->size + MEMORY_LINE_BYTES);
    }
    fills->translations +=
        code / sass->l1_instructions.line_bytes + constants / sass->constants.line_bytes + 2;
    const bool anywhere = machine_code_reaches(grid->kernel, sass_reads_bindless) ||
                          machine_code_reaches(grid->kernel, sass_touches_anything);
    if (counter->anywhere || grid->cover.local_open || anywhere)
        fills->pages = fills->bytes = fills->l1_bytes = CYCLES_SATURATED;
    if (machine_code_reaches(grid->kernel, fetches_more)) fills->bytes = fills->l1_bytes = CYCLES_SATURATED;
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

static void count_every_block(struct fill_counter *counter) {
    counter->by_kinds = false;
    if (counter->looks_at_loads) kept_loads_find(counter->traffic, NULL, &counter->scratch, &counter->kept);
    for (uint32_t b = 0; b < counter->traffic->grid->blocks.count; b++)
        count_block(counter, b);
    counter->line_count = counter->lines.count;
}

/* Touches what the block of a kind reaches of each object. */
static void touch_reach(struct fill_counter *counter, uint32_t block, const struct object_reach *reach) {
    for (size_t o = 0; o < counter->object_count; o++) {
        struct touched_object *object = &counter->objects[o];
        if (reach[o].first >= reach[o].end) continue;
        const uint64_t base = first_base_in(counter, block, (uint32_t)o);
        const uint64_t first = base + (uint64_t)reach[o].first, end = base + (uint64_t)reach[o].end;
        counter->strays = counter->strays || first + MEMORY_SECTOR_BYTES <= object->base ||
                          end >= object->base + object->size + MEMORY_SECTOR_BYTES;
        touch(object, first, end);
    }
}

/* One block of each kind for all of them. Sectors of several kinds are counted for each, or as if all of what
 * lies between the first and the last of an object were touched, whatever is less. False: not so. */
static bool count_kinds(struct fill_counter *counter) {
    const struct wb_grid *grid = counter->traffic->grid;
    struct arena *scratch = &counter->scratch;
    uint64_t by_blocks = 0, promised = 0, local = 0, sectors = 0, of_promised = 0, lines = 0;
    counter->by_kinds = true;
    if (!block_kinds_find(counter->traffic, scratch, &counter->kinds)) return false;
    const size_t kinds = counter->kinds.items.count;
    struct object_reach *reaches = arena_array(scratch, kinds * (counter->object_count + 1), sizeof *reaches);
    if (counter->looks_at_loads) kept_loads_find(counter->traffic, &counter->kinds, scratch, &counter->kept);
    for (size_t k = 0; k < kinds; k++) {
        counter->times = counter->kinds.items.items[k].count;
        counter->reach = reaches + k * counter->object_count;
        count_block(counter, counter->kinds.items.items[k].block);
        by_blocks += counter->times * (counter->of_block.count - counter->local);
        promised += counter->times * counter->promised;
        local += counter->times * counter->local;
    }
    for (uint32_t b = 0; b < grid->blocks.count && !counter->strays; b++)
        touch_reach(counter, b, reaches + counter->kinds.of_block[b] * counter->object_count);
    for (size_t o = 0; o < counter->object_count; o++) {
        const struct touched_object *object = &counter->objects[o];
        if (object->first >= object->end) continue;
        *(object->promised ? &of_promised : &sectors) += (object->end - object->first) / MEMORY_SECTOR_BYTES;
        lines += (object->end - 1) / MEMORY_LINE_BYTES - object->first / MEMORY_LINE_BYTES + 1;
    }
    const uint64_t fetched = cycles_min(by_blocks - promised, sectors);
    counter->sectors = local + fetched;
    counter->fills->promised += cycles_min(by_blocks, sectors + of_promised) - fetched;
    counter->line_count = by_blocks < lines ? by_blocks : lines;
    return !counter->strays;
}

/* One block for all that it stands for, as if none of them had a sector in common. What all of them touch is
 * not known: no cache is taken to keep anything. */
static void count_alike(struct fill_counter *counter) {
    const struct wb_grid *grid = counter->traffic->grid;
    counter->by_kinds = counter->looks_at_loads = false;
    counter->anywhere = true;
    for (uint32_t b = 0; b < grid->blocks.count; b++) {
        counter->times = grid_blocks_alike(grid, b);
        count_block(counter, b);
        counter->sectors += counter->times * counter->of_block.count;
    }
    counter->line_count = counter->sectors;
}

/* Forgets what was counted. */
static void begin_counting(struct fill_counter *counter) {
    *counter->fills = (struct memory_fills){0};
    counter->times = 1;
    counter->sectors = 0;
    counter->anywhere = counter->strays = false;
    look_at_patterns(counter->traffic, counter->fills);
    find_objects(counter);
}

/* Whether the requests of all blocks are too many to be counted one by one. */
static bool has_many_requests(const struct traffic *traffic, uint64_t each_most) {
    uint64_t requests = 0;
    for (size_t b = 0; b < traffic->grid->blocks.count && requests <= each_most; b++)
        for (uint32_t w = 0; w < traffic->grid->warp_count; w++)
            requests += traffic_pattern_of(traffic, (uint32_t)b, w)->request_count;
    return requests > each_most;
}

static void count_blocks(void *context) {
    struct fill_counter *counter = context;
    struct arena *scratch = &counter->scratch;
    counter->all.arena = counter->of_block.arena = counter->lines.arena = counter->loaded.arena = scratch;
    bool counted = grid_is_counted(counter->traffic->grid);
    if (counted) {
        begin_counting(counter);
        count_alike(counter);
    } else if (has_many_requests(counter->traffic, counter->each_most)) {
        begin_counting(counter);
        counted = count_kinds(counter);
    }
    if (!counted) {
        begin_counting(counter);
        count_every_block(counter);
    }
    counter->fills->all += counter->sectors;
    add_up(counter);
}

/* Whether the first level may keep what is loaded. */
static bool first_level_keeps(const struct wb_machine *machine) {
    const bool keeps = machine->sass.l1_keeps > 0 || machine_promises(machine, RESIDENT_BLOCK_L1);
    return keeps && machine_can_count_requests(machine);
}

wb_status timed_grid_count_fills(struct timed_grid *timed, uint64_t each_most) {
    struct fill_counter counter = {.traffic = &timed->traffic,
                                   .fills = &timed->fills,
                                   .each_most = each_most,
                                   .looks_at_loads = first_level_keeps(timed->machine)};
    const wb_status status = arena_protect(&counter.scratch, count_blocks, &counter);
    arena_free(&counter.scratch);
    return status;
}

void timed_grid_take_fills(struct timed_grid *timed, const struct timed_grid *like) {
    const struct wb_machine *a = machine_as_stated(timed->machine), *b = machine_as_stated(like->machine);
    if (first_level_keeps(a) == first_level_keeps(b) &&
        machine_promises(a, RESIDENT_BUFFERS) == machine_promises(b, RESIDENT_BUFFERS) &&
        a->buffers.promises == b->buffers.promises && a->buffers.count == b->buffers.count)
        timed->fills = like->fills;
}

/* ---- What is counted once ------------------------------------------------------------------------------ */

/* Whether the second level is asked for fewer sectors where the first one keeps what it does. */
static bool keeps_loads(const struct timed_grid *timed) {
    const struct memory_fills *fills = &timed->fills;
    const struct wb_machine *machine = timed->machine;
    const bool promised = machine_promises(machine, RESIDENT_BLOCK_L1);
    if (machine->fills.each_load) return false;
    if (!promised && fills->l1_bytes > machine->sass.l1_keeps) return false;
    return first_level_keeps(machine) && fills->below < fills->requests;
}

/* Whether the sectors of DRAM, once each, take less than each request does on the SM that gets most blocks.
 * Promises of buffers lower either, and are not looked at: they decide nothing that could cost more.
 */
static bool is_worth_it(const struct timed_grid *timed) {
    const struct machine_sass *sass = &timed->machine->sass;
    const uint32_t each = machine_sector_most(timed->machine), level = sass->l2_sector;
    const uint64_t blocks = grid_block_count(timed->grid), sms = timed->machine->memory.sms;
    const uint64_t requests = keeps_loads(timed) ? timed->fills.below : timed->fills.requests;
    if (level == 0 || level >= each) return false;
    if (sass->row_cycle > 0) return true;
    const uint64_t most = cycles_mul(requests, (blocks + sms - 1) / sms) / (blocks > 0 ? blocks : 1);
    return cycles_mul(most, (each - level) * sms) >
           cycles_mul(timed->fills.all + timed->fills.promised, each);
}

/* Mask: the classes of instructions that a kernel can execute. */
static uint64_t classes_of(const struct wb_kernel *kernel) {
    const struct ptx_function *function = kernel_function(kernel);
    uint64_t classes = 0;
    for (uint32_t i = 0; i < function->inst_count; i++) {
        const enum sass_class class =
            sass_class_of(&kernel->module->code->insts[function->insts[i].machine].sass);
        if (class < SASS_CLASS_COUNT) classes |= UINT64_C(1) << class;
    }
    return classes;
}

/* A MIG instance has slices of the second level, no more than its SMs are of all. */
static uint64_t l2_keeps(const struct wb_machine *machine) {
    const struct machine_partition *partition = &machine->partition;
    const bool has_slices = partition->sms > 0 && partition->kind == PARTITION_MIG;
    return machine->sass.l2_keeps / (has_slices ? cycles_ceiling(partition->of, partition->sms) : 1);
}

/* Decides what `machine`, of the grid's own, fills once: neighbours leave the kernel its first levels. */
static void decide(const struct timed_grid *timed, struct wb_machine *machine) {
    const struct memory_fills *fills = &timed->fills;
    const struct machine_sass *sass = &machine->sass;
    const bool alone = !machine->neighbours.stated;
    if (alone && !machine->fills.each_access && sass->tlb_most > 0 && fills->pages <= sass->tlb_keeps &&
        fills->pages < fills->translations)
        machine_fill_pages(machine, (uint32_t)fills->pages, fills->passes);
    if (alone && fills->bytes <= l2_keeps(machine) && is_worth_it(timed)) machine_fill_sectors(machine);
    if (keeps_loads(timed))
        machine_fill_requests(machine, fills->below_of_block, fills->behind_of_block,
                              classes_of(timed->grid->kernel));
}

/* Whether the first level can keep what a block loads, as is promised. */
static wb_status check_promise(const struct timed_grid *timed, wb_diagnostics *diagnostics) {
    const struct wb_machine *machine = timed->machine;
    const uint64_t shared = timed->grid->shared_bytes, loaded = timed->fills.l1_of_block;
    const uint32_t size = machine->sass.l1_bytes;
    if (!machine_promises(machine, RESIDENT_BLOCK_L1) || size == 0 || cycles_add(loaded, shared) <= size)
        return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, "resident",
             "block-l1 cannot stay resident: a block loads %" PRIu64 " bytes and has %" PRIu64
             " of shared memory, the first level of %s %" PRIu32 " (sass.l1_size)",
             loaded, shared, machine->name, size);
    return WB_ERR_INPUT;
}

wb_status timed_grid_decide_fills(struct timed_grid *timed, wb_diagnostics *diagnostics) {
    const struct wb_machine *machine = timed->machine;
    const bool decides = machine_may_fill_once(machine);
    if (timed->grid->kernel == NULL || timed->grid->kernel->module->code == NULL) return WB_OK;
    if (!decides && machine->fills.sector == 0) return WB_OK;
    struct wb_machine *own = decides ? arena_alloc(&timed->arena, sizeof *own) : NULL;
    const bool counted = timed->fills.passes > 0;
    if ((decides && own == NULL) ||
        (!counted && timed_grid_count_fills(timed, REQUESTS_COUNTED_MAX) != WB_OK))
        return diagnose_out_of_memory(diagnostics, machine->name);
    if (!decides) return WB_OK;
    WB_TRY(check_promise(timed, diagnostics));
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
