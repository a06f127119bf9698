#include "bound/cache/memory_work.h"

#include "bound/grid/block_requests.h"
#include "memory/caches/caches.h"
#include "memory/caches/misses.h"
#include "memory/requests/requests.h"

struct request_latencies request_latencies_of(const struct machine_memory *memory) {
    cycles miss = memory_miss_latency(memory);
    return (struct request_latencies){
        .hit = memory->l1_latency,
        .miss = cycles_max(memory->l1_latency, miss), /* a hit on data that is still on its way, too */
        .write = 2 * (cycles)memory->noc_latency + memory->l2_latency,
    };
}

/* The sum of two counts. */
static struct request_counts request_counts_add(struct request_counts a, struct request_counts b) {
    return (struct request_counts){cycles_add(a.loads, b.loads), cycles_add(a.misses, b.misses),
                                   cycles_add(a.stores, b.stores), cycles_add(a.atomics, b.atomics)};
}

/* Requests that leave an SM: each is served at the second level and answered. */
static uint64_t requests_below(const struct request_counts *counts) {
    return cycles_add(counts->misses, cycles_add(counts->stores, counts->atomics));
}

cycles memory_replies(const struct machine_memory *memory, const struct request_counts *sm) {
    return cycles_mul(requests_below(sm), memory->reply_service);
}

/* While the first level stalls for an entry, l1_mshrs misses are on their way, each for at most the miss
 * latency in which no server is busy. */
static cycles entry_stalls(const struct machine_memory *memory, const struct request_counts *sm,
                           uint64_t in_flight) {
    if (sm->misses <= memory->l1_mshrs || in_flight <= memory->l1_mshrs) return 0;
    cycles on_the_way = cycles_mul(sm->misses, memory_miss_latency(memory));
    return on_the_way == CYCLES_SATURATED ? on_the_way : on_the_way / memory->l1_mshrs;
}

/* Stalls for the data of a victim last at most a miss latency for each time that all ways of a set were used
 * anew: only then can a line that is still on its way have become the least recently used one. */
static cycles victim_stalls(const struct machine_memory *memory, const struct request_counts *sm) {
    if (memory->l1_victim != VICTIM_STALLS) return 0;
    uint64_t uses = sm->loads;
    if (memory->l1_store == STORE_UPDATES) uses = cycles_add(uses, sm->stores);
    uint64_t rounds = cycles_sub(uses, 1) / memory->l1.ways;
    return cycles_mul(cycles_min(rounds, cycles_sub(sm->misses, memory->l1.ways)),
                      memory_miss_latency(memory));
}

/* Cycles in which the first level of an SM can stall while no server is busy, with these requests in all and
 * at most `in_flight` requests of loads at a time between issue and completion. */
static cycles memory_stalls(const struct machine_memory *memory, const struct request_counts *sm,
                            uint64_t in_flight) {
    return cycles_add(entry_stalls(memory, sm, in_flight), victim_stalls(memory, sm));
}

struct demanded_line {
    uint64_t number;
    uint32_t loaded; /* bit i: a load asks for sector i */
    bool written;
};

/* A set of the second level; its lines are listed while they fit in. */
struct demanded_set {
    uint64_t loads, writes; /* at known addresses */
    uint32_t line_count;    /* ways + 1: they do not fit */
    bool maybe_more;        /* accesses at unknown addresses may be to it */
    bool settled;           /* more lines than ways, as many loads and writes at least: others only add up */
};

/* Accesses at unknown addresses of an object, or of all memory. */
struct demanded_object {
    uint64_t loads, writes;
    bool fits;        /* all sets that its lines belong to have room for all their lines */
    uint64_t sectors; /* of it that nobody loads at known addresses, if it fits */
};

struct demand_maker {
    struct arena arena;
    const struct traffic *traffic;
    struct cache_index index; /* of the part of the second level that a partition has */
    uint32_t partitions, ways;
    size_t set_count, unsettled;     /* of all partitions; those of them that are not settled */
    struct demanded_set *sets;       /* of partition 0, of partition 1, ... */
    struct demanded_line *lines;     /* ways of set 0, ways of set 1, ... */
    struct demanded_object *objects; /* as in struct access */
    uint32_t object_count;
};

