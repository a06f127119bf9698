/* What blocks amount to on an SM with several sub-cores: while a chain of instructions that delays a block
 * runs in one sub-core, the units of the others do not hold it up (docs/sub-core-bounds.md). All sums
 * saturate. */
#ifndef WB_BOUND_GRID_CHAIN_WORK_H
#define WB_BOUND_GRID_CHAIN_WORK_H

#include "bound/grid/class_ranking.h"
#include "bound/profile/profile.h"

/* What a block is cut into when its work is counted by sub-cores: its sections, met in time or in the order
 * in which they issue (section 10 there), or nothing. */
enum chain_window { CHAIN_SECTIONS, CHAIN_ISSUED, CHAIN_WHOLE, CHAIN_WINDOWS };

/* What a change of the chain from one sub-core to another can cost. */
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

/* What is known of a block besides its sections. */
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

#endif
