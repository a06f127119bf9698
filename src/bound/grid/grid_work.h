/* What whole kernels do, in sums: classes of blocks by several measures (docs/proofs.md, section 12). */
#ifndef WB_BOUND_GRID_GRID_WORK_H
#define WB_BOUND_GRID_GRID_WORK_H

#include "base/base.h"
#include "base/cycles.h"
#include "bound/grid/block_requests.h"
#include "bound/profile/profile.h"
#include "bound/sass/code_profile.h"
#include "bound/sass/cold_sets.h"
#include "memory/requests/requests.h"

/* Things that are there several times each, such as the blocks of a class, in the order of some cycles that
 * they take: what the first of them sum up to. All sums saturate. */

/* A class and what classes are sorted by. */
struct ranked_class {
    cycles each;
    uint32_t class;
};

/* For qsort: the most cycles first, then the class that was added first. */
int ranked_classes_compare(const void *a, const void *b);

/* The classes in that order, and sums over the blocks of those in front. */
struct class_ranking {
    size_t count;
    uint32_t *classes;
    uint64_t *blocks_before; /* count + 1 */
    cycles *sum_before;      /* count + 1 */
    const struct class_ranking
        *without;  /* the same blocks without passes of loops that are counted in all, */
    cycles passes; /* and what all of these amount to; or NULL */
};

/* Ranks `count` classes with blocks[k] blocks each, which `ranked` lists in any order and which is sorted by
 * this. WB_ERR_LIMIT when memory is exhausted; no message. */
wb_status class_ranking_make(struct arena *arena, struct ranked_class *ranked, size_t count,
                             const uint64_t *blocks, struct class_ranking *ranking);

/* The sum over the first n blocks; of all where there are fewer. No n blocks sum up to more, as each is
 * ranked, */
cycles class_ranking_sum_each(const struct class_ranking *ranking, uint64_t n);

/* and in any execution. */
cycles class_ranking_sum(const struct class_ranking *ranking, uint64_t n);

/* The sum over all of them. */
static inline cycles class_ranking_total(const struct class_ranking *ranking) {
    return class_ranking_sum(ranking, UINT64_MAX);
}

/* The work of blocks on an SM with several sub-cores: while a chain of instructions that delays a block runs
 * in one sub-core, the units of the others do not delay it (docs/sub-core-bounds.md). All sums saturate. */

/* The windows in which the work of a block is counted by sub-cores: its sections, met in time or in the order
 * in which they issue (section 10 there), or the whole block. */
enum chain_window { CHAIN_SECTIONS, CHAIN_ISSUED, CHAIN_WHOLE, CHAIN_WINDOWS };

/* The cost of a change of the chain from one sub-core to another. */
struct chain_extra {
    cycles each;
    uint64_t count;
};

/* A block cut into windows. */
struct chain_share {
    cycles work;   /* W: of each window the work of its busiest sub-core, and all on units that they share */
    cycles own;    /* what its stay takes besides, but for initiations of others: beta less W */
    cycles beyond; /* its other work: no extras count more than that */
    const struct chain_extra *extras; /* X: work of the other sub-cores, and what windows leave behind */
    size_t extra_count;
};

struct block_chain {
    uint64_t turns; /* the most sub-cores that its own chain runs in, one behind the other */
    bool known[CHAIN_WINDOWS];
    struct chain_share shares[CHAIN_WINDOWS];
};

/* The demand of a block besides its sections. */
struct chain_demand {
    cycles initiations; /* E */
    cycles latency;     /* lam, with releases */
    cycles residency;   /* it stays no longer than that and all initiations of others meanwhile: alpha */
    bool covering;      /* it stands for blocks that execute parts of its paths */
};

/* Fills in what a block is. Arrays come from `arena`; WB_ERR_LIMIT without a message when memory is
 * exhausted.
 */
