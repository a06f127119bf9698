#include "sim/gpu_partition.h"

#include "memory/requests/traffic.h"

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
    bool is_load = request->kind == TRAFFIC_LOAD;
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
