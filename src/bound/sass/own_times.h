/* One isolated warp on a machine that times machine code: the longest paths of its own graph, section by
 * section (docs/machine-code-bounds.md, the own graph and lam). All times are maxima and sums with constants
 * of older ones, counted from the start of a section, in which everything older is complete; so loops of very
 * many repetitions are not walked (bound/profile/max_plus.h). They are added without checks, as
 * timed_block_check bounds them. */
#ifndef WB_BOUND_SASS_OWN_TIMES_H
#define WB_BOUND_SASS_OWN_TIMES_H

#include "bound/profile/chain.h"
#include "bound/sass/cold_lines.h"
#include "bound/sass/way_rules.h"

/* The times of one section of one path. */
struct own_section {
    uint64_t instructions;
    cycles iso;                      /* until everything is complete, isolated */
    cycles lam;                      /* the same by latencies alone, without what is held */
    cycles work;                     /* the sum of code_work: E of ELB */
    cycles near, far;                /* what it can keep others waiting: of its sub-core, and of other ones */
    cycles spare[MACHINE_UNITS_MAX]; /* per latch what of `near` is more than the slots */
    cycles clash;                    /* own holds of units in which own instructions may overtake */
    cycles left;                     /* that it can have left to do when a barrier behind it is released */
    uint32_t units;                  /* that it uses */
    uint32_t barrier;                /* 1: one ends the section */
};

_Static_assert(sizeof(struct own_section) == (8 + MACHINE_UNITS_MAX) * sizeof(cycles) + 2 * sizeof(uint32_t),
               "sections are compared byte by byte");

/* Sums of a walker, in one array. */
enum own_sum {
    OWN_INSTRUCTIONS,
    OWN_WORK,
    OWN_NEAR,
    OWN_FAR,
    OWN_CLASH,
    OWN_PASSED, /* cycles that have passed at least since the section began */
    OWN_SUMS
};

/* The longest paths to the place of a walker, by its own graph, or by latencies only. */
struct own_graph {
    struct chain_time **times; /* all of them, in one array: */
    struct chain_time
        *next; /* when the next instruction is issued at the earliest, by stall count and slot */
    struct chain_time *issue;    /* of the last one */
    struct chain_time *complete; /* when all so far is */
    struct chain_time *units;    /* the end of the last own hold of each; of latencies alone its start */
    struct chain_time *done[SASS_COUNTERS]; /* per counter when all increments but the most recent ones are
                                               undone, then each of those, the oldest first */
    cycles hold;                            /* of the last instruction: cycles that latencies do not count */
    struct chains *chains;                  /* NULL: nobody asks where the times come from */
};

/* An instruction that misses its constant, once: as it is then. */
struct walked_miss {
    uint32_t entry;
    struct sass_timed timed;
};

struct own_walker {
    const struct pipeline_rules *rules;
    struct path_cursor begin; /* of the section walked last */
    struct path_cursor cursor;
    struct own_graph alone, latencies;
    size_t graph_times; /* of each */
    cycles *sums;       /* enum own_sum, and behind them what the next ones point to: */
    size_t sum_count;
    cycles *spare;         /* see own_section */
    cycles *latched;       /* per latch how many must have passed until it is surely free */
    cycles *pending;       /* per counter, and for those without, and unit of the first stage: holds of queued
                              instructions that nobody has waited for */
    cycles **all;          /* both graphs' times and the sums: what a loop takes on */
    cycles left;           /* see own_section */
    struct cold_path cold; /* no block: misses that are made once are not counted here */
    struct walked_miss *misses; /* of constants, in the section walked last; kept where chains are followed */
    uint32_t miss_count;
    uint32_t units;
    uint32_t last_slot,
        last_stall; /* of the section's last instruction; 0: it has none. A barrier's stall: 0 */
    bool last_fixed, last_queued;
    bool later; /* than the first section */
    bool begun; /* something of the section has been walked */
    bool ended;
};

/* A walker at the start of path number `path`, which counts misses that are made once if `cold` is not NULL;
 * its memory comes from `arena`. WB_ERR_LIMIT when memory is exhausted. */
wb_status own_walker_init(struct own_walker *walker, const struct pipeline_rules *rules, uint32_t path,
                          struct cold_block *cold, struct arena *arena);

/* Walks to the end of the next section: behind the next barrier, or to the end of the path, which sets
 * `ended`. A walker that has ended gives empty sections. */
wb_status own_walker_section(struct own_walker *walker, struct own_section *section);

/* To be called when the walkers of all paths have walked a section: when it was the last one no barrier is
 * released behind it, and what is left there is nobody's. */
void own_sections_end(const struct own_walker *walkers, uint32_t count, struct own_section *sections);

/* Cycles that the banks of registers keep an instruction at its issue: of an entry of the code, which
 * distinguishes it from the probe for a constant. */
cycles code_bubbles(const struct timed_code *code, uint32_t entry);

#endif
