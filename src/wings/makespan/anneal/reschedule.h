/* The makespans of strings that differ from a current one by the exchange of two identifiers (ETFA'13
 * section VII): only what stands behind the first changed index is placed anew, and only until the schedules
 * are the same again.
 *
 * The object walks along its string: it keeps the state in which the identifiers before `index` have been
 * placed, so that an exchange at `index` starts from there. A candidate is placed in step with the current
 * solution. Once all that was exchanged is placed, warps stand at the same instructions in both; as soon as
 * moreover the last instruction of every warp is in the same cycle in both and every cycle has as many
 * instructions of each unit type in both, the rest of the string is placed alike, and as the cycles are then
 * as full in the end, the makespan is that of the current solution. */
#ifndef WB_MAKESPAN_ANNEAL_RESCHEDULE_H
#define WB_MAKESPAN_ANNEAL_RESCHEDULE_H

#include "wings/makespan/strings/schedule.h"

/* A *place* is a unit type in a cycle: the number cycle * UNIT_TYPES + unit. Place 0 means "none yet". */

/* How far a warp has got: it executed what is before `next` and its last instruction at place `last`. */
struct warp_progress {
    uint32_t next; /* index into rescheduler.place */
    uint32_t last;
};

/* What is left of a place, and by how many instructions more (+) or fewer (-) the candidate uses it than the
 * current solution. */
struct place_use {
    uint32_t left;
    int32_t difference;
};

/* An identifier of the string, and where the candidate places it: all `place` together are the warp cycle
 * string of section VII. */
struct string_item {
    uint32_t entry; /* what it means: index into rescheduler.place */
    uint32_t warp;  /* the identifier */
    uint32_t place;
};

/* Some identifiers placed: of the current solution or of a candidate. Bits are set where there is room, bit
 * t % 64 of a word for cycle t. */
struct partial_schedule {
    struct warp_progress *warps;
    uint64_t *unit_room;  /* words [t / 64 * UNIT_TYPES + unit] */
    uint64_t *issue_room; /* words [t / 64] */
};

struct rescheduler {
    const struct makespan_problem *problem;
    bool (*goes_on)(void *user);
    void *user;
    bool limited;               /* there is an issue limit */
    uint32_t count;             /* identifiers */
    struct string_item *string; /* of the candidate; between candidates of the current solution */
    uint32_t *place;   /* of the current solution; warp after warp, an entry 0 before each warp's first */
    uint32_t makespan; /* of the current solution */
    uint32_t index;
    struct partial_schedule before; /* the current solution before `index` */
    uint32_t first_word;            /* the words before it have no room in `before` */
    uint32_t last_word;             /* the words behind it have never been written: all is room */
    struct place_use *use;          /* per place; left: in `before` */
    uint32_t *issue_left;           /* per cycle, in `before` */
    struct {
        struct partial_schedule placed;
        uint32_t other; /* exchanged with `index` */
        uint32_t end;   /* it was placed up to there */
        uint32_t makespan;
    } candidate;
};

/* Bytes that making a rescheduler takes; `longest` bounds the makespan of every schedule. */
uint64_t rescheduler_bytes(const struct makespan_problem *problem, uint64_t longest);

/* Makes one that stands at index 0 of a string, which is copied, in an arena (protected, or with memory).
 * Here and later, `goes_on` (NULL: none) is asked regularly while long strings are placed; false ends that,
 * and then the result is false. */
bool rescheduler_make(const struct makespan_problem *problem, uint64_t longest, const uint32_t *string,
                      bool (*goes_on)(void *user), void *user, struct arena *arena, struct rescheduler *r);

/* Goes to the next index of the string; behind the last but one to the first. */
void rescheduler_step(struct rescheduler *r);

/* The makespan if the identifiers at r->index and at `other`, which is behind it, were exchanged; 0 when
 * r->goes_on said no before it was known. To be followed by rescheduler_keep or, after 0 always,
 * rescheduler_drop. */
uint32_t rescheduler_exchange(struct rescheduler *r, uint32_t other);

/* Makes the candidate the current solution. */
void rescheduler_keep(struct rescheduler *r);

/* Forgets the candidate. */
void rescheduler_drop(struct rescheduler *r);

#endif
