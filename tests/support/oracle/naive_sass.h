/* Machine code with times as the tests have it: small grids, the bounds of docs/machine-code-bounds.md
 * computed over their instructions one by one, and their exact worst case. */
#ifndef WB_TESTS_NAIVE_SASS_H
#define WB_TESTS_NAIVE_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warp/timed/timed.h"

#define SASS_GRID_WARPS 8     /* of all blocks together */
#define SASS_GRID_INSTS 8     /* of a warp */
#define SASS_GRID_UNITS 6     /* kinds of them */
#define SASS_GRID_CORES 4     /* sub-cores of all SMs */
#define SASS_GRID_LINES 4     /* of instructions */
#define SASS_GRID_CONSTANTS 2 /* lines of them */
#define SASS_UNLIMITED UINT8_MAX

/* An instruction as it is stated, and as it turns out: no longer, latencies apart, which may be anything that
 * is stated. */
struct sass_step {
    struct sass_timed stated;
    uint32_t probe; /* of the stated slot: while the issue stage looks for a constant that is not there */
    struct {
        uint8_t stall, slot, probe, operand, fetch, init[SASS_STAGES_MAX], transfer[SASS_STAGES_MAX];
    } actual;
};

struct sass_program {
    uint32_t count;
    struct sass_step steps[SASS_GRID_INSTS];
};

/* What the rules of the machine leave open. */
struct sass_rules {
    bool full_holds_issue; /* an instruction is issued to a full queue, and holds the issue stage */
    bool first_in_first_out;
    bool issue_first; /* in a cycle: what is issued competes with what waits, and a place that becomes free is
                         not yet there */
    bool late_stall;  /* stall and slot count from when there was room */
    bool probes_again; /* who finds a constant under way that another warp has missed holds the issue stage,
                          too */
    bool hidden_count; /* a counter that was incremented in the cycle before is not yet seen */
    bool late_release; /* a barrier waits for the end of the instructions that join it */
    bool prompt_start; /* unless issue_first: what is issued to a free unit takes no place in its queue, not
                          even until the other sub-cores have issued */
};

/* Caches in which each line is missed once, as they are stated and as they turn out. */
struct sass_lines {
    bool l0, l1, constants; /* which of them hold what the grid executes */
    uint32_t halves;        /* lines of the L0 in one of the L1 */
    struct {
        uint8_t l0, l1, constant; /* cycles of a miss; the L1 is of both */
        uint8_t probe;            /* of the issue stage, of who does not find its constant */
    } stated;
    struct {
        uint8_t l0[SASS_GRID_LINES], l1[SASS_GRID_LINES];
        uint8_t constant[SASS_GRID_CONSTANTS], l1_constant[SASS_GRID_CONSTANTS], probe;
    } actual;
};

/* What a pause keeps from running down; the bounds hold for each choice of these. */
enum {
    SASS_PAUSE_HOLDS = 1, /* of stages, latches apart */
    SASS_PAUSE_TRANSFERS = 2,
    SASS_PAUSE_WRITES = 4,
    SASS_PAUSE_READS = 8,
    SASS_PAUSE_MISSES = 16, /* fetch, operand, and lines that are missed once */
    SASS_PAUSE_ALL = 31
};

/* Cycles in which an SM's memory and units may stand still: who waits for a unit or for room in a queue need
 * not begin, and times of these kinds do not pass. Stalls, slots, probes, latches and releases do, and blocks
 * are dispatched: else K-SM would lack the pauses of other SMs, which then get fewer blocks. */
struct sass_pauses {
    uint8_t cycles; /* at most */
    bool common;    /* the same cycles for all SMs; else as many for each, any of them */
    bool issue;     /* goes on in them as elsewhere; else what is ready need not be issued */
    uint8_t kinds;  /* a pause is of all kinds, or of these: each time as the search likes */
};

