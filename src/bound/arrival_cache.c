#include "bound/arrival_cache.h"

#include <string.h>

wb_status arrival_cache_init(struct arrival_cache *arrival, const struct machine_memory *memory,
                             struct arena *arena) {
    *arrival = (struct arrival_cache){.latencies = request_latencies_of(memory),
                                      .miss_latency = memory_miss_latency(memory),
                                      .policy = (enum store_policy)memory->l1_store};
    WB_TRY(cache_init(&arrival->cache, &memory->l1, arena));
    size_t lines = (size_t)arrival->cache.index.set_count * arrival->cache.ways;
    arrival->arrivals = arena_array(arena, lines, sizeof *arrival->arrivals);
    return arrival->arrivals == NULL ? WB_ERR_LIMIT : WB_OK;
}

void arrival_cache_clear(struct arrival_cache *arrival) {
    cache_clear(&arrival->cache);
    arrival->misses = 0;
}

/* Where in its set a line stands, or the first empty place, or `ways`. */
static uint32_t find_place(const struct cache *cache, size_t set, uint64_t number) {
    const struct cache_line *lines = cache->lines + set;
    uint32_t place = 0;
    while (place < cache->ways && lines[place].sectors != 0 && lines[place].number != number)
        place++;
    return place;
}

/* Lines keep the order of their last use, and so do their arrivals: the one at `place` comes to the front. */
static void move_to_front(cycles *arrivals, uint32_t place) {
    cycles moved = arrivals[place];
    memmove(arrivals + 1, arrivals, place * sizeof *arrivals);
    arrivals[0] = moved;
}

cycles arrival_cache_load(struct arrival_cache *arrival, uint64_t address, cycles turn) {
    struct cache *cache = &arrival->cache;
    size_t set = (size_t)cache_set_of(cache, address) * cache->ways;
    uint32_t place = find_place(cache, set, cache_line_number(&cache->index, address));
    bool known = place < cache->ways && cache->lines[set + place].sectors != 0;
    cycles *arrivals = arrival->arrivals + set;
    move_to_front(arrivals, place < cache->ways ? place : cache->ways - 1);
    if (!known) arrivals[0] = 0;
    if (cache_load(cache, address).hit)
        return cycles_max(cycles_add(turn, arrival->latencies.hit), arrivals[0]);
    arrival->misses++;
    cycles data = cycles_add(turn, arrival->miss_latency);
    arrivals[0] = cycles_max(arrivals[0], data);
    return data;
}

void arrival_cache_write(struct arrival_cache *arrival, uint64_t address, bool is_atomic) {
    struct cache *cache = &arrival->cache;
    enum store_policy policy = is_atomic ? STORE_EVICTS : arrival->policy;
    size_t set = (size_t)cache_set_of(cache, address) * cache->ways;
    uint32_t place = find_place(cache, set, cache_line_number(&cache->index, address));
    cycles *arrivals = arrival->arrivals + set;
    if (place < cache->ways && cache->lines[set + place].sectors != 0) {
        if (policy == STORE_UPDATES)
            move_to_front(arrivals, place);
        else
            memmove(arrivals + place, arrivals + place + 1, (cache->ways - place - 1) * sizeof *arrivals);
    }
    (void)cache_store(cache, address, policy);
}
