#include "wings/gpgpusim/gpgpusim.h"

#include "wings/gpgpusim/pipeline.h"

/* The block is placed in cycle 1; its warps issue from cycle 2 on. */
#define FIRST_ISSUE 2u

/* How many issues pass between two looks at the watch. */
#define WATCH_PERIOD ((uint64_t)1 << 16)

/* One cycle, in the simulator's order of stages. */
static void run_cycle(struct gs_sm *sm) {
    sm->moved = false;
    gs_units_write_back(sm);
    gs_units_start(sm);
    gs_lsu_cycle(sm);
    gs_collector_cycle(sm);
    gs_frontend_issue(sm);
}

static wb_status look_at_watch(struct gs_sm *sm, const wb_watch *watch, wb_diagnostics *diagnostics) {
    if (sm->executed < sm->watch_at || watch == NULL || watch->poll == NULL) return WB_OK;
    sm->watch_at = sm->executed + WATCH_PERIOD;
    if (watch->poll(watch->user, sm->policy->name, sm->executed, sm->total)) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, sm->policy->name, "simulation stopped");
    return WB_ERR_LIMIT;
}

/* When something can happen after this cycle. After a cycle in which nothing has moved, nothing does until a
 * unit is free or has a result. */
static cycles next_cycle(const struct gs_sm *sm) {
    if (sm->moved || gs_lsu_busy(sm)) return sm->now + 1;
    return gs_units_next(sm);
}

static wb_status run(struct gs_sm *sm, const wb_watch *watch, wb_diagnostics *diagnostics) {
    for (sm->now = FIRST_ISSUE; sm->now != CYCLES_SATURATED; sm->now = next_cycle(sm)) {
        WB_TRY(look_at_watch(sm, watch, diagnostics));
        run_cycle(sm);
        WB_TRY(sm->status);
    }
    gs_replies_advance(&sm->lsu.replies, CYCLES_SATURATED, &sm->status);
    WB_TRY(sm->status);
    if (sm->frontend.live > 0) return diagnose_stuck(diagnostics, sm->policy->name);
    /* The cycle in which the last warp is taken off is the last, and the simulator counts from 0. */
    sm->result.cycles = cycles_max(sm->result.last_commit, sm->lsu.replies.last) + 1;
    return WB_OK;
}

static wb_status refuse(const struct gs_sm *sm, wb_diagnostics *diagnostics, const char *message) {
    diagnose(diagnostics, SEVERITY_ERROR, sm->timed->machine->name, "%s", message);
    return WB_ERR_INPUT;
}

/* Makes all parts of the SM ready for the first cycle. */
static wb_status prepare(struct gs_sm *sm, wb_diagnostics *diagnostics) {
    const struct wb_machine *machine = sm->timed->machine;
    if (machine->sub_cores != 1 || machine->issue_width != 1)
        return refuse(sm, diagnostics,
                      "the model gpgpusim has one sub-core that issues from one warp a cycle");
    if (sm->timed->warp_count > 64)
        return refuse(sm, diagnostics, "the model gpgpusim executes at most 64 warps");
    if (sm->block == NULL || sm->block->kernel->module->code != NULL)
        return refuse(sm, diagnostics, "the model gpgpusim executes PTX only");
    if (sm->block->accesses == NULL)
        return refuse(sm, diagnostics, "the model gpgpusim needs the block's accesses; have them recorded");
    if (sm->timed->code.queues[QUEUE_COPIES].count + sm->timed->code.queues[QUEUE_BULK_COPIES].count > 0) {
        (void)refuse(sm, diagnostics, "the model gpgpusim does not support waits for asynchronous copies");
        return WB_ERR_DECLINED;
    }
    WB_TRY(gs_code_make(sm->block, sm->timed, &sm->arena, diagnostics, &sm->code));
    WB_TRY(gs_collector_init(sm, diagnostics));
    gs_lsu_init(sm);
    if (gs_units_init(sm) && gs_frontend_init(sm)) return WB_OK;
    return diagnose_out_of_memory(diagnostics, machine->name);
}

wb_status gpgpusim_simulate(const struct timed_block *timed, const struct sim_policy *policy,
                            const struct sim_sink *sink, const wb_watch *watch, wb_diagnostics *diagnostics,
                            wb_simulation *result) {
    struct gs_sm *sm = calloc(1, sizeof *sm);
    if (sm == NULL) return diagnose_out_of_memory(diagnostics, policy->name);
    sm->block = timed->traced;
    sm->timed = timed;
    sm->config = &timed->machine->gpgpusim;
    sm->policy = policy;
    sm->events.sink = sink;
    sm->result = (wb_simulation){.policy = policy->name, .work_conserving = policy->work_conserving};
    wb_status status = prepare(sm, diagnostics);
    if (status == WB_OK) status = run(sm, watch, diagnostics);
    if (status == WB_OK) *result = sm->result;
    gs_flights_free(sm);
    gs_replies_free(&sm->lsu.replies);
    free(sm->lsu.pipeline.items);
    arena_free(&sm->arena);
    free(sm);
    return status;
}
