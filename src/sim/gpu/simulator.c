#include "sim/gpu/simulator.h"

#include "sim/gpgpusim/gpgpusim.h"
#include "sim/sass/sass_simulate.h"
#include "sim/sm/sm_ifetch.h"

/* How many cycles pass between two looks at the watch. */
#define SIM_WATCH_PERIOD ((cycles)1 << 16)

static uint64_t path_lengths(const struct timed_block *block) {
    uint64_t total = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        total += block->paths[block->warp_path[w]].length;
    return total;
}

static wb_status simulate_block(struct sm *sm, const wb_watch *watch, wb_diagnostics *diagnostics) {
    const uint64_t total = path_lengths(sm->program->block);
    sm_place(sm, 0, 0, 0);
    for (cycles next = 0; next != CYCLES_SATURATED; next = sm_next_event(sm)) {
        if (watch != NULL && watch->poll != NULL &&
            !watch->poll(watch->user, sm->policy->name, sm->executed, total)) {
            diagnose(diagnostics, SEVERITY_ERROR, sm->policy->name, "simulation stopped");
            return WB_ERR_LIMIT;
        }
        WB_TRY(sm_run(sm, cycles_add(next, SIM_WATCH_PERIOD)));
    }
    return WB_OK;
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
    if (machine_times_sass(block->machine)) {
        const struct sass_run run = {.policy = policy, .sink = sink, .watch = watch};
        return sass_simulate(block, &run, diagnostics, result);
    }
    const struct sm_program program = {
        .machine = block->machine, .code = &block->code, .block = block, .warp_count = block->warp_count};
    struct sm sm;
    wb_status status = sm_init(&sm, &program, policy, 1);
    if (status == WB_OK) status = sm_take_events(&sm, sink);
    if (status != WB_OK) {
        (void)diagnose_out_of_memory(diagnostics, policy->name);
    } else {
        status = simulate_block(&sm, watch, diagnostics);
    }
    if (status == WB_OK)
        *result = (wb_simulation){.policy = policy->name,
                                  .work_conserving = policy->work_conserving,
                                  .cycles = sm.last_commit,
                                  .last_commit = sm.last_commit,
                                  .last_issue = sm.last_issue,
                                  .warp_instructions = sm.warp_instructions,
                                  .fetches = sm.ifetch == NULL ? 0 : sm.ifetch->fetches,
                                  .fetch_misses = sm.ifetch == NULL ? 0 : sm.ifetch->misses};
    sm_free(&sm);
    return status;
}