/* The set that a line belongs to. */
static size_t set_of_line(const struct demand_maker *maker, uint64_t number) {
    /* A partition numbers its lines without those of the others. */
    const uint32_t own_set = cache_set_of_line(&maker->index, number / maker->partitions);
    return (size_t)(number % maker->partitions) * maker->index.set_count + own_set;
}

/* The line in its set, which it joins; NULL: they do not fit in. */
static struct demanded_line *find_line(struct demand_maker *maker, size_t set_number, uint64_t number) {
    struct demanded_set *set = &maker->sets[set_number];
    if (set->line_count > maker->ways) return NULL;
    struct demanded_line *line = maker->lines + set_number * maker->ways;
    const struct demanded_line *end = line + set->line_count;
    while (line < end && line->number != number)
        line++;
    if (line < end) return line;
    if (set->line_count++ == maker->ways) return NULL;
    *line = (struct demanded_line){.number = number};
    return line;
}

static void demand_request(struct demand_maker *maker, uint64_t address, bool is_load) {
    uint64_t number = cache_line_number(&maker->index, address);
    const size_t set_number = set_of_line(maker, number);
    struct demanded_set *set = &maker->sets[set_number];
    set->loads += is_load;
    set->writes += !is_load;
    struct demanded_line *line = find_line(maker, set_number, number);
    if (line == NULL) {
        const bool settled = set->loads >= maker->ways && set->writes >= maker->ways;
        maker->unsettled -= settled && !set->settled;
        set->settled = settled;
    } else if (is_load)
        line->loaded |= cache_sector_bit(&maker->index, address);
    else
        line->written = true;
}

/* Counts an access of so many warps whose sets do not matter: the first one stands for all of them. */
static void demand_anywhere(struct demand_maker *maker, const struct traffic_access *access, uint64_t warps) {
    const bool is_load = traffic_is_load(access->kind);
    uint64_t *count = is_load ? &maker->sets[0].loads : &maker->sets[0].writes;
    if (access->is_unknown)
        count = is_load ? &maker->objects[access->object].loads : &maker->objects[access->object].writes;
    *count += warps * access->request_count;
}

static void demand_warp(struct demand_maker *maker, uint32_t block, uint32_t warp) {
    const struct traffic_pattern *pattern = traffic_pattern_of(maker->traffic, block, warp);
    for (uint32_t a = 0; a < pattern->access_count; a++) {
        const struct traffic_access *access = &pattern->accesses[a];
        if (access->request_count == 0) continue;
        if (access->is_unknown) {
            demand_anywhere(maker, access, 1);
            continue;
        }
        const uint64_t *offsets = pattern->offsets + access->first_request;
        uint64_t base = traffic_base(maker->traffic, block, warp, access->group);
        for (uint32_t r = 0; r < access->request_count; r++)
            demand_request(maker, base + offsets[r], traffic_is_load(access->kind));
    }
}

/* All blocks; once all sets are settled, by variants. `blocks`: room for a number of each of these. */
static void demand_blocks(struct demand_maker *maker, uint64_t *blocks) {
    const struct traffic *traffic = maker->traffic;
    const uint32_t warps = traffic->grid->warp_count;
    for (uint32_t b = 0; b < traffic->grid->blocks.count; b++) {
        const bool settled = maker->unsettled == 0;
        blocks[traffic->block_variants[b]] += settled;
        for (uint32_t w = 0; w < warps && !settled; w++)
            demand_warp(maker, b, w);
    }
    for (size_t v = 0; v < traffic->variants.count; v++)
        for (uint32_t w = 0; w < warps && blocks[v] > 0; w++) {
            const uint32_t number = traffic->variants.items[v].patterns[w];
            const struct traffic_pattern *pattern = &traffic->patterns.items[number];
            for (uint32_t a = 0; a < pattern->access_count; a++)
                demand_anywhere(maker, &pattern->accesses[a], blocks[v]);
        }
}

/* Most lines of an object that are looked at: more cannot fit, whatever set each belongs to. */
static uint64_t lines_looked_at(const struct demand_maker *maker) {
    return (uint64_t)maker->set_count * maker->ways + 1;
}

/* The numbers of the lines of an object. */
static void object_lines_of(const struct demand_maker *maker, uint32_t number, uint64_t *first,
                            uint64_t *count) {
    const struct memory_object *object = &maker->traffic->grid->cover.objects.items.items[number - 1];
    *first = cache_line_number(&maker->index, object->base);
    *count = object->size == 0
                 ? UINT64_MAX
                 : cache_line_number(&maker->index, object->base + object->size - 1) - *first + 1;
}

