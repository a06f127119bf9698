#include "sim/memory/memory.h"

#include <assert.h>
#include <stdlib.h>

#include "memory/requests/requests.h"

/* ---- Requests under way ---- */

/* Size of the first table, a power of two; largest size. */
#define FETCH_TABLE_MIN 64u
#define FETCH_TABLE_MAX (1u << 30)

static void link_fetch(struct fetch_table *table, uint32_t fetch) {
    uint32_t *bucket = &table->buckets[fetch_table_bucket(table, table->items[fetch].sector)];
    table->items[fetch].chain = *bucket;
    *bucket = fetch;
}

/* Doubles a full table. Fetches have the numbers 0, 1, ... in any order of age then, so the chains are made
 * again from the old ones, oldest first. */
static wb_status grow(struct fetch_table *table) {
    if (table->size >= FETCH_TABLE_MAX) return WB_ERR_LIMIT;
    uint32_t old_size = table->size, *old = table->buckets;
    uint32_t size = old_size == 0 ? FETCH_TABLE_MIN : old_size * 2;
    struct fetch *items = realloc(table->items, size * sizeof *items);
    if (items == NULL) return WB_ERR_LIMIT;
    table->items = items;
    uint32_t *buckets = malloc(size * sizeof *buckets);
    if (buckets == NULL) return WB_ERR_LIMIT;
    for (uint32_t i = 0; i < size; i++)
        buckets[i] = FETCH_NONE;
    table->buckets = buckets;
    table->size = size;
    table->shift = 64 - (uint32_t)__builtin_ctz(size);
    for (uint32_t b = 0; b < old_size; b++) {
        uint32_t reversed = FETCH_NONE;
        for (uint32_t fetch = old[b], next; fetch != FETCH_NONE; fetch = next) {
            next = items[fetch].chain;
            items[fetch].chain = reversed;
            reversed = fetch;
        }
        for (uint32_t fetch = reversed, next; fetch != FETCH_NONE; fetch = next) {
            next = items[fetch].chain;
            link_fetch(table, fetch);
        }
    }
    free(old);
    table->free = old_size;
    for (uint32_t i = old_size; i < size; i++)
        items[i].chain = i + 1 < size ? i + 1 : FETCH_NONE;
    return WB_OK;
}

wb_status fetch_table_add(struct fetch_table *table, uint64_t sector, uint32_t *fetch) {
    if (table->used == table->size) WB_TRY(grow(table));
    uint32_t taken = table->free;
    table->free = table->items[taken].chain;
    table->used++;
    table->items[taken] = (struct fetch){
        .sector = sector, .data_at = CYCLES_SATURATED, .waiting = FETCH_NONE, .later = FETCH_NONE};
    link_fetch(table, taken);
    *fetch = taken;
    return WB_OK;
}

void fetch_table_remove(struct fetch_table *table, uint32_t fetch) {
    assert(table->used > 0 && fetch < table->size);
    uint32_t *at = &table->buckets[fetch_table_bucket(table, table->items[fetch].sector)];
    while (*at != fetch) {
        assert(*at != FETCH_NONE);
        at = &table->items[*at].chain;
    }
    *at = table->items[fetch].chain;
    table->items[fetch].chain = table->free;
    table->free = fetch;
    table->used--;
}

void fetch_table_free(struct fetch_table *table) {
    free(table->items);
    free(table->buckets);
    *table = (struct fetch_table){0};
}

/* ---- Partitions ---- */

wb_status gpu_partition_init(struct gpu_partition *partition, const struct machine_memory *memory,
                             struct arena *arena) {
    struct cache_geometry geometry = memory->l2;
    geometry.bytes /= memory->l2_partitions;
    *partition = (struct gpu_partition){.memory = memory, .arriving = {FETCH_NONE, FETCH_NONE}};
    return cache_init(&partition->cache, &geometry, arena);
}

/* Where the partition's cache has an address: its lines are numbered without those of other partitions. */
static uint64_t own_address(const struct gpu_partition *partition, uint64_t address) {
    const struct machine_memory *memory = partition->memory;
    uint64_t number = address / memory->l2.line_bytes / memory->l2_partitions;
    return number * memory->l2.line_bytes + address % memory->l2.line_bytes;
}

/* The channel serves a line for which it is asked in cycle `asked`; returns when its service ends. */
static cycles use_channel(struct gpu_partition *partition, cycles asked) {
    cycles start = cycles_max(asked, partition->channel_free_at);
    partition->channel_free_at = start + partition->memory->dram_service;
    return partition->channel_free_at;
}

