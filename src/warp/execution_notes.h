/* What is noted while a kernel is executed, beside paths and accesses: it goes with them, from the run to the
 * block or the grid, and to whoever gives them times. Zero: nothing was noted. */
#ifndef WB_WARP_EXECUTION_NOTES_H
#define WB_WARP_EXECUTION_NOTES_H

#include <stdbool.h>

#include "warp/assumed.h"

/* Why blocks and grids are declined. */
#define ABSENT_MEMBER                                                                                        \
    "lanes that the member mask names execute something else, or lanes execute this that it does not name: " \
    "that is not modelled"
#define SKIPPED_BARRIER "a warp skips this barrier because its guard is false: that is not modelled"

/* The longest sleep: nanosleep sleeps a millisecond at most. */
#define SLEEP_MAX UINT32_C(1000000)

struct execution_notes {
    assumed_set assumed;       /* what it takes for granted */
    const char *unmodelled;    /* why its times would be wrong, a sentence about an instruction; or NULL */
    uint32_t unmodelled_index; /* of the instruction, as in paths */
    uint32_t longest_sleep;    /* nanoseconds that some lane asked to sleep for; SLEEP_MAX where unknown */
};

/* Keeps the first reason only. */
static inline void notes_unmodelled(struct execution_notes *notes, uint32_t index, const char *why) {
    if (notes->unmodelled != NULL) return;
    notes->unmodelled = why;
    notes->unmodelled_index = index;
}

static inline bool notes_equal(const struct execution_notes *a, const struct execution_notes *b) {
    return a->assumed == b->assumed && a->unmodelled == b->unmodelled &&
           a->unmodelled_index == b->unmodelled_index && a->longest_sleep == b->longest_sleep;
}

#endif