/* Lets the lines of an object that is accessed at unknown addresses join their sets: of all memory, all sets
 * have more than fit in. */
static void demand_object(struct demand_maker *maker, uint32_t number) {
    uint64_t first = 0, count = UINT64_MAX;
    if (number != 0) object_lines_of(maker, number, &first, &count);
    if (count >= lines_looked_at(maker)) {
        for (size_t s = 0; s < maker->set_count; s++) {
            maker->sets[s].maybe_more = true;
            maker->sets[s].line_count = maker->ways + 1;
        }
        return;
    }
    for (uint64_t l = first; l < first + count; l++) {
        const size_t set = set_of_line(maker, l);
        maker->sets[set].maybe_more = true;
        (void)find_line(maker, set, l);
    }
}

/* Whether all lines of an object fit, and how many of its sectors nobody loads at known addresses. */
static void look_at_object(struct demand_maker *maker, uint32_t number) {
    struct demanded_object *object = &maker->objects[number];
    uint64_t first, count;
    object->fits = false;
    if (number == 0) return;
    object_lines_of(maker, number, &first, &count);
    if (count >= lines_looked_at(maker)) return;
    for (uint64_t l = first; l < first + count; l++) {
        const struct demanded_line *line = find_line(maker, set_of_line(maker, l), l);
        if (line == NULL) return;
        object->sectors += maker->index.sector_mask + 1 - (uint32_t)__builtin_popcount(line->loaded);
    }
    object->fits = true;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Adds accesses at unknown addresses to the demand of their sets. */
static void add_objects(struct demand_maker *maker, struct dram_demand *demand) {
    for (uint32_t o = 0; o < maker->object_count; o++) {
        struct demanded_object *object = &maker->objects[o];
        if (object->loads + object->writes == 0) continue;
        look_at_object(maker, o);
        demand->fetches += object->fits ? least(object->loads, object->sectors) : object->loads;
        if (!object->fits) demand->write_backs += object->writes;
        demand->left_dirty += object->writes;
    }
}

/* The demand of the sets. A full set evicts a line only for another one that comes in. */
static struct dram_demand demand_sum(struct demand_maker *maker) {
    struct dram_demand demand = {0};
    add_objects(maker, &demand);
    for (size_t s = 0; s < maker->set_count; s++) {
        const struct demanded_set *set = &maker->sets[s];
        if (set->line_count > maker->ways) {
            demand.fetches += set->loads;
            const uint64_t requests = set->loads + set->writes;
            demand.write_backs += set->maybe_more ? set->writes : least(set->writes, requests - maker->ways);
            demand.left_dirty += least(set->writes, maker->ways);
            continue;
        }
        const struct demanded_line *lines = maker->lines + s * maker->ways;
        for (uint32_t l = 0; l < set->line_count; l++) {
            demand.fetches += (uint64_t)__builtin_popcount(lines[l].loaded);
            demand.left_dirty += lines[l].written;
        }
    }
    return demand;
}

wb_status dram_demand_of(const struct traffic *traffic, struct dram_demand *demand) {
    const struct machine_memory *memory = &traffic->machine->memory;
    struct cache_geometry part = memory->l2;
    part.bytes /= memory->l2_partitions;
    struct demand_maker maker = {.traffic = traffic,
                                 .index = cache_index_of(&part),
                                 .partitions = memory->l2_partitions,
                                 .ways = part.ways};
    maker.set_count = (size_t)maker.index.set_count * maker.partitions;
    maker.sets = arena_array(&maker.arena, maker.set_count, sizeof *maker.sets);
    maker.lines = arena_array(&maker.arena, maker.set_count * maker.ways, sizeof *maker.lines);
    maker.object_count = (uint32_t)traffic->grid->cover.objects.items.count + 1;
    maker.objects = arena_array(&maker.arena, maker.object_count, sizeof *maker.objects);
    maker.unsettled = maker.set_count;
    uint64_t *blocks = arena_array(&maker.arena, traffic->variants.count + 1, sizeof *blocks);
    const bool room = maker.sets != NULL && maker.lines != NULL && maker.objects != NULL && blocks != NULL;
    const wb_status status = room ? WB_OK : WB_ERR_LIMIT;
    if (status == WB_OK) {
        demand_blocks(&maker, blocks);
        for (uint32_t o = 0; o < maker.object_count; o++)
            if (maker.objects[o].loads + maker.objects[o].writes > 0) demand_object(&maker, o);
        *demand = demand_sum(&maker);
    }
    arena_free(&maker.arena);
    return status;
}

/* The sum of the work of two sets of blocks. */
static struct block_work block_work_add(struct block_work a, struct block_work b) {
    return (struct block_work){cycles_add(a.initiations, b.initiations), cycles_add(a.turns, b.turns),
                               request_counts_add(a.requests, b.requests)};
}

/* One instruction with requests. */
static void work_add_requests(const struct machine_memory *memory, const struct traffic_access *access,
                              struct block_work *sum) {
    uint64_t count = access->request_count;
    sum->turns = cycles_add(sum->turns, count * memory->request_cycles);
    switch ((enum traffic_kind)access->kind) {
    case TRAFFIC_LOAD:
    case TRAFFIC_UNCACHED:
        sum->requests.loads += count;
        sum->requests.misses += count;
        break;
    case TRAFFIC_STORE: sum->requests.stores += count; break;
    case TRAFFIC_ATOMIC: sum->requests.atomics += count; break;
    case TRAFFIC_ON_CHIP: break;
    }
}

/* The work of the blocks like `block`. */
static wb_status work_of_block(struct memory_work *work, uint32_t block, struct loads_in_flight *flight,
                               struct block_work *sum) {
    const struct timed_grid *timed = work->timed;
    uint64_t in_flight = 0;
    for (uint32_t w = 0; w < timed->grid->warp_count; w++) {
        struct warp_steps steps = warp_steps_begin(timed, block, w);
        struct warp_step step;
        loads_in_flight_begin(flight, &timed->code);
        while (warp_steps_next_of_sum(&steps, &step)) {
            sum->initiations = cycles_add(sum->initiations, cycles_mul(step.init, step.times));
            WB_TRY(loads_in_flight_step(flight, &timed->code, &step));
            if (step.access == NULL) continue;
            work_add_requests(&timed->machine->memory, step.access, sum);
            work->in_objects |= step.access->is_unknown && step.access->object != 0;
            if (step.access->request_count > work->most_requests)
                work->most_requests = step.access->request_count;
        }
        in_flight = cycles_add(in_flight, flight->unlimited ? UINT64_MAX : flight->most);
    }
    work->in_flight = cycles_max(work->in_flight, in_flight);
    return WB_OK;
}

/* Blocks that can be on one SM at the same time. */
static uint32_t work_beside_each_other(const struct memory_work *work) {
    const struct machine_memory *memory = &work->machine->memory;
    uint32_t most = work->block_count;
    if (work->scheme->reorder || !memory_dispatch_is_dynamic(memory))
        most = (uint32_t)cycles_ceiling(work->block_count, memory->sms);
    return most < work->resident ? most : work->resident;
}

static wb_status work_of_blocks(struct memory_work *work, struct loads_in_flight *flight) {
    const struct traffic *traffic = &work->timed->traffic;
    work->variants = arena_array(&work->arena, traffic->variants.count + 1, sizeof *work->variants);
    bool *done = arena_array(&work->arena, traffic->variants.count + 1, sizeof *done);
    if (work->variants == NULL || done == NULL) return WB_ERR_LIMIT;
    for (uint32_t b = 0; b < work->block_count; b++) {
        uint32_t variant = traffic->block_variants[b];
        if (!done[variant]) WB_TRY(work_of_block(work, b, flight, &work->variants[variant]));
        done[variant] = true;
        work->total = block_work_add(work->total, work->variants[variant]);
    }
    work->in_flight = cycles_mul(work->in_flight, work_beside_each_other(work));
    return WB_OK;
}

static wb_status work_sum_up(struct memory_work *work) {
    struct loads_in_flight flight;
    wb_status status = loads_in_flight_init(&flight, &work->timed->code);
    if (status == WB_OK) status = work_of_blocks(work, &flight);
    loads_in_flight_free(&flight);
    return status == WB_OK ? dram_demand_of(&work->timed->traffic, &work->demand) : status;
}

/* How many blocks of the grid an SM holds at a time, at most. */
static wb_status find_resident(struct memory_work *work, wb_diagnostics *diagnostics) {
    const struct block_demand demand = grid_block_demand(work->timed->grid);
    struct resident_range range;
    if (work->block_count == 0) return WB_OK;
    WB_TRY(machine_resident_range(work->machine, &demand, work->scheme->reorder, diagnostics, &range));
    work->resident = range.most < work->block_count ? range.most : work->block_count;
    work->registers_ignored = range.least < work->resident;
    return WB_OK;
}

wb_status memory_work_make(const struct timed_grid *timed, const struct gpu_scheme *scheme,
                           wb_diagnostics *diagnostics, struct memory_work *work) {
    const char *name = timed->machine->name;
    *work = (struct memory_work){.machine = timed->machine,
                                 .timed = timed,
                                 .scheme = scheme,
                                 .block_count = (uint32_t)timed->grid->blocks.count};
    WB_TRY(timed_grid_decline_long(timed, diagnostics));
    WB_TRY(find_resident(work, diagnostics));
    return work_sum_up(work) == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, name);
}

