/* The cycle-level streaming multiprocessor: executes the warp paths of one block under one warp scheduling
 * policy. docs/architecture.md describes the machine, docs/proofs.md section 1 states its rules. */
#ifndef WB_SIM_GPU_SIMULATOR_H
#define WB_SIM_GPU_SIMULATOR_H

#include "sim/sm/events.h"
#include "sim/sm/policy.h"
#include "warp/timed/timed_block.h"

/* Simulates the block, on the model that the machine names (sim/gpgpusim/gpgpusim.h and
 * sim/sass/sass_simulate.h: the other ones). All of
 * `result` except `seconds` is set. WB_ERR_LIMIT with a message when memory is exhausted or `watch` (may be
 * NULL) stopped it. */
wb_status simulate(const struct timed_block *block, const struct sim_policy *policy,
                   const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                   wb_simulation *result);

#endif
