#include "bound/dram_demand.h"

#include "memory/cache_index.h"

struct demanded_line {
    uint64_t number;
    uint32_t loaded; /* bit i: a load asks for sector i */
    bool written;
};

/* A set of the second level; its lines are listed while they fit in. */
struct demanded_set {
    uint64_t loads, writes;
    uint32_t line_count; /* ways + 1: they do not */
};

struct demand_maker {
    struct arena arena;
    const struct traffic *traffic;
    struct cache_index index; /* of the part of the second level that a partition has */
    uint32_t partitions, ways;
    size_t set_count;            /* of all partitions */
    struct demanded_set *sets;   /* of partition 0, of partition 1, ... */
    struct demanded_line *lines; /* ways of set 0, ways of set 1, ... */
};

static void demand_request(struct demand_maker *maker, uint64_t address, bool is_load) {
    uint64_t number = cache_line_number(&maker->index, address);
    /* A partition numbers its lines without those of the others. */
    uint32_t own_set = cache_set_of_line(&maker->index, number / maker->partitions);
    size_t set_number = (size_t)(number % maker->partitions) * maker->index.set_count + own_set;
    struct demanded_set *set = &maker->sets[set_number];
    set->loads += is_load;
    set->writes += !is_load;
    if (set->line_count > maker->ways) return;
    struct demanded_line *line = maker->lines + set_number * maker->ways;
    const struct demanded_line *end = line + set->line_count;
    while (line < end && line->number != number)
        line++;
    if (line == end) {
        if (set->line_count++ == maker->ways) return;
        *line = (struct demanded_line){.number = number};
    }
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
        const uint64_t *offsets = pattern->offsets + access->first_request;
        uint64_t base = traffic_base(maker->traffic, block, warp, access->group);
        for (uint32_t r = 0; r < access->request_count; r++)
            demand_request(maker, base + offsets[r], access->kind == TRAFFIC_LOAD);
    }
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* What the sets come to. A set evicts a line only for another one that comes in when it is full. */
static struct dram_demand demand_sum(const struct demand_maker *maker) {
    struct dram_demand demand = {0};
    for (size_t s = 0; s < maker->set_count; s++) {
        const struct demanded_set *set = &maker->sets[s];
        if (set->line_count > maker->ways) {
            demand.fetches += set->loads;
            demand.write_backs += least(set->writes, set->loads + set->writes - maker->ways);
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
    wb_status status = maker.sets == NULL || maker.lines == NULL ? WB_ERR_LIMIT : WB_OK;
    if (status == WB_OK) {
        for (uint32_t b = 0; b < traffic->grid->blocks.count; b++) {
            for (uint32_t w = 0; w < traffic->grid->warp_count; w++)
                demand_warp(&maker, b, w);
        }
        *demand = demand_sum(&maker);
    }
    arena_free(&maker.arena);
    return status;
}
