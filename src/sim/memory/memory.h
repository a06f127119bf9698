/* Sectors that a cache waits for: found by address, taken and given back one by one. The miss status holding
 * registers (MSHRs) of a first-level cache, and what a partition of the second level has asked DRAM for. */
#ifndef WB_SIM_MEMORY_MEMORY_H
#define WB_SIM_MEMORY_MEMORY_H

#include <stdint.h>

#include "base/base.h"
#include "base/cycles.h"
#include "machine/machine.h"
#include "memory/caches/caches.h"

#define FETCH_NONE UINT32_MAX

struct fetch {
    uint64_t sector;
    cycles data_at;   /* when the data is there, or CYCLES_SATURATED while that is not known */
    uint32_t waiting; /* the first of those who wait for it: the owner's */
    uint32_t later;   /* the fetch whose data comes next, of a fetch_line */
    uint32_t chain;   /* older fetch of the same bucket; of a free one the next free one */
};

/* Zero-initialised it is empty. */
struct fetch_table {
    struct fetch *items;
    uint32_t *buckets; /* the youngest fetch of each, or FETCH_NONE */
    uint32_t size;     /* of both: a power of two, or 0 */
    uint32_t shift;    /* from a hash to a bucket */
    uint32_t used;     /* fetches in the table */
    uint32_t free;     /* first free item, or FETCH_NONE */
};

/* Fetches in the order in which their data comes. */
struct fetch_line {
    uint32_t first, last; /* FETCH_NONE: there is none */
};

/* Adds a fetch of a sector whose data comes at an unknown time. WB_ERR_LIMIT when memory is exhausted. */
wb_status fetch_table_add(struct fetch_table *table, uint64_t sector, uint32_t *fetch);

void fetch_table_remove(struct fetch_table *table, uint32_t fetch);

void fetch_table_free(struct fetch_table *table);

/* The bucket of a sector of a table that is not empty: multiplicative hashing. */
static inline uint32_t fetch_table_bucket(const struct fetch_table *table, uint64_t sector) {
    return (uint32_t)((sector * UINT64_C(0x9e3779b97f4a7c15)) >> table->shift);
}

/* The youngest fetch of a sector, or FETCH_NONE. */
static inline uint32_t fetch_table_find(const struct fetch_table *table, uint64_t sector) {
    if (table->used == 0) return FETCH_NONE;
    uint32_t fetch = table->buckets[fetch_table_bucket(table, sector)];
    while (fetch != FETCH_NONE && table->items[fetch].sector != sector)
        fetch = table->items[fetch].chain;
    return fetch;
}

/* Puts a fetch behind all others of the line. */
static inline void fetch_line_append(struct fetch_line *line, struct fetch_table *table, uint32_t fetch) {
    table->items[fetch].later = FETCH_NONE;
    if (line->first == FETCH_NONE) {
        line->first = fetch;
    } else {
        table->items[line->last].later = fetch;
    }
    line->last = fetch;
}

/* When the next data of the line comes, or CYCLES_SATURATED. */
static inline cycles fetch_line_next(const struct fetch_line *line, const struct fetch_table *table) {
    return line->first == FETCH_NONE ? CYCLES_SATURATED : table->items[line->first].data_at;
}

/* Removes the fetches whose data is there in cycle `now` from line and table. */
static inline void fetch_line_release(struct fetch_line *line, struct fetch_table *table, cycles now) {
    while (fetch_line_next(line, table) <= now) {
        uint32_t fetch = line->first;
        line->first = table->items[fetch].later;
        fetch_table_remove(table, fetch);
    }
}

/* What is behind the SMs: requests and answers on their way, partitions of the second level with their DRAM,
 * and the one memory of a GPU without caches. */

/* A request on its way down. */
struct gpu_request {
    cycles at; /* when it arrives */
    uint64_t address;
    uint32_t sender; /* what in the SM the answer is for */
    uint8_t kind;    /* enum traffic_kind */
};

/* An answer on its way back. */
struct gpu_answer {
    cycles at; /* when it arrives */
    uint32_t sender;
};

/* Between one SM and one partition: requests in the order of their arrival, answers in the order of the
 * service of their requests. */
struct gpu_mailbox {
    VEC(struct gpu_request) requests;
    VEC(struct gpu_answer) answers;
};

/* A partition of the second level with the DRAM channel behind it: docs/memory-model.md, section 4. Both
 * serve first come, first served, so that the time of an answer is known when its request arrives. */
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

/* The one memory of a GPU without caches, which serves the requests of all SMs one by one:
 * docs/memory-model.md, section 9. */

/* Requests of an SM that wait, in the order of their arrival: those from `first` on. */
struct gpu_line {
    VEC(struct gpu_request) requests;
    size_t first;
};

struct gpu_server {
    const struct machine_memory *memory;
    cycles return_delay;    /* from the end of a service until its answer is sent off to the SM */
    struct gpu_line *lines; /* per SM */
    uint32_t sm_count;
    uint32_t turn;  /* round-robin: the SM behind the one that was served last */
    cycles free_at; /* when it can serve the next request */
};

/* One that has nothing to do; its lines from `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status gpu_server_init(struct gpu_server *server, const struct machine_memory *memory, uint32_t sm_count,
                          struct arena *arena);

/* Takes the requests of all SMs, a mailbox each, and serves as far as it is known who waits: what will arrive
 * later arrives in cycle `known_to` or after it. The answers are put into the mailboxes. *answered: when the
 * first of them arrives; *next: when the next service begins, or CYCLES_SATURATED. WB_ERR_LIMIT when memory
 * is exhausted. */
wb_status gpu_server_run(struct gpu_server *server, struct gpu_mailbox *boxes, cycles known_to,
                         cycles *answered, cycles *next);

void gpu_server_free(struct gpu_server *server);

#endif
