/* The memory system of a machine: how the addresses of a warp's lanes become requests, the caches, and what
 * lies below them. docs/memory-model.md says what each stage does. */
#ifndef WB_MACHINE_MEMORY_H
#define WB_MACHINE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/field.h"

/* Bytes that the lanes of a warp are coalesced into. */
#define MEMORY_LINE_BYTES 128u
#define MEMORY_SECTOR_BYTES 32u

/* Banks of shared memory and the bytes of each that one cycle serves. */
#define SHARED_BANKS 32u
#define SHARED_BANK_BYTES 4u

/* Most sectors of a line. */
#define CACHE_SECTORS_MAX 32u

/* How lanes become requests. */
enum memory_requests {
    REQUESTS_IDEAL, /* one pipelined transaction an instruction, whatever its addresses (ECRTS'25) */
    REQUESTS_FERMI, /* one request a line of 128 bytes */
    REQUESTS_VOLTA, /* one request a sector of 32 bytes */
};

/* What a store does to a line that the first-level cache holds. It never allocates, and always goes on to
 * the second level. */
enum store_policy {
    STORE_EVICTS,  /* write-evict, as GPGPU-Sim's Fermi configuration */
    STORE_UPDATES, /* write-through: the line stays, as the most recently used */
};

/* What a miss does when the least recently used line of its set waits for its own data. */
enum reserved_victim {
    VICTIM_BYPASSED, /* takes its place; the data, when it comes, goes to the waiting warps only */
    VICTIM_STALLS,   /* waits until the data has come */
};

/* How the one memory of a GPU without caches chooses among the SMs whose requests wait for it. */
enum memory_arbiter {
    ARBITER_FIFO,        /* the request that came first; of one cycle that of the lowest SM */
    ARBITER_ROUND_ROBIN, /* the next SM behind the one that was served last */
    ARBITER_ANY,         /* anyhow; simulated as ARBITER_FIFO */
};

/* How blocks come to SMs. */
enum block_dispatch {
    DISPATCH_STATIC,      /* block b runs on SM b mod sms, in the order of b */
    DISPATCH_GREEDY,      /* the next block goes to whichever SM has a free slot first */
    DISPATCH_ROUND_ROBIN, /* ... to the next SM with a free slot behind the one that got the last block */
    DISPATCH_MOST_FREE,   /* ... to the SM with most free slots */
};

struct cache_geometry {
    uint32_t bytes, ways;  /* bytes 0: no cache */
    uint32_t line_bytes;   /* a power of two */
    uint32_t sector_bytes; /* what a miss fetches: a power of two, at most line_bytes */
    bool hashed;           /* set index from all bits of the line number, not from its lowest only */
};

struct machine_memory {
    uint32_t requests;       /* enum memory_requests */
    uint32_t request_cycles; /* that the load/store unit and the first-level cache take for a request */
    uint32_t service;     /* cycles of the memory that all SMs share for a request; 0: nobody waits for it */
    uint32_t arbiter;     /* enum memory_arbiter */
    uint32_t outstanding; /* requests of an SM that may be on their way at a time; 0: any number */
    struct cache_geometry l1, l2;
    uint32_t l1_store;               /* enum store_policy */
    uint32_t l1_victim;              /* enum reserved_victim */
    uint32_t l1_latency;             /* cycles from a request's turn to its data on a hit */
    uint32_t l1_mshrs;               /* lines that an SM waits for at a time */
    uint32_t noc_latency;            /* cycles on the way from an SM to the second level, and back */
    uint32_t l2_partitions;          /* lines are spread over them in turn */
    uint32_t l2_latency, l2_service; /* cycles from service to answer; between two requests to a partition */
    uint32_t dram_latency, dram_service; /* the same of the channel behind a partition */
    uint32_t reply_service;              /* cycles between two answers to an SM */
    uint32_t sms;
    uint32_t dispatch;                /* enum block_dispatch */
    uint32_t dispatch_latency;        /* cycles from the end of a block to the first issue of its successor */
    uint32_t dispatch_service;        /* cycles that the one dispatcher of all SMs takes for a block */
    uint32_t channels, channel_depth; /* of the reordering extension (JCSE'17): one a warp; its entries */
};

/* Table of struct machine_memory: the key `memory` of a machine file. */
extern const struct field machine_memory_fields[];

/* A memory system of which a file says nothing: ideal requests, no caches. */
void machine_memory_defaults(struct machine_memory *memory);

/* Whether the parts fit together. False with a sentence of what is wrong in *problem. */
bool machine_memory_check(const struct machine_memory *memory, struct text *problem);

/* The rule of requests by its name in a machine file. */
const char *memory_requests_name(const struct machine_memory *memory);

/* The arbiter by its name in a machine file. */
const char *memory_arbiter_name(const struct machine_memory *memory);

/* Whether the machine has a memory hierarchy below the load/store unit. */
static inline bool memory_has_hierarchy(const struct machine_memory *memory) {
    return memory->l1.bytes != 0;
}

/* Whether the dispatcher gives a block to any SM with a free slot, so that no slot stays empty while blocks
 * are left; else block b runs on SM b modulo their number. */
static inline bool memory_dispatch_is_dynamic(const struct machine_memory *memory) {
    return memory->dispatch != DISPATCH_STATIC;
}

/* Whether requests wait for one memory that all SMs share: on a machine without caches that counts requests
 * (docs/memory-model.md, section 9). */
static inline bool memory_is_contended(const struct machine_memory *memory) {
    return memory->service != 0 && memory->requests != REQUESTS_IDEAL && !memory_has_hierarchy(memory);
}

/* Bytes of one request. */
static inline uint32_t memory_request_bytes(const struct machine_memory *memory) {
    return memory->requests == REQUESTS_VOLTA ? MEMORY_SECTOR_BYTES : MEMORY_LINE_BYTES;
}

/* Cycles from the end of a request's turn at the first level until its data is back, when nothing is in its
 * way: only stages that any number of requests can be in at once, without the services. */
static inline uint32_t memory_miss_latency(const struct machine_memory *memory) {
    return 2 * memory->noc_latency + memory->l2_latency + memory->dram_latency;
}

#endif
