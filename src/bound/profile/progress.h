/* The initiations of a warp's instructions on one sub-core's units that are surely done: a later instruction
 * has read a result. Only its sums over time are followed, which are max-plus linear (max_plus.h). */
#ifndef WB_BOUND_PROFILE_PROGRESS_H
#define WB_BOUND_PROFILE_PROGRESS_H

#include "warp/timed/timed.h"

/* Per unit, in cycles of initiation: issued to it, and initiated of that. */
struct unit_progress {
    cycles sent, done;
    uint32_t largest; /* initiation so far */
};

/* The last writer of a register. */
struct register_writer {
    cycles sent;    /* to its unit up to then, itself included; of a unit that initiates in order of issue */
    uint32_t alone; /* of another: its own initiation, until somebody reads it */
    uint8_t unit;   /* UNIT_NONE: it says nothing of what has initiated */
};

/* A warp on its way through its path. Zero, it follows nothing. */
struct warp_progress {
    const struct timed_block *block;
    struct unit_progress *units;
    struct register_writer *writers;
};

/* The progress of a warp that has issued nothing. WB_ERR_LIMIT when memory is exhausted. */
wb_status warp_progress_init(struct warp_progress *progress, const struct timed_block *block,
                             struct arena *arena);

/* Notes that the warp issues an instruction. */
void warp_progress_note(struct warp_progress *progress, const struct timed_inst *inst);

/* The sums, as times of a max-plus map: how many, and where each of them stands. */
size_t warp_progress_count(const struct warp_progress *progress);
cycles *warp_progress_time(const struct warp_progress *progress, size_t index);

#endif
