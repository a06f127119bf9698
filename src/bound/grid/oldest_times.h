/* What a block takes where the oldest block's warps issue first: younger blocks delay an instruction at most
 * by the initiation that its unit has begun before (docs/policy-bounds.md, oldest first). */
#ifndef WB_BOUND_GRID_OLDEST_TIMES_H
#define WB_BOUND_GRID_OLDEST_TIMES_H

#include "bound/grid/serial_time.h"

/* Of a block, its instructions delayed by initiations as long as `init`. */
struct oldest_times {
    struct serial_sums sums;
    uint32_t init[MACHINE_UNITS_MAX]; /* per unit the longest of the grid that was known when it was made */
    uint64_t executed[MACHINE_UNITS_MAX]; /* per unit, instructions of all distinct paths */
};

/* Why such times are not known of any block on a machine, or NULL. */
const char *oldest_objection(const struct wb_machine *machine);

/* `init`: the longest initiations per unit of all blocks before this one, to which its own are added. *times
 * is from the arena, or NULL where they are not known, as serial_time_of has it. WB_ERR_LIMIT without a
 * message when memory is exhausted. */
wb_status oldest_times_of(const struct block_profile *profile, bool covering, uint32_t *init,
                          struct arena *arena, struct oldest_times **times);

/* The sums where initiations are as long as `init`, no less than what they were made with. */
struct serial_sums oldest_sums(const struct oldest_times *times, const uint32_t *init);

#endif
