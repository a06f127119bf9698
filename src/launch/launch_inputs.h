/* What a launch gives to a kernel, as reports name it. */
#ifndef WB_LAUNCH_LAUNCH_INPUTS_H
#define WB_LAUNCH_LAUNCH_INPUTS_H

#include "launch/launch.h"

struct launch_inputs {
    const char *file;       /* the launch file that gives the arguments, or NULL */
    bool any_contents;      /* of buffers and variables, whatever is given */
    const char **arguments; /* as they were given */
    size_t argument_count;
    const char **variables; /* names of those of the module whose contents are given */
    size_t variable_count;
};

/* Copies what reports say of a launch into `arena`. WB_ERR_LIMIT without a message when memory is exhausted.
 */
wb_status launch_inputs_of(const struct wb_launch *launch, bool any_contents, struct arena *arena,
                           struct launch_inputs *inputs);

#endif
