/* The streaming multiprocessor as GPGPU-Sim 4 executes a thread block in PTX mode, cycle by cycle:
 * docs/gpgpusim.md states the rules, and what is known of how far they hold. */
#ifndef WB_WINGS_GPGPUSIM_GPGPUSIM_H
#define WB_WINGS_GPGPUSIM_GPGPUSIM_H

#include "sim/sm/host.h"
#include "warp/timed/timed.h"

/* Simulates a block on a machine of model MACHINE_GPGPUSIM. It must have been made from PTX, with its
 * accesses recorded. The sink gets its events in order of issue, each when the instruction and all older ones
 * are complete. All of `result` except `seconds` is set: `cycles` is the simulator's gpu_sim_cycle (the first
 * instruction issues in cycle 2), `last_commit` does not count the acknowledgements of stores. WB_ERR_INPUT
 * with a message when the machine's units or classes do not fit the model or the accesses are missing;
 * WB_ERR_LIMIT when memory is exhausted or `watch` (may be NULL) stopped it. */
wb_status gpgpusim_simulate(const struct timed_block *timed, const struct sim_policy *policy,
                            const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                            wb_simulation *result);

#endif
