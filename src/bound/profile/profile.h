/* The sums of every section of every path of a block: all that the section-wise bounds need. */
#ifndef WB_BOUND_PROFILE_PROFILE_H
#define WB_BOUND_PROFILE_PROFILE_H

#include "base/base.h"
#include "bound/profile/phases.h"
#include "bound/profile/warp_group.h"

/* Sections of the block between two barriers. Loops with barriers repeat a few kinds of sections many times:
 * equal sections that stand near each other are kept once. */
struct profile_row {
    uint64_t count; /* sections that this row stands for */
    size_t first;   /* its path_count section profiles: cells[first ..] */
};

struct block_profile {
    const struct timed_block *block;
    uint32_t path_count;
    warp_group_list groups;
    VEC(struct profile_row) rows;
    VEC(struct section_profile) cells;
    uint64_t sections;     /* of the block: one more than it has barriers */
    uint64_t instructions; /* of all warps */
    cycles initiations;    /* of all warps: E of docs/proofs.md, section 8 */
    cycles latency;        /* longest path that counts latencies and releases only: lam there */
    uint64_t turns; /* the longest sequence of different sub-cores, each active in a section behind that of
                       the one before: chg of docs/sub-core-bounds.md; 1 at least */
    cycles spill;   /* what the units of a sub-core can have left to do of older sections when a barrier is
                       released, at most: sigma there. Of these paths, not of parts of them. */
};

/* Walks all paths of a block that passed timed_block_check. The profile is freed with block_profile_free
 * (only on success). WB_ERR_LIMIT with a message when memory is exhausted or `watch` (may be NULL) stopped
 * it. */
wb_status block_profile_make(const struct timed_block *block, const wb_watch *watch,
                             wb_diagnostics *diagnostics, struct block_profile *profile);

/* The request for the parts of the longest paths; chains_free is the caller's. */
struct profile_trace {
    bool
        latencies; /* of the path that counts latencies only; else of each section, isolated on the machine */
    struct chains chains; /* from where the times of that kind come */
    /* Takes a section of all paths, `times` times: where the walkers of the paths stand behind it, and what
       it amounts to. Sections that repeat themselves come as one if each has chains of its own. */
    wb_status (*row)(void *user, const struct phase_walker *walkers, const struct section_profile *cells,
                     uint64_t times);
    void *user;
    struct chain_time latest; /* the end of the path of latencies */
};

/* Walks the same for that. WB_ERR_LIMIT, without a message, when memory is exhausted or there are too many
 * links; else what trace->row returned. */
wb_status block_profile_trace(const struct timed_block *block, struct profile_trace *trace);

void block_profile_free(struct block_profile *profile);

/* Section profile of a path in a row. */
static inline const struct section_profile *profile_cell(const struct block_profile *profile,
                                                         const struct profile_row *row, uint32_t path) {
    return &profile->cells.items[row->first + path];
}

/* The time that the machine's barriers take to release the warps, over all sections (docs/proofs.md, section
 * 2). */
static inline cycles profile_release_time(const struct block_profile *profile) {
    uint64_t barriers = profile->sections == 0 ? 0 : profile->sections - 1;
    return cycles_mul(barriers, profile->block->machine->barrier_release);
}

/* Sums over all warps of a row, as a warp of one sub-core sees them (itself included). */
struct row_sums {
    cycles exec;
    cycles shared; /* charges on units that all sub-cores share */
    cycles local;  /* charges on the units of the warp's sub-core */
};

/* The section-wise bound of one warp in one section: cycles from the start of the section. */
typedef cycles (*section_term)(const struct section_profile *warp, const struct row_sums *sums);

/* The sum over all sections of the largest term of any warp. */
cycles profile_sum_of_maxima(const struct block_profile *profile, section_term term);

/* The sum over all sections of the terms of one warp group. */
cycles profile_sum_of_group(const struct block_profile *profile, section_term term,
                            const struct warp_group *group);

#endif
