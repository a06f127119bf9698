/* A pass of a loop that runs of a warp make side by side, the last of them one pass ahead of the others: what
 * is known of registers before it and behind it (docs/block-classes.md, section 5). */
#ifndef WB_WARP_AFFINE_PASS_H
#define WB_WARP_AFFINE_PASS_H

#include "warp/affine/affine.h"

/* Least passes to skip. */
#define PASSES_MIN 16

/* A register before the pass. */
struct before {
    struct lanes lanes[AFFINE_RUNS - 1]; /* in each run but the last */
    uint32_t flat, affine;               /* lanes that are taken for so */
    uint32_t halved;                     /* affine ones that are halves of addresses, in all runs */
    uint32_t bent;                       /* and those that are not, after a try in vain */
    bool written;                        /* in the pass */
    uint64_t step[WARP_LANES];
};

struct pass {
    struct warp *warps[AFFINE_RUNS];
    uint32_t count;  /* of runs that go on together already; behind them is the one that is ahead */
    bool by_shadows; /* what is known of registers in those runs is in their shadows; false: all is flat */
    uint32_t slots;
    struct before *before; /* per register */
};

/* Makes room for a pass of a warp. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status pass_begin(struct pass *pass, struct arena *arena);

/* Takes registers for flat or affine by what the run that is ahead changed in its pass. */
void pass_take(struct pass *pass);

/* Notes what an instruction of the pass writes. */
void pass_note(struct pass *pass, const struct micro *op);

/* Notes which registers are not what they were taken for, now that all have made a pass; true: none. */
bool pass_check(struct pass *pass);

/* Continues a warp, which stands where a pass begins, behind so many. What is not known of registers then is
 * forgotten; true: some was known. */
bool pass_skip(const struct pass *pass, struct warp *warp, uint64_t passes);

/* How many more passes take the same way as the one made just now, in all runs that go on together; q of
 * `space` counts them along the axis. INT64_MAX: always. */
int64_t passes_reach(const struct lockstep *around, const struct affine_space *space, uint32_t axis);

/* Demands of those runs what `space` demands of the pass with that number; together with what the first one
 * demands it is all that those between do. WB_ERR_DECLINED: it is too much. */
wb_status passes_constrain(const struct lockstep *around, const struct affine_space *space, uint32_t axis,
                           uint64_t number);

/* Where passes of a loop begin, and the instructions that they have. */
struct loop_place {
    struct simt_entry *stack;
    size_t depth;
    uint32_t live, frames, sets[LANE_SETS];
    enum warp_state state;
    uint32_t low, high;
};

/* Takes the place where a warp stands. WB_ERR_LIMIT, with a message, when memory is exhausted. */
wb_status place_take(struct loop_place *place, const struct warp *warp, struct arena *arena);

/* Whether a warp stands there again, or is within the loop. */
bool place_has(const struct loop_place *place, const struct warp *warp);
bool place_is_around(const struct loop_place *place, const struct warp *warp);

/* Notes that the loop has the instruction that the warp comes to. */
void place_note(struct loop_place *place, const struct warp *warp);

/* ---- class_passes.c: passes of loops, with accesses to memory, while blocks are executed by classes ---- */

struct pass_search {
    uint64_t from;          /* instructions after which a first loop is looked for */
    uint64_t steps;         /* those of the class so far */
    uint64_t next[2];       /* when to look again for a loop of a warp, and of the block */
    struct loop_place left; /* where a loop was found last: one around it comes next, */
    uint32_t left_by;       /* for that warp, */
    uint64_t left_until;    /* if it leaves it before so many steps */
    bool skips;             /* passes were skipped: some of what they compute is not known */
};

/* If a warp, or the whole block between barriers, stands in a loop: continues all runs behind as many passes
 * as are known to take the same way. WB_ERR_DECLINED and errors as those of affine_run_block. */
wb_status affine_search_warp(struct lockstep *lockstep, uint32_t number);
wb_status affine_search_block(struct lockstep *lockstep);

#endif