void memory_work_free(struct memory_work *work) {
    arena_free(&work->arena);
}

uint64_t memory_work_unsure_loads(const struct memory_work *work, const struct must_hits *hits,
                                  uint32_t block) {
    uint64_t loads = memory_work_of(work, block)->requests.loads;
    for (uint32_t w = 0; w < work->timed->grid->warp_count; w++) {
        const uint8_t *verdicts = must_hits_of(hits, block, w);
        uint32_t count = traffic_pattern_of(&work->timed->traffic, block, w)->request_count;
        for (uint32_t r = 0; r < count; r++)
            loads -= (verdicts[r] & MUST_HIT) != 0;
    }
    return loads;
}

uint32_t memory_work_sms(const struct memory_work *work) {
    uint32_t sms = work->machine->memory.sms;
    return work->block_count < sms ? work->block_count : sms;
}

struct memory_counts memory_work_counts(const struct memory_work *work, uint64_t misses,
                                        const struct request_counts *sm) {
    struct request_counts all = work->total.requests;
    all.misses = cycles_min(all.misses, misses);
    return (struct memory_counts){
        .below = requests_below(&all),
        .fetches = cycles_min(all.misses, work->demand.fetches),
        .write_backs = cycles_min(cycles_add(all.stores, all.atomics), work->demand.write_backs),
        .answers = requests_below(sm),
        .stalls = memory_stalls(&work->machine->memory, sm, work->in_flight)};
}

