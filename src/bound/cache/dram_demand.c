#include "bound/cache/dram_demand.h"

#include "memory/caches/cache.h"

struct demanded_line {
    uint64_t number;
    uint32_t loaded; /* bit i: a load asks for sector i */
    bool written;
};

/* A set of the second level; its lines are listed while they fit in. */
struct demanded_set {
    uint64_t loads, writes; /* at known addresses */
    uint32_t line_count;    /* ways + 1: they do not fit */
    bool perhaps_more;      /* accesses at unknown addresses may be to it */
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
    size_t set_count;                /* of all partitions */
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
    if (line == NULL) return;
    if (is_load)
        line->loaded |= cache_sector_bit(&maker->index, address);
    else
        line->written = true;
}

static void demand_warp(struct demand_maker *maker, uint32_t block, uint32_t warp) {
    const struct traffic_pattern *pattern = traffic_pattern_of(maker->traffic, block, warp);
    for (uint32_t a = 0; a < pattern->access_count; a++) {
        const struct traffic_access *access = &pattern->accesses[a];
        if (access->request_count == 0) continue;
        if (access->is_unknown) {
            struct demanded_object *object = &maker->objects[access->object];
            *(access->kind == TRAFFIC_LOAD ? &object->loads : &object->writes) += access->request_count;
            continue;
        }
        const uint64_t *offsets = pattern->offsets + access->first_request;
        uint64_t base = traffic_base(maker->traffic, block, warp, access->group);
        for (uint32_t r = 0; r < access->request_count; r++)
            demand_request(maker, base + offsets[r], access->kind == TRAFFIC_LOAD);
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
            maker->sets[s].perhaps_more = true;
            maker->sets[s].line_count = maker->ways + 1;
        }
        return;
    }
    for (uint64_t l = first; l < first + count; l++) {
        const size_t set = set_of_line(maker, l);
        maker->sets[set].perhaps_more = true;
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

/* What accesses at unknown addresses add to what their sets come to without them. */
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

/* What the sets come to. A set evicts a line only for another one that comes in when it is full. */
static struct dram_demand demand_sum(struct demand_maker *maker) {
    struct dram_demand demand = {0};
    add_objects(maker, &demand);
    for (size_t s = 0; s < maker->set_count; s++) {
        const struct demanded_set *set = &maker->sets[s];
        if (set->line_count > maker->ways) {
            demand.fetches += set->loads;
            const uint64_t requests = set->loads + set->writes;
            demand.write_backs +=
                set->perhaps_more ? set->writes : least(set->writes, requests - maker->ways);
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
    wb_status status =
        maker.sets == NULL || maker.lines == NULL || maker.objects == NULL ? WB_ERR_LIMIT : WB_OK;
    if (status == WB_OK) {
        for (uint32_t b = 0; b < traffic->grid->blocks.count; b++) {
            for (uint32_t w = 0; w < traffic->grid->warp_count; w++)
                demand_warp(&maker, b, w);
        }
        for (uint32_t o = 0; o < maker.object_count; o++)
            if (maker.objects[o].loads + maker.objects[o].writes > 0) demand_object(&maker, o);
        *demand = demand_sum(&maker);
    }
    arena_free(&maker.arena);
    return status;
}
