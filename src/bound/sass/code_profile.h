/* The sums of every section of every path of a block of machine code, and the bounds of the block that are
 * sums over it (docs/machine-code-bounds.md). */
#ifndef WB_BOUND_SASS_CODE_PROFILE_H
#define WB_BOUND_SASS_CODE_PROFILE_H

#include "base/containers.h"
#include "bound/profile/warp_group.h"
#include "bound/sass/counted_loops.h"
#include "bound/sass/own_times.h"

/* Misses that each line makes once are added to the times of the warps that come to it, or counted beside
 * them. */
enum code_misses { MISSES_ON_PATHS, MISSES_BESIDE };

struct code_profile {
    struct pipeline_rules rules;
    uint32_t path_count;
    warp_group_list groups;
    struct intern rows;       /* sections between two barriers, each distinct one once: path_count sections */
    VEC(uint64_t) row_counts; /* how many sections of the block each row stands for */
    uint64_t sections;        /* of the block: one more than it has barriers */
    uint64_t instructions;    /* of all warps */
    cycles work;              /* E: what surely is held in the cycles of all warps that ELB counts */
    cycles latency;           /* lam: the longest chain of cycles in which nothing need be held */
    cycles held;              /* H: what the block can keep others waiting */
    cycles misses;            /* cycles of misses that are made once, and are in none of these times */
    cycles by_facts;          /* what ELB is at most by facts that count passes of loops; else saturated */
};

/* Walks all paths of a block, which passed timed_block_check, on a machine that times machine code. The
 * profile is to be freed with code_profile_free in any case. WB_ERR_LIMIT without a message when memory is
 * exhausted. */
wb_status code_profile_make(const struct timed_block *block, enum code_misses misses,
                            struct code_profile *profile);

/* The same without the passes of some loops: only work, latency, held, and what sections add to these. */
wb_status code_profile_make_without(const struct timed_block *block, const struct counted_loops *counted,
                                    struct code_profile *profile);

/* Finds profile->by_facts, which is not set otherwise. WB_ERR_LIMIT as above. */
wb_status code_profile_count_passes(struct code_profile *profile);

/* The request for the parts of the longest paths of sections; chains_free is the caller's. */
struct code_trace {
    bool latencies;       /* by these only; else by the own graph */
    struct chains chains; /* from where the times of that kind come */
    /* Takes a section of all paths, `times` times, of which those that repeat themselves come as one: where
       the walkers of the paths stand behind it, and what it amounts to. */
    wb_status (*row)(void *user, const struct own_walker *walkers, const struct own_section *sections,
                     uint64_t times);
    void *user;
};

/* Walks the same for that. WB_ERR_LIMIT, without a message, when memory is exhausted or there are too many
 * links; else what trace->row returned. */
wb_status code_profile_trace(const struct timed_block *block, enum code_misses misses,
                             struct code_trace *trace);

void code_profile_free(struct code_profile *profile);

/* The section of a path in a row. */
const struct own_section *code_profile_section(const struct code_profile *profile, size_t row, uint32_t path);

/* The bounds of theorem 1, what barriers and caches add left out: the sum over all rows of the most that any
 * warp takes alone with all that others hold meanwhile; `by_latches`: without what they hold of latches that
 * the warp does not use in the section. */
cycles code_profile_sum(const struct code_profile *profile, bool by_latches);

/* The most that any warp takes in a row, whose sections stand by path, and the group of the first that takes
 * so long. */
cycles code_row_longest(const struct code_profile *profile, const struct own_section *sections,
                        bool by_latches, size_t *decider);

/* Latches of one sub-core, one a bit, that a warp does not use in a section, so that FIB leaves out what
 * others hold of them beyond their slots. */
uint32_t code_unused_latches(const struct pipeline_rules *rules, const struct own_section *section);

/* The time that the machine's barriers take to release the warps, over all sections. */
cycles code_profile_releases(const struct code_profile *profile);

#endif
