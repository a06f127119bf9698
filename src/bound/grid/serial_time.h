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

#endif