/* When the data of a load is there that looks for it in cycle `look`. */
static wb_status load(struct gpu_partition *partition, uint64_t address, cycles look, bool hit,
                      cycles *there) {
    uint64_t sector = cache_sector_number(&partition->cache.index, address);
    uint32_t fetch;
    fetch_line_release(&partition->arriving, &partition->fetches, look);
    if (hit) {
        partition->hits++;
        fetch = fetch_table_find(&partition->fetches, sector);
        *there = fetch == FETCH_NONE ? look : partition->fetches.items[fetch].data_at;
        return WB_OK;
    }
    partition->misses++;
    partition->reads++;
    *there = use_channel(partition, look) + partition->memory->dram_latency;
    WB_TRY(fetch_table_add(&partition->fetches, sector, &fetch));
    partition->fetches.items[fetch].data_at = *there;
    fetch_line_append(&partition->arriving, &partition->fetches, fetch);
    return WB_OK;
}

wb_status gpu_partition_serve(struct gpu_partition *partition, const struct gpu_request *request,
                              cycles *answered) {
    uint64_t address = own_address(partition, request->address);
    cycles start = cycles_max(request->at, partition->free_at);
    partition->free_at = start + partition->memory->l2_service;
    cycles look = partition->free_at + partition->memory->l2_latency;
    bool is_load = traffic_is_load(request->kind);
    struct cache_outcome outcome =
        is_load ? cache_load(&partition->cache, address) : cache_write_back(&partition->cache, address);
    *answered = look;
    if (is_load) WB_TRY(load(partition, address, look, outcome.hit, answered));
    if (outcome.evicted && outcome.victim.dirty != 0) {
        (void)use_channel(partition, look);
        partition->writes++;
    }
    return WB_OK;
}

void gpu_partition_free(struct gpu_partition *partition) {
    fetch_table_free(&partition->fetches);
}

wb_status gpu_server_init(struct gpu_server *server, const struct machine_memory *memory, uint32_t sm_count,
                          struct arena *arena) {
    *server = (struct gpu_server){.memory = memory, .sm_count = sm_count};
    server->lines = arena_array(arena, sm_count, sizeof *server->lines);
    return server->lines == NULL ? WB_ERR_LIMIT : WB_OK;
}

static const struct gpu_request *head(const struct gpu_line *line) {
    return line->first < line->requests.count ? &line->requests.items[line->first] : NULL;
}

/* Puts an SM's requests behind those that wait. */
static wb_status take_requests(struct gpu_line *line, struct gpu_mailbox *box) {
    if (box->requests.count == 0) return WB_OK;
    size_t left = line->requests.count - line->first;
    for (size_t i = 0; i < left; i++)
        line->requests.items[i] = line->requests.items[line->first + i];
    line->requests.count = left;
    line->first = 0;
    WB_TRY(vec_reserve(&line->requests, box->requests.count));
    for (size_t i = 0; i < box->requests.count; i++)
        line->requests.items[line->requests.count++] = box->requests.items[i];
    box->requests.count = 0;
    return WB_OK;
}

/* When the next service begins, or CYCLES_SATURATED. */
static cycles next_service(const struct gpu_server *server) {
    cycles first = CYCLES_SATURATED;
    for (uint32_t s = 0; s < server->sm_count; s++) {
        const struct gpu_request *request = head(&server->lines[s]);
        if (request != NULL) first = cycles_min(first, request->at);
    }
    return first == CYCLES_SATURATED ? first : cycles_max(first, server->free_at);
}

/* The SM whose first request is served in cycle `start`: some request has arrived by then. */
static uint32_t choose(const struct gpu_server *server, cycles start) {
    const bool in_turns = server->memory->arbiter == ARBITER_ROUND_ROBIN;
    uint32_t chosen = 0;
    cycles arrival = CYCLES_SATURATED;
    for (uint32_t i = 0; i < server->sm_count; i++) {
        uint32_t sm = in_turns ? (server->turn + i) % server->sm_count : i;
        const struct gpu_request *request = head(&server->lines[sm]);
        if (request == NULL || request->at > start) continue;
        if (in_turns) return sm;
        if (request->at >= arrival) continue;
        arrival = request->at;
        chosen = sm;
    }
    return chosen;
}

wb_status gpu_server_run(struct gpu_server *server, struct gpu_mailbox *boxes, cycles known_to,
                         cycles *answered, cycles *next) {
    *answered = CYCLES_SATURATED;
    for (uint32_t s = 0; s < server->sm_count; s++)
        WB_TRY(take_requests(&server->lines[s], &boxes[s]));
    while ((*next = next_service(server)) < known_to) {
        uint32_t sm = choose(server, *next);
        struct gpu_line *line = &server->lines[sm];
        server->free_at = *next + server->memory->service;
        server->turn = sm + 1;
        const struct gpu_answer answer = {server->free_at + server->return_delay,
                                          line->requests.items[line->first++].sender};
        WB_TRY(vec_push(&boxes[sm].answers, answer));
        *answered = cycles_min(*answered, answer.at);
    }
    return WB_OK;
}

void gpu_server_free(struct gpu_server *server) {
    for (uint32_t s = 0; server->lines != NULL && s < server->sm_count; s++)
        vec_free(&server->lines[s].requests);
}
