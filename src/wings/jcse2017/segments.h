/* The time of warps whose instructions are cut into segments (JCSE'17, section IV-A): what the scheduler
 * issues of a warp between two waits for the warp's own results. */
#ifndef WB_WINGS_JCSE2017_SEGMENTS_H
#define WB_WINGS_JCSE2017_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cycles.h"

struct segment {
    cycles issue;   /* LI: cycles of the issue slot */
    cycles execute; /* LE: from the last of them until the longest result can be read */
};

/* A warp in its turns. `next` gives its next segment, or false behind the last one; the rest is zero at the
 * start. */
struct segment_warp {
    bool (*next)(void *user, struct segment *segment);
    void *user;
    cycles ready; /* when the results of its segments so far can be read */
    bool ended;
};

/* Eq. (1) and (2): when everything is complete if the warps issue a segment each in turn, and nothing else is
 * issued while the one whose turn it is waits. Exact for that order; other schedulers take longer as well as
 * shorter (docs/memory-bounds.md, section 2). */
cycles segments_in_turn(struct segment_warp *warps, size_t warp_count);

#endif
