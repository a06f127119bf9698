/* Simulates a block on a machine that times machine code (`code: sass`): sub-cores that issue by control
 * fields, dependence counters, units with queues, what misses once. docs/sass-simulator.md says how. */
#ifndef WB_SIM_SASS_SASS_SIMULATE_H
#define WB_SIM_SASS_SASS_SIMULATE_H

#include "sim/sm/events.h"
#include "sim/sm/policy.h"
#include "warp/timed/timed_block.h"

/* How a block is simulated. */
struct sass_run {
    const struct sim_policy *policy;
    const struct sim_sink *sink; /* or NULL */
    const wb_watch *watch;       /* or NULL */
    /* The duration of something that takes `least` to `most` cycles. NULL: the most. */
    uint32_t (*choose)(void *user, uint32_t least, uint32_t most);
    void *user;
};

/* Simulates the block, whose code has times (timed_code.sass). All of `result` but `seconds` is set.
 * WB_ERR_LIMIT with a message when memory is exhausted or the watch stopped it; else what the sink answers.
 */
wb_status sass_simulate(const struct timed_block *block, const struct sass_run *run,
                        wb_diagnostics *diagnostics, wb_simulation *result);

#endif