wb_status block_chain_make(const struct block_profile *profile, const struct chain_demand *demand,
                           struct arena *arena, struct block_chain *chain);

/* Counts `stalls` cycles in which units wait for the limit on requests as work that every chain meets. */
void block_chain_charge(struct block_chain *chain, cycles stalls);

/* The blocks of a grid, cut into windows. */
struct chain_pool {
    bool known; /* of all blocks */
    struct class_ranking by_work, by_own, by_beyond;
    struct class_ranking extras; /* of all blocks, not by class */
};

/* A grid of them. */
struct chain_work {
    uint64_t turns_most, turns_total;
    struct class_ranking by_all; /* work of whatever sub-core: E, with what was charged */
    struct chain_pool pools[CHAIN_WINDOWS];
};

/* The blocks of a class, and how many there are. */
struct chain_class {
    const struct block_chain *chain;
    uint64_t blocks;
};

/* Sums up `count` classes. */
wb_status chain_work_make(const struct chain_class *classes, size_t count, struct arena *arena,
                          struct chain_work *work);

/* TOP_changes(n): what so many changes of sub-core can cost among n blocks. */
cycles chain_pool_extras(const struct chain_pool *pool, uint64_t changes, uint64_t n);

/* The work of a block of machine code by sub-cores (docs/machine-code-bounds.md, theorem 5). */

/* As block_chain_make, not cut at barriers; `latency` is lam, with releases. */
wb_status code_chain_make(const struct code_profile *profile, cycles latency, struct arena *arena,
                          struct block_chain *chain);

/* The time that instruction fetch adds to a bound of the same instructions without it, on machines with an
 * instruction cache: the cycles in which some warp can be waiting for its next instruction (docs/proofs.md,
 * section 15). */

/* Lines of code, as a set of bits. Zero-initialised it is empty. */
struct code_lines {
    VEC(uint64_t) words;
};

/* Adds the lines of all instructions that warps of the block fetch. WB_ERR_LIMIT without a message when
 * memory is exhausted. */
wb_status code_lines_add(struct code_lines *lines, const struct timed_block *block);

void code_lines_free(struct code_lines *lines);

/* Fetches that all warps of the block begin at most, whatever parts of their paths they execute. */
wb_status code_fetches(const struct timed_block *block, uint64_t *fetches);

/* The same by entry of the code: counts[i] grows by the fetches that the entry begins. */
wb_status code_fetch_counts(const struct timed_block *block, uint64_t *counts);

/* The most fetches of a block of a grid, and the lines of all of them. */
wb_status grid_fetches(const struct timed_grid *timed, struct code_lines *lines, uint64_t *most);

/* The demand on the instruction caches of some SMs. */
struct fetch_demand {
    uint64_t fetches;
    const struct code_lines *lines;
    uint64_t sms;   /* that have a part in it */
    uint64_t warps; /* that an SM holds at a time, at most */
};

/* Counts the lines; whether no set of the cache has to hold more of them than it has room for. */
bool code_lines_fit(const struct code_lines *lines, const struct machine_fetch *fetch, uint64_t *count);

/* The cycles, or CYCLES_SATURATED; 0 where fetch never stalls. */
cycles fetch_time(const struct machine_fetch *fetch, const struct fetch_demand *demand);

/* The time that a block adds to an SM however its warps and those of other blocks share it: section by
 * section the sub-core with the largest sum of work and latencies (docs/sub-core-bounds.md, serial times). */

/* Instructions of all distinct paths of a block that are walked for it; a block with more has no serial time.
 */
#define SERIAL_STEPS_MAX (UINT64_C(1) << 22)

/* V(b) of a block of real paths, or of covering ones without barriers. *time is saturated where it is not
 * known: the paths are longer, or cover others with barriers. WB_ERR_LIMIT without a message when memory is
 * exhausted. */
wb_status serial_time_of(const struct block_profile *profile, bool covering, cycles *time);

