/* One warp alone on a machine that times machine code: the longest paths of its own graph, section by section
 * (docs/machine-code-bounds.md, the own graph and lam). All times are maxima and sums with constants of older
 * ones, counted from the start of a section, in which everything older is complete; so loops of very many
 * repetitions are not walked (bound/profile/max_plus.h). They are added without checks, as timed_block_check
 * bounds them. */
#ifndef WB_BOUND_SASS_OWN_TIMES_H
#define WB_BOUND_SASS_OWN_TIMES_H

#include "bound/sass/cold_lines.h"
#include "bound/sass/way_rules.h"

/* What one section of one path amounts to. */
struct own_section {
    uint64_t instructions;
    cycles iso;                      /* until everything is complete, alone */
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

/* The times of a walker, in one array. */
enum own_time {
    OWN_NEXT,      /* when the next instruction is issued at the earliest, by stall count and slot */
    OWN_ISSUE,     /* when the last one was issued */
    OWN_COMPLETE,  /* when all so far is complete */
    OWN_LAM_NEXT,  /* the same three of the paths that count latencies alone; */
    OWN_LAM_ISSUE, /* of the issue its end, and OWN_LAM_SHIFT on top */
    OWN_LAM_COMPLETE,
    OWN_INSTRUCTIONS,
    OWN_WORK,
    OWN_NEAR,
    OWN_FAR,
    OWN_CLASH,
    OWN_PASSED, /* cycles that have passed at least since the section began */
    OWN_TIMES
};

/* Added to times from which holds are subtracted, so that they stay above 0. */
#define OWN_LAM_SHIFT ((cycles)1 << 40)

struct own_walker {
    const struct way_rules *rules;
    struct path_cursor cursor;
    cycles *times; /* enum own_time, and behind them what the next ones point to: */
    size_t time_count;
    cycles *free_at;             /* per unit the end of the last own hold */
    cycles *lam_at;              /* per unit the start of the last one by latencies alone */
    cycles *spare;               /* see own_section */
    cycles *latched;             /* per latch how many must have passed until it is surely free */
    cycles *done[SASS_COUNTERS]; /* per counter when all increments but the most recent ones are undone, */
    cycles *lam_done[SASS_COUNTERS]; /* then each of those, the oldest first */
    cycles *pending;       /* per counter, and for those without, and unit of the first stage: holds of queued
                              instructions that nobody has waited for */
    cycles left;           /* see own_section */
    struct cold_path cold; /* no block: misses that are made once are not counted here */
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
wb_status own_walker_init(struct own_walker *walker, const struct way_rules *rules, uint32_t path,
                          struct cold_block *cold, struct arena *arena);

/* Walks to the end of the next section: behind the next barrier, or to the end of the path, which sets
 * `ended`. A walker that has ended gives empty sections. */
wb_status own_walker_section(struct own_walker *walker, struct own_section *section);

/* To be called when the walkers of all paths have walked a section: when it was the last one no barrier is
 * released behind it, and what is left there is nobody's. */
void own_sections_end(const struct own_walker *walkers, uint32_t count, struct own_section *sections);

#endif
