/* Grids of one wave by each of their bounds, for certificates (docs/wave-bounds.md). */
#ifndef WB_BOUND_KERNEL_WAVE_H
#define WB_BOUND_KERNEL_WAVE_H

#include "bound/method/kernel_time.h"
#include "bound/method/method.h"

enum wave_part {
    WAVE_SUMS,    /* theorem 1 */
    WAVE_ALIGNED, /* theorem 2, or theorem 1 for the kinds of blocks for which it says less */
    WAVE_QUEUES,  /* FIFO of all warps of an SM */
    WAVE_PARTS
};

/* Until all blocks of an SM have ended, without what the dispatcher takes; saturated where a bound does not
 * hold. */
struct wave_times {
    struct kernel_time parts[WAVE_PARTS];
    bool cut_short; /* not all could be aligned */
};

/* Why the grid is not for k-wave, or NULL. */
const char *wave_objection(const struct bound_input *input);

/* The times of a grid without objection; of `input` machine, work, budget, watch and diagnostics count.
 * Errors leave a message. */
wb_status wave_times_find(const struct bound_input *input, struct wave_times *times);

/* The time of the dispatcher. */
cycles wave_dispatch_time(const struct grid_work *work);

#endif
