#include "bound/cache/arrival_cache.h"

#include <string.h>

wb_status arrival_cache_init(struct arrival_cache *arrival, const struct machine_memory *memory, bool covers,
                             struct arena *arena) {
    *arrival = (struct arrival_cache){.latencies = request_latencies_of(memory),
                                      .miss_latency = memory_miss_latency(memory),
                                      .policy = (enum store_policy)memory->l1_store,
                                      .covers = covers};
    if (covers) return cache_state_init(&arrival->state, &memory->l1, CACHE_EMPTY);
    WB_TRY(cache_init(&arrival->cache, &memory->l1, arena));
    size_t lines = (size_t)arrival->cache.index.set_count * arrival->cache.ways;
    arrival->arrivals = arena_array(arena, lines, sizeof *arrival->arrivals);
    return arrival->arrivals == NULL ? WB_ERR_LIMIT : WB_OK;
}

void arrival_cache_free(struct arrival_cache *arrival) {
    cache_state_free(&arrival->state);
}

void arrival_cache_clear(struct arrival_cache *arrival) {
    if (arrival->covers)
        cache_state_clear(&arrival->state);
    else
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

/* A load has its turn until `turn`; returns when its data is there. */
static cycles load(struct arrival_cache *arrival, uint64_t address, cycles turn) {
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

/* A store or an atomic has its turn. */
static void write(struct arrival_cache *arrival, uint64_t address, bool is_atomic) {
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

/* The data of a load of covering paths. That of a line that surely hits comes no later than that of a miss by
 * the load since which it has surely been there; of an unknown line, than that of a miss now. */
static cycles load_surely(struct arrival_cache *arrival, const struct traffic_access *access,
                          const struct met_requests *met, cycles turn) {
    cycles data = 0;
    for (uint32_t r = 0; r < access->request_count; r++) {
        arrival->misses += met->outcomes[r] != REQUEST_HITS;
        data = cycles_max(data, cycles_max(cycles_add(turn, arrival->latencies.hit), met->marks[r]));
    }
    return data;
}

wb_status arrival_cache_access(struct arrival_cache *arrival, const struct traffic *traffic,
                               const struct ordered_access *at, cycles turn, cycles *data) {
    const struct traffic_access *access = at->access;
    struct met_requests met;
    requests_address(traffic, at, &met);
    *data = access->kind == TRAFFIC_LOAD ? 0 : cycles_add(turn, arrival->latencies.write);
    if (arrival->covers) {
        const cycles late = cycles_add(turn, arrival->miss_latency);
        WB_TRY(requests_meet_state(traffic, at, late, &arrival->state, &met));
        if (access->kind == TRAFFIC_LOAD) *data = load_surely(arrival, access, &met, turn);
        return WB_OK;
    }
    for (uint32_t r = 0; r < access->request_count; r++) {
        if (access->kind == TRAFFIC_LOAD)
            *data = cycles_max(*data, load(arrival, met.addresses[r], turn));
        else
            write(arrival, met.addresses[r], access->kind == TRAFFIC_ATOMIC);
    }
    return WB_OK;
}
