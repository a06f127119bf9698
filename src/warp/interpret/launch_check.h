/* Whether a launch says all that a kernel needs, and fits it. */
#ifndef WB_WARP_INTERPRET_LAUNCH_CHECK_H
#define WB_WARP_INTERPRET_LAUNCH_CHECK_H

#include "launch/launch.h"
#include "ptx/ptx.h"

/* Checks grid and block of the launch against the kernel, its arguments against the parameters, and that
 * block `index` (three numbers) is one of the grid. WB_ERR_INPUT with messages that say all that is missing,
 * to be filled in or wrong, and what is expected. */
wb_status launch_check(const struct wb_kernel *kernel, const struct wb_launch *launch, const uint32_t *index,
                       wb_diagnostics *diagnostics);

/* The same of the block and its dynamic shared memory alone. */
wb_status launch_check_block(const struct wb_kernel *kernel, const struct wb_launch *launch,
                             wb_diagnostics *diagnostics);

#endif