struct sass_grid {
    uint32_t sub_cores, units, release;
    bool shared[SASS_GRID_UNITS];
    uint8_t queue[SASS_GRID_UNITS]; /* SASS_UNLIMITED */
    bool any_order[SASS_GRID_UNITS];
    struct sass_rules rules;
    struct sass_lines lines;
    struct sass_pauses pauses;
    uint8_t actual_release[SASS_GRID_WARPS][SASS_GRID_INSTS]; /* of a warp, by its barriers (M7) */
    uint32_t blocks, warps;                                   /* warps of a block */
    uint32_t sms, slots;
    bool is_static;                                /* block b goes to SM b mod sms */
    bool identical;                                /* blocks; else all may differ */
    struct sass_program programs[SASS_GRID_WARPS]; /* block after block */
    uint16_t beside[SASS_GRID_WARPS]; /* cycles of a block that count as held by it, for bounds alone */
};

/* Units that ways of instructions reach differently, and those that can keep these from their next: own
 * instructions may overtake each other there. */
void naive_sass_clashes(const struct sass_grid *grid, bool clash[SASS_GRID_UNITS]);

/* ---- Bounds ---- */

/* Mistakes that the search has to find. */
enum sass_mutant {
    SASS_AS_PROVEN,
    SASS_NO_BUBBLES,    /* charges of one cycle for a slot */
    SASS_PROBE_INSIDE,  /* the cycles in which a constant is looked for as if they were those of the unit */
    SASS_LARGEST_STAGE, /* instead of the sum of the stages */
    SASS_NO_FETCH,
    SASS_NO_READ_COUNTER,
    SASS_OPERAND_BESIDE, /* a constant's miss beside the waits, not behind them */
    SASS_NO_CLOSING_STALL,
    SASS_NO_HOLDING, /* no edges of queues that hold up the issue stage */
    SASS_NO_OWN_CLASH,
    SASS_CLASH_ALONE,   /* own holds on units that ways meet at, but not on those behind */
    SASS_ALL_IN_ORDER,  /* own instructions keep their order where the machine does not */
    SASS_SHARED_ONLY,   /* of other sub-cores shared units, and not those that block back onto them */
    SASS_NO_TRANSFER,   /* in the longest chain of latencies */
    SASS_LAM_OWN_ORDER, /* the chain forgets that own instructions start in order */
    SASS_DEPBAR_WRITE_FIRST,
    SASS_ISO_AND_WARPS,     /* iso + warps - 1 */
    SASS_NO_EXTRAS,         /* grids: only the busiest sub-core of each block */
    SASS_ONE_TURN,          /* grids: chains that change their sub-core at no barrier */
    SASS_NO_COLD,           /* no misses of lines that are missed once */
    SASS_COLD_FIRST_WARP,   /* only the first warp misses them */
    SASS_COLD_ONE_CORE,     /* what the L0 of one sub-core has others have, too */
    SASS_COLD_SAME_SECTION, /* the L1 has what other warps come to in the same section */
    SASS_COLD_ASKED,        /* and what was asked for at a barrier behind it */
    SASS_COLD_PROBE,        /* no probes of constants that are missed once */
    SASS_COLD_PROBE_ONCE,   /* only by the first warp of a sub-core */
    SASS_COLD_ONE_SECTION,  /* grids: misses of the sub-core and section that has most of them */
    SASS_COLD_WARM,         /* grids: a block that follows another finds all lines */
    SASS_COLD_HELD,         /* grids: blocks that come first hold no more than others */
    SASS_PAUSES_SHORT,      /* one cycle of them forgotten; this and what follows is of grids with pauses */
    SASS_PAUSES_ONCE,       /* grids: those of each SM as if they were common */
    SASS_MUTANTS
};

struct sass_bounds {
    uint64_t sib, fib, elb;                                           /* of one block */
    uint64_t kernel, area, balance, chain, chain_area, chain_balance; /* of the grid */
    uint64_t least;                                                   /* of what is for the grid */
};

/* Most cycles that all misses of an SM take that each line makes once. */
uint64_t naive_sass_misses(const struct sass_grid *grid);

/* Of the block that has the programs first_warp to first_warp + warps - 1. */
struct sass_bounds naive_sass_block(const struct sass_grid *grid, uint32_t first_warp,
                                    enum sass_mutant mutant);

/* Of the whole grid; sib, fib and elb only where it has one block. */
struct sass_bounds naive_sass_grid(const struct sass_grid *grid, enum sass_mutant mutant);

/* ---- Search ---- */

/* The longest execution of the grid, or 0 when the search would go through more states. */
uint32_t sass_explore(const struct sass_grid *grid, size_t states);

#endif
