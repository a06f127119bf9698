/* A partition of the second level with the DRAM channel behind it: docs/memory-model.md, section 4. Both
 * serve first come, first served, so that the time of an answer is known when its request arrives. */
#ifndef WB_SIM_GPU_PARTITION_H
#define WB_SIM_GPU_PARTITION_H

#include "memory/caches/cache.h"
#include "sim/fetch_table.h"
#include "sim/gpu_messages.h"

struct gpu_partition {
    const struct machine_memory *memory;
    struct cache cache;
    cycles free_at;             /* when it can serve the next request */
    cycles channel_free_at;     /* when the DRAM channel can */
    struct fetch_table fetches; /* sectors on their way from DRAM */
    struct fetch_line arriving; /* the same in the order of their data */
    uint64_t hits, misses;      /* of loads */
    uint64_t reads, writes;     /* of DRAM */
};

/* An empty one, its lines from `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status gpu_partition_init(struct gpu_partition *partition, const struct machine_memory *memory,
                             struct arena *arena);

/* Serves the next request in the order of arrival; *answered: when its answer leaves. */
wb_status gpu_partition_serve(struct gpu_partition *partition, const struct gpu_request *request,
                              cycles *answered);

void gpu_partition_free(struct gpu_partition *partition);

/* The partition of an address. */
static inline uint32_t gpu_partition_of(const struct machine_memory *memory, uint64_t address) {
    return (uint32_t)(address / memory->l2.line_bytes % memory->l2_partitions);
}

#endif
