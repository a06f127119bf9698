/* What a block adds to the time of an SM however its warps and those of other blocks share it: section by
 * section the sub-core whose work and latencies are most together (docs/sub-core-bounds.md, serial times). */
#ifndef WB_BOUND_GRID_SERIAL_TIME_H
#define WB_BOUND_GRID_SERIAL_TIME_H

#include "bound/profile/profile.h"

/* Instructions of all distinct paths of a block that are walked for it; a block with more has no serial time.
 */
#define SERIAL_STEPS_MAX (UINT64_C(1) << 22)

/* V(b) of a block of real paths, or of covering ones without barriers. *time is saturated where it is not
 * known: the paths are longer, or cover others with barriers. WB_ERR_LIMIT without a message when memory is
 * exhausted. */
wb_status serial_time_of(const struct block_profile *profile, bool covering, cycles *time);

/* The same of a block whose paths are walked and real, with parts of it. */
struct serial_sums {
    cycles time;  /* V(b) */
    cycles chain; /* of each section the longest chain of latencies, its release included */
};

bool serial_can_walk(const struct timed_block *timed);

/* `blocking`, per unit of the machine: what every instruction on it may wait for besides operands and other
 * instructions that count; NULL: nothing. WB_ERR_LIMIT without a message when memory is exhausted. */
wb_status serial_sums_of(const struct block_profile *profile, const cycles *blocking,
                         struct serial_sums *sums);

#endif
