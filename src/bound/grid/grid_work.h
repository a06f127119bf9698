/* A grid of blocks as the bounds of whole kernels see it: block classes, each in a few sums, and the slots
 * that they take one after another (docs/proofs.md, section 12). All sums saturate (base/base.h): a grid
 * can have any number of blocks. */
#ifndef WB_BOUND_GRID_GRID_WORK_H
#define WB_BOUND_GRID_GRID_WORK_H

#include "bound/grid/block_requests.h"
#include "bound/grid/chain_work.h"
#include "bound/grid/class_ranking.h"
#include "bound/grid/fetch_time.h"
#include "bound/grid/oldest_times.h"
#include "bound/profile/profile.h"
#include "bound/sass/code_profile.h"
#include "bound/sass/cold_sets.h"

/* What misses that each line of machine code makes once add to a block that comes first (docs/
 * machine-code-bounds.md, section 6): beside its times, or to these and to what it holds. */
struct cold_times {
    cycles shared, chain; /* V and F */
    cycles longer, held;  /* CYCLES_SATURATED: not known */
};

/* Blocks whose warps execute the same instructions at the same cost. */
struct block_class {
    uint64_t blocks;       /* of the grid */
    uint32_t first;        /* index in the grid of the first of them */
    uint64_t instructions; /* of a block, all its warps */
    cycles initiations;    /* E: cycles that units are busy with a block */
    cycles latency;        /* lam: its longest chain of latencies, the releases of barriers included */
    cycles residency; /* alpha: its residence takes at most alpha plus all initiations of others meanwhile */
    cycles held;      /* H: as what counts of it as one of these others: of PTX its initiations */
    cycles isolated;  /* its residence takes at most so long when it has an SM to itself */
    uint64_t fetches; /* of instructions, of a block; 0 where they never stall */
    struct request_load load; /* on the memory that all SMs share; else zero */
    cycles stalls;            /* counted in all times above: waiting for the limit on requests */
    struct block_chain chain;
    struct cold_times cold;      /* of machine code */
    uint64_t atomics;            /* likewise: of global memory, of a block */
    cycles serial;               /* V: its serial time; CYCLES_SATURATED: not known */
    struct oldest_times *oldest; /* NULL: not known */
    cycles *units; /* per unit of the machine, of E what is behind the first cycle of each initiation */
    const struct timed_block *timed; /* what a block executes, of whoever made the class */
};

/* Requests of the whole grid to the memory that all SMs share; zero without one. */
struct contention {
    uint64_t requests;
    uint64_t most;      /* of one instruction */
    uint64_t in_flight; /* of an SM at a time */
    uint32_t units;     /* bit u: instructions of unit u make requests */
    cycles wait;        /* until a request has been served, which latencies count; 0: they do not */
};

/* Where the oldest block's warps issue first: of all blocks, with the longest initiations of any. */
struct oldest_work {
    bool known;
    uint32_t init[MACHINE_UNITS_MAX]; /* per unit the longest of the grid */
    cycles chain_most;
    struct class_ranking by_time;
};

struct grid_work {
    struct arena arena;
    const struct wb_machine *machine;
    struct contention contention;
    struct grid_work *in_order;      /* the same grid, latencies counting the most that a request waits for a
                                        memory that serves in a known order; or NULL */
    struct grid_work *published;     /* the same as published; or NULL */
    const struct wb_block *covering; /* one of the blocks, where their paths are covering ones; else NULL */
    assumed_set assumed;             /* of the code of all classes */
    VEC(struct block_class) classes;
    struct code_lines code; /* that any block fetches */
    uint32_t *class_of;     /* per block of the grid */
    uint32_t block_count;
    uint32_t warps;                         /* of a block, at most */
    uint32_t resident_least, resident_most; /* blocks that an SM holds at a time: unless the registers of a
                                               thread are known, any number between these */
    uint32_t slots;                         /* of an SM at most, also those that stay empty in any case */
    struct class_ranking by_initiations;    /* E */
    struct class_ranking by_held;           /* H */
    struct class_ranking by_residency,
        by_isolated;                    /* alpha, E at least; solo. Where SMs share a memory, E + lam */
    cycles latency_total, latency_most; /* of all blocks; of any block */
    struct chain_work chains;
    struct cold_sets cold_sets;     /* of machine code: lines that are missed once, */
    struct cold_times cold;         /* and what that takes of any block at most */
    struct class_ranking by_serial; /* V */
    struct oldest_work oldest;
};

/* Adds a class of which there are no blocks yet; `profile` is that of `timed`. WB_ERR_LIMIT without a message
 * when memory is exhausted. */
wb_status grid_work_add_class(struct grid_work *work, const struct timed_block *timed,
                              const struct block_profile *profile);

/* The same of machine code on a machine that times it; `cold` is its profile with misses on the paths. */
wb_status grid_work_add_code_class(struct grid_work *work, const struct timed_block *timed,
                                   const struct code_profile *profile, const struct code_profile *cold);

/* Notes that the next block is of a class; there must be room in work->class_of. */
void grid_work_add_block(struct grid_work *work, uint32_t class);

/* Sums up; no classes or blocks can be added behind it. WB_ERR_LIMIT without a message when memory is
 * exhausted. */
wb_status grid_work_finish(struct grid_work *work);

/* Takes over what is proven of a block of a class that has an SM to itself, where that is less: behind
 * grid_work_finish, and not where SMs share a memory. grid_work_rank_isolated is to be called behind the
 * last. */
void grid_work_sharpen(struct grid_work *work, uint32_t class, cycles proven);
wb_status grid_work_rank_isolated(struct grid_work *work);

/* The same, and chains of classes that were changed. */
wb_status grid_work_rank_again(struct grid_work *work);

void grid_work_free(struct grid_work *work);

/* E^n: the initiations of the n blocks that have most of them. */
cycles grid_work_most(const struct grid_work *work, uint64_t n);

/* H^n: what so many blocks count as others. */
cycles grid_work_held(const struct grid_work *work, uint64_t n);

/* A^n: the same of their residencies; `isolated`: of blocks that have an SM to themselves. */
cycles grid_work_residencies(const struct grid_work *work, bool isolated, uint64_t n);

/* Until n blocks that start together, whichever they are, have all ended: the largest alpha of one with the
 * initiations of the n - 1 others that have most of them; of one block the largest `solo`. */
cycles grid_work_together(const struct grid_work *work, uint64_t n);

/* The initiations of all blocks. */
static inline cycles grid_work_total(const struct grid_work *work) {
    return class_ranking_total(&work->by_initiations);
}

/* Atomics of global memory of machine code, of all blocks. */
uint64_t grid_work_atomics(const struct grid_work *work);

/* What instruction fetch, and of machine code all that is missed once only, adds, 0 where it never stalls: on
 * an SM that gets `blocks` blocks, whichever they are, of which it holds `resident` at a time; on all SMs
 * together; on one that a block of a class has to itself. */
cycles grid_work_fetch_time(const struct grid_work *work, uint64_t blocks, uint64_t resident);
cycles grid_work_fetch_time_of_all(const struct grid_work *work, uint64_t resident);
cycles grid_work_fetch_time_of_block(const struct grid_work *work, uint32_t class);

/* Whether blocks go to any SM with a free slot. */
static inline bool grid_work_is_dynamic(const struct grid_work *work) {
    return memory_dispatch_is_dynamic(&work->machine->memory);
}

#endif
