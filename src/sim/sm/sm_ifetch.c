#include "sim/sm/sm.h"

void sm_ifetch_init(struct sm *sm) {
    const struct machine_fetch *config = &sm->program->machine->fetch;
    const struct cache_geometry geometry = fetch_cache_geometry(config);
    struct sm_ifetch *ifetch = arena_alloc(&sm->arena, sizeof *ifetch);
    *ifetch = (struct sm_ifetch){.config = config, .last = WARP_NONE, .look_at = CYCLES_SATURATED};
    ifetch->under_way = arena_array(&sm->arena, config->misses, sizeof *ifetch->under_way);
    ifetch->asking = arena_array(&sm->arena, sm->words, sizeof *ifetch->asking);
    sm->ifetch = ifetch;
    if (cache_init(&ifetch->cache, &geometry, &sm->arena) != WB_OK) arena_fail(&sm->arena, WB_ERR_LIMIT);
}

/* Where the warp's next instruction lies. */
static uint64_t head_address(const struct sm *sm, const struct sm_warp *warp) {
    const struct timed_code *code = sm->program->code;
    return timed_address(code, (uint32_t)(warp->head - code->insts), sm->ifetch->config->instruction_bytes);
}

void sm_ifetch_ask(struct sm *sm, uint32_t index) {
    struct sm_ifetch *ifetch = sm->ifetch;
    struct sm_warp *warp = &sm->warps[index];
    warp->fetched_at = 0;
    if (warp->unit == NULL) return;
    const uint64_t address = head_address(sm, warp);
    const bool held = address >= warp->buffer_from && address < warp->buffer_end;
    warp->buffer_from = address + ifetch->config->instruction_bytes;
    if (held) return;
    warp->fetched_at = CYCLES_SATURATED;
    warp_set_add(ifetch->asking, index);
    ifetch->look_at = cycles_min(ifetch->look_at, warp->earliest);
}

/* When the data of a line is there that the cache has, or CYCLES_SATURATED, of one that it does not have,
 * while all entries are taken. A miss takes one. */
static cycles line_at(struct sm *sm, uint64_t address) {
    struct sm_ifetch *ifetch = sm->ifetch;
    const uint64_t number = cache_line_number(&ifetch->cache.index, address);
    cycles at = sm->now;
    if (cache_has(&ifetch->cache, address)) {
        for (uint32_t i = 0; i < ifetch->under_way_count; i++)
            if (ifetch->under_way[i].number == number) at = cycles_max(at, ifetch->under_way[i].data_at);
    } else {
        if (ifetch->under_way_count == ifetch->config->misses) return CYCLES_SATURATED;
        at = cycles_add(at, ifetch->config->miss_latency);
        ifetch->under_way[ifetch->under_way_count++] = (struct line_under_way){number, at};
        ifetch->misses++;
    }
    (void)cache_load(&ifetch->cache, address);
    return at;
}

/* Begins the fetch that the warp asks for; false when it misses and all entries are taken. */
static bool begin(struct sm *sm, uint32_t index) {
    struct sm_ifetch *ifetch = sm->ifetch;
    struct sm_warp *warp = &sm->warps[index];
    const uint64_t address = head_address(sm, warp);
    const cycles at = line_at(sm, address);
    if (at == CYCLES_SATURATED) return false;
    ifetch->fetches++;
    ifetch->last = index;
    warp_set_remove(ifetch->asking, index);
    warp->buffer_end = fetch_end(ifetch->config, address);
    warp->fetched_at = cycles_add(at, ifetch->config->latency);
    sm_unblock(sm, index);
    return true;
}

/* Frees the entries of lines that are there. */
static void end_misses(struct sm_ifetch *ifetch, cycles now) {
    for (uint32_t i = 0; i < ifetch->under_way_count;) {
        if (ifetch->under_way[i].data_at > now) {
            i++;
        } else {
            ifetch->under_way[i] = ifetch->under_way[--ifetch->under_way_count];
        }
    }
}

/* When the next entry is free, all of them being taken. */
static cycles entry_at(const struct sm_ifetch *ifetch) {
    cycles next = CYCLES_SATURATED;
    for (uint32_t i = 0; i < ifetch->under_way_count; i++)
        next = cycles_min(next, ifetch->under_way[i].data_at);
    return next;
}

void sm_ifetch_cycle(struct sm *sm) {
    struct sm_ifetch *ifetch = sm->ifetch;
    uint32_t left = ifetch->config->per_cycle;
    const uint32_t first = ifetch->last == WARP_NONE ? 0 : (ifetch->last + 1) % sm->warp_count;
    end_misses(ifetch, sm->now);
    ifetch->look_at = CYCLES_SATURATED;
    for (uint32_t k = 0; k < sm->warp_count; k++) {
        const uint32_t index = (first + k) % sm->warp_count;
        if (!warp_set_has(ifetch->asking, index)) continue;
        const cycles from = sm->warps[index].earliest;
        if (from > sm->now) {
            ifetch->look_at = cycles_min(ifetch->look_at, from);
        } else if (left == 0) {
            ifetch->look_at = sm->now + 1;
            return;
        } else if (begin(sm, index)) {
            left--;
        } else {
            ifetch->look_at = cycles_min(ifetch->look_at, entry_at(ifetch));
        }
    }
}
