/* Every order in which requests of a small grid can reach the first-level cache of an SM, when it is not
 * known which of them are made and to which lines: each access that is perhaps executed is or is not, each
 * unknown address is every line of its range. What is said of hits of such grids is held against it. It
 * shares nothing with the library, nor with every_order.h, which knows all requests. */
#ifndef WB_TESTS_PERHAPS_ORDERS_H
#define WB_TESTS_PERHAPS_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

#define PERHAPS_BLOCKS 2u
#define PERHAPS_WARPS 3u
#define PERHAPS_OPS 12u /* of a warp */
#define PERHAPS_LANES 3u
#define PERHAPS_SETS 2u
#define PERHAPS_WAYS 3u
#define PERHAPS_PHASES 3u /* of the blocks, with a barrier between two */

enum perhaps_kind {
    PERHAPS_LOAD,
    PERHAPS_STORE,
    PERHAPS_ATOMIC,
    PERHAPS_EXIT, /* the warp ends, or perhaps */
};

/* A lane's part in an access: none if `lines` is 0. */
struct perhaps_lane {
    bool maybe_executed;  /* it may be switched off */
    uint8_t first, lines; /* it accesses any of the lines from `first` on; line n is of set n mod sets */
};

struct perhaps_op {
    enum perhaps_kind kind;
    bool maybe_executed; /* the warp may not execute it at all */
    uint8_t phase;       /* barriers in front of it, executed or not; ascending */
    struct perhaps_lane lanes[PERHAPS_LANES];
};

struct perhaps_warp {
    struct perhaps_op ops[PERHAPS_OPS];
    uint32_t count;
};

struct perhaps_grid {
    uint32_t blocks, warps; /* of a block */
    uint32_t resident;      /* blocks at a time */
    uint32_t phases;
    bool skipped[PERHAPS_PHASES]; /* the barrier in front of the phase is perhaps executed: by all or none */
    struct perhaps_warp program[PERHAPS_WARPS]; /* the same of all blocks */
    uint32_t sets, ways;
    bool evicts;  /* stores drop lines; else they use those that are there */
    bool ordered; /* accesses behind a barrier come behind those in front of it */
};

struct perhaps_truth {
    bool complete; /* false: there were too many states; the figures are of those that were seen */
    uint64_t states;
    uint32_t misses; /* of loads, at most */
    /* Most requests of an access of a block that miss in one execution of it. */
    uint8_t most[PERHAPS_BLOCKS][PERHAPS_WARPS][PERHAPS_OPS];
};

/* Goes through all orders. */
void perhaps_explore(const struct perhaps_grid *grid, struct perhaps_truth *truth);

#endif
