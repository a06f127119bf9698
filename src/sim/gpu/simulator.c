#include "sim/gpu/gpu.h"

#include "sim/gpgpusim/gpgpusim.h"
#include "sim/sass/sass_simulate.h"

static wb_status simulate_plain(const struct timed_block *block, const struct sim_policy *policy,
                                const struct sim_sink *sink, const wb_watch *watch,
                                wb_diagnostics *diagnostics, wb_simulation *result) {
    const struct sm_program program = {
        .machine = block->machine, .code = &block->code, .block = block, .warp_count = block->warp_count};
    struct sm sm;
    wb_status status = sm_init(&sm, &program, policy, 1);
    if (status == WB_OK) status = sm_take_events(&sm, sink);
    if (status != WB_OK) {
        (void)diagnose_out_of_memory(diagnostics, policy->name);
    } else {
        status = sm_host_run_block(&sm.host, policy, timed_block_length(block), watch, diagnostics, result);
    }
    if (status == WB_OK && sm.ifetch != NULL) {
        result->fetches = sm.ifetch->fetches;
        result->fetch_misses = sm.ifetch->misses;
    }
    sm_free(&sm);
    return status;
}

wb_status simulate(const struct timed_block *block, const struct sim_policy *policy,
                   const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                   wb_simulation *result) {
    const char *misfit = policy_misfit(policy, block->machine);
    if (misfit != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, block->machine->name, "%s", misfit);
        return WB_ERR_DECLINED;
    }
    if (block->machine->model == MACHINE_GPGPUSIM)
        return gpgpusim_simulate(block, policy, sink, watch, diagnostics, result);
    const struct sass_run run = {.policy = policy};
    if (machine_times_sass(block->machine))
        return sass_simulate(block, &run, sink, watch, diagnostics, result);
    return simulate_plain(block, policy, sink, watch, diagnostics, result);
}