/* The same of a block whose paths are walked and real, with parts of it. */
struct serial_sums {
    cycles time;  /* V(b) */
    cycles chain; /* of each section the longest chain of latencies, its release included */
};

bool serial_can_walk(const struct timed_block *timed);

/* `blocking`, per unit of the machine: what every instruction on it may wait for besides operands and other
 * instructions that count; NULL: nothing. WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status serial_sums_of(const struct block_profile *profile, const cycles *blocking,
                         struct serial_sums *sums);

/* The time of a block if the oldest block's warps issue first: younger blocks delay an instruction at most by
 * the initiation that its unit has begun before (docs/policy-bounds.md, oldest first). */

/* The time of a block whose instructions initiations as long as `init` delay. */
struct oldest_times {
    struct serial_sums sums;
    uint32_t init[MACHINE_UNITS_MAX]; /* per unit the longest of the grid that was known when it was made */
    uint64_t executed[MACHINE_UNITS_MAX]; /* per unit, instructions of all distinct paths */
};

/* Why such times are not known of any block on a machine, or NULL. */
const char *oldest_objection(const struct wb_machine *machine);

/* `init`: the longest initiations per unit of all blocks before this one, to which its own are added. *times
 * is from the arena, or NULL where they are not known, as serial_time_of has it. WB_ERR_LIMIT without a
 * message when memory is exhausted. */
wb_status oldest_times_of(const struct block_profile *profile, bool covering, uint32_t *init,
                          struct arena *arena, struct oldest_times **times);

/* The sums where initiations are as long as `init`, no less than what they were made with. */
struct serial_sums oldest_sums(const struct oldest_times *times, const uint32_t *init);

/* A grid of blocks as the bounds of whole kernels see it: block classes, each in a few sums, and the slots
 * that they take one after another (docs/proofs.md, section 12). All sums saturate (base/base.h): a grid
 * can have any number of blocks. */

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
    struct cold_times cold;             /* of machine code */
    uint64_t atomics;                   /* likewise: of global memory, of a block; */
    uint64_t requests;                  /* requests_of it */
    cycles serial;                      /* V: its serial time; CYCLES_SATURATED: not known */
    struct oldest_times *oldest;        /* NULL: not known */
    const struct counted_loop *counted; /* as in grid_work.counted; its passes are of a block */
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
    struct grid_work *without;       /* the same without passes of loops that are counted in all; or NULL */
    struct counted_loops counted;    /* these loops, with what a pass takes at most in any block */
    const struct wb_block *covering; /* one of the blocks, where their paths are covering ones; else NULL */
    struct timed_code covered;       /* then of machine code what any of them executes */
    assumed_set assumed;             /* of the code of all classes */
    VEC(struct block_class) classes;
    struct code_lines code;                 /* that any block fetches */
    uint32_t *class_of;                     /* per block of the grid, or per block that stands for several: */
    uint32_t followed, block_count;         /* how many there are of these, and of all that they stand for */
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

/* Says of the class that was added last which loops are counted apart, in memory of work->arena, and what its
 * blocks amount to without them. */
wb_status grid_work_add_counted(struct grid_work *work, const struct code_profile *profile,
                                const struct counted_loops *counted);

/* Has the sums over blocks hold for all executions in which no loop is passed more often in all than facts
 * say. All classes are ranked. */
void grid_work_count_passes(struct grid_work *work);

/* Notes that the next block is of a class, and how many blocks it stands for; there must be room in
 * work->class_of. */
void grid_work_add_block(struct grid_work *work, uint32_t class, uint64_t blocks);

/* Whether some stands for several. */
static inline bool grid_work_is_counted(const struct grid_work *work) {
    return work->followed != work->block_count;
}

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

/* Atomics of global memory of machine code, of all blocks; and their requests. */
uint64_t grid_work_atomics(const struct grid_work *work);
uint64_t grid_work_requests(const struct grid_work *work);

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
