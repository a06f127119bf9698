/* What requests to the memory system can cost: latencies without queues, and for how many cycles servers are
 * busy and the first level stalls in all (docs/memory-bounds.md, section 4). */
#ifndef WB_BOUND_CACHE_MEMORY_TIMES_H
#define WB_BOUND_CACHE_MEMORY_TIMES_H

#include "base/cycles.h"
#include "machine/memory.h"

/* Cycles from the end of a request's turn at the first level until its data (or acknowledgement) is there,
 * those in which a server is busy not counted. */
struct request_latencies {
    cycles hit;   /* of a load whose data is surely there */
    cycles miss;  /* of any other load */
    cycles write; /* of a store or an atomic */
};

struct request_latencies request_latencies_of(const struct machine_memory *memory);

/* Requests of some blocks, or bounds on them. */
struct request_counts {
    uint64_t loads;   /* to the first level */
    uint64_t misses;  /* of these, what can go on to the second */
    uint64_t stores;  /* all go on */
    uint64_t atomics; /* all go on */
};

/* The sum of two counts. */
struct request_counts request_counts_add(struct request_counts a, struct request_counts b);

/* Cycles in which the second level or DRAM can be busy with the requests of all SMs: every request is served
 * once at the second level; DRAM serves at most `fetches` misses and `write_backs` evicted lines. */
cycles memory_services(const struct machine_memory *memory, const struct request_counts *all,
                       uint64_t fetches, uint64_t write_backs);

/* Cycles in which the answers to requests occupy their SM. */
cycles memory_replies(const struct machine_memory *memory, const struct request_counts *sm);

/* Cycles in which the first level of an SM can stall while no server is busy, with these requests in all and
 * at most `in_flight` requests of loads at a time between issue and completion. */
cycles memory_stalls(const struct machine_memory *memory, const struct request_counts *sm,
                     uint64_t in_flight);

#endif
