/* What is behind the SMs: requests and answers on their way, partitions of the second level with their DRAM,
 * and the one memory of a GPU without caches. */
#ifndef WB_SIM_MEMORY_PARTITIONS_H
#define WB_SIM_MEMORY_PARTITIONS_H

#include "base/arena.h"
#include "base/cycles.h"
#include "machine/machine.h"
#include "memory/caches/cache.h"
#include "sim/memory/fetch_table.h"

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