cycles memory_work_services(const struct memory_work *work, uint64_t misses) {
    const struct machine_memory *memory = &work->machine->memory;
    const struct memory_counts counts = memory_work_counts(work, misses, &work->total.requests);
    const cycles dram = cycles_mul(cycles_add(counts.fetches, counts.write_backs), memory->dram_service);
    return cycles_add(cycles_mul(counts.below, memory->l2_service), dram);
}

struct sm_work *memory_work_of_sms(const struct memory_work *work, struct arena *arena) {
    const uint32_t count = memory_work_sms(work);
    struct sm_work *sms = arena_array(arena, (size_t)count + 1, sizeof *sms);
    for (uint32_t b = 0; sms != NULL && b < work->block_count; b++) {
        struct block_work *sum = &sms[b % count].work;
        *sum = block_work_add(*sum, *memory_work_of(work, b));
    }
    return sms;
}

struct kernel_time memory_work_time(const struct memory_work *work, const struct sm_work *sms,
                                    uint32_t sm_count) {
    const struct machine_memory *memory = &work->machine->memory;
    uint64_t misses = 0;
    for (uint32_t s = 0; s < sm_count; s++)
        misses = cycles_add(misses, sms[s].work.requests.misses);
    const cycles services = memory_work_services(work, misses);
    struct kernel_time latest = {0};
    for (uint32_t s = 0; s < sm_count; s++) {
        const struct request_counts *requests = &sms[s].work.requests;
        struct kernel_time time = {.busy = sms[s].work.initiations, .latency = sms[s].idle};
        if (work->scheme->reorder) time.busy = cycles_add(time.busy, sms[s].work.turns);
        time.memory = cycles_add(services, memory_replies(memory, requests));
        time.memory = cycles_add(time.memory, memory_stalls(memory, requests, work->in_flight));
        latest = kernel_time_max(latest, time);
    }
    return latest;
}
