/* The work of a grid on a machine with caches, in sums, and the cost of its requests to the memory system:
 * terms of the bounds of whole grids (docs/memory-bounds.md, sections 3 and 4). All sums saturate. */
#ifndef WB_BOUND_CACHE_MEMORY_WORK_H
#define WB_BOUND_CACHE_MEMORY_WORK_H

#include "base/cycles.h"
#include "bound/method/kernel_time.h"
#include "machine/machine.h"
#include "memory/requests/requests.h"
#include "sim/gpu/gpu.h"

struct must_hits;

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

/* Cycles in which the answers to requests occupy their SM. */
cycles memory_replies(const struct machine_memory *memory, const struct request_counts *sm);

/* How often the requests of a grid can reach DRAM: sets of the second level that all their lines fit in fetch
 * each sector once and write nothing back, in whatever order the requests come. */
struct dram_demand {
    uint64_t fetches;     /* of sectors that loads miss, whatever the first levels let through */
    uint64_t write_backs; /* of dirty lines that are evicted */
    uint64_t left_dirty;  /* lines written that can still be there in the end, to be written back later */
};

/* Bounds of them for all blocks of the grid together. WB_ERR_LIMIT without a message when memory is
 * exhausted. */
wb_status dram_demand_of(const struct traffic *traffic, struct dram_demand *demand);

/* Sums over the instructions of a block, or of some blocks. */
struct block_work {
    cycles initiations; /* E: cycles that units are busy */
    cycles turns;       /* that all requests of the first level take */
    struct request_counts requests;
};

struct memory_work {
    struct arena arena;
    const struct wb_machine *machine;
    const struct timed_grid *timed;
    const struct gpu_scheme *scheme;
    uint32_t resident;      /* blocks that an SM holds at a time, at most those of the grid */
    bool registers_ignored; /* the registers of a thread are not known, and with more of them it would hold
                               fewer */
    uint32_t block_count;
    struct block_work *variants; /* per variant of the traffic: of a block; all loads count as misses */
    struct block_work total;     /* of the grid */
    struct dram_demand demand;
    uint32_t request_units; /* of an isolated block, as bits: that its requests leave by */
    bool in_objects;        /* some unknown address is taken to stay inside of what it is made from */
    uint64_t most_requests; /* of any instruction */
    uint64_t in_flight;     /* requests of loads that an SM can have between issue and completion */
};

/* Walks through the grid, which must outlive the result. Errors, each with a message: WB_ERR_INPUT when no
 * block fits on an SM; WB_ERR_LIMIT when memory is exhausted. memory_work_free in any case. */
wb_status memory_work_make(const struct timed_grid *timed, const struct gpu_scheme *scheme,
                           wb_diagnostics *diagnostics, struct memory_work *work);

void memory_work_free(struct memory_work *work);

/* The work of a block of the grid. */
static inline const struct block_work *memory_work_of(const struct memory_work *work, uint32_t block) {
    return &work->variants[work->timed->traffic.block_variants[block]];
}

/* Requests of loads of a block that are no must hits; `hits` is of its SM. */
uint64_t memory_work_unsure_loads(const struct memory_work *work, const struct must_hits *hits,
                                  uint32_t block);

/* The work of each SM that has blocks under static dispatch, with `idle` 0, in an array from `arena`; NULL
 * when memory is exhausted. */
struct sm_work *memory_work_of_sms(const struct memory_work *work, struct arena *arena);

/* SMs that have blocks. */
uint32_t memory_work_sms(const struct memory_work *work);

/* Cycles in which the second level or DRAM can be busy when the first levels of all SMs let through `misses`
 * loads (section 4, lemma 2). */
cycles memory_work_services(const struct memory_work *work, uint64_t misses);

/* The work of the memory for an SM with requests `sm` when the first levels of all SMs let through `misses`
 * loads: requests of the grid that reach the second level, and those of them that reach DRAM; answers to the
 * SM, and how long its first level stalls. */
struct memory_counts {
    uint64_t below, fetches, write_backs;
    uint64_t answers;
    cycles stalls;
};
struct memory_counts memory_work_counts(const struct memory_work *work, uint64_t misses,
                                        const struct request_counts *sm);

/* The work of an SM, and the cycles that it can be idle until its last block ends. */
struct sm_work {
    struct block_work work;
    cycles idle;
};

/* Section 3: when the last of the SMs ends, by the sum of its busy, serving, stalled and idle cycles. */
struct kernel_time memory_work_time(const struct memory_work *work, const struct sm_work *sms,
                                    uint32_t sm_count);

#endif
