/* Simulations of what is analysed, by policies, beside its bounds. */
#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "sim/gpu/gpu.h"

/* Simulates the grid, or the isolated block, on the GPU. */
static wb_status analysis_simulate_gpu(const wb_analysis *analysis, const struct sim_policy *policy,
                                       const wb_watch *watch, wb_diagnostics *diagnostics,
                                       wb_simulation *simulation) {
    struct gpu_scheme scheme = *analysis->scheme;
    scheme.policy = policy;
    const bool alone = analysis->kind == SUBJECT_CONTENDED_BLOCK;
    struct block_times isolated = {0};
    const struct gpu_options options = {.watch = watch, .block_times = alone ? &isolated : NULL};
    struct arena arena = {0};
    wb_gpu_simulation result;
    *simulation = (wb_simulation){.policy = policy->name, .work_conserving = policy->work_conserving};
    wb_status status = gpu_simulate(&analysis->grid_times, &scheme, &options, diagnostics, &arena, &result);
    if (status == WB_OK) {
        /* The block's own time begins when it has been dispatched. */
        simulation->cycles = simulation->last_commit = result.cycles - isolated.start;
        simulation->last_issue = cycles_sub(result.last_issue, isolated.start);
        simulation->warp_instructions = result.warp_instructions;
        simulation->fetches = result.fetches;
        simulation->fetch_misses = result.fetch_misses;
    }
    arena_free(&arena);
    return status;
}

const char *analysis_unsimulated(const struct wb_analysis *analysis) {
    if (analysis->kind == SUBJECT_OF_WING) return analysis->reader->unsimulated;
    if (analysis->grid_times.grid != NULL && grid_is_counted(analysis->grid_times.grid)) return GRID_COUNTED;
    if (analysis->facts != NULL) return "covering paths cannot be simulated: no warp executes all of them";
    return NULL;
}

/* Why the machine does not issue by a policy, or NULL. */
static const char *policy_objection(const struct wb_machine *machine, const struct sim_policy *policy) {
    if (machine->policy == MACHINE_POLICY_ANY || policy == &policy_oldest)
        return policy_misfit(policy, machine);
    return "the machine issues of the oldest block first (policy: oldest)";
}

/* Simulates one policy and keeps the result. */
static wb_status analysis_try_policy(wb_analysis *analysis, size_t index, const wb_watch *watch,
                                     wb_diagnostics *messages) {
    if (vec_reserve(&analysis->simulations, 1) != WB_OK) return analysis_no_memory(messages);
    const struct sim_policy *policy = policy_at(index);
    const struct wb_analysis *executed = analysis_executed(analysis);
    const char *objection = analysis_unsimulated(analysis);
    if (objection == NULL) objection = policy_objection(analysis->machine, policy);
    double start = clock_of_thread();
    wb_simulation simulation;
    if (objection != NULL) {
        diagnose(messages, SEVERITY_ERROR, analysis->name, "%s", objection);
        return WB_ERR_DECLINED;
    }
    if (analysis->kind == SUBJECT_BLOCK)
        WB_TRY(simulate(executed->timed, policy, NULL, watch, messages, &simulation));
    else
        WB_TRY(analysis_simulate_gpu(executed, policy, watch, messages, &simulation));
    simulation.seconds = clock_of_thread() - start;
    wb_simulation *slot = method_place(&analysis->policies_run, index, analysis->simulations.items,
                                       &analysis->simulations.count, sizeof *slot);
    *slot = simulation;
    return WB_OK;
}

static wb_status analysis_run_policy(void *user, size_t index, struct method_run *run) {
    wb_analysis *analysis = user;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return analysis_no_memory(run->diagnostics);
    struct method_outcome outcome = {.method = policy_at(index)->name, .named = true};
    outcome.status = analysis_try_policy(analysis, index, &run->watch, messages);
    outcome.has_result = outcome.status == WB_OK;
    return method_run_note(run, &analysis->log, &outcome, messages);
}

uint64_t analysis_instructions(const struct wb_analysis *analysis) {
    const struct timed_block *timed = analysis->timed;
    if (analysis->kind == SUBJECT_CACHED_GRID) return analysis->memory.total.initiations;
    uint64_t instructions = 0;
    for (uint32_t w = 0; timed != NULL && w < timed->warp_count; w++)
        instructions = cycles_add(instructions, timed->paths[timed->warp_path[w]].length);
    for (size_t k = 0; k < analysis->work.classes.count; k++) {
        const struct block_class *kind = &analysis->work.classes.items[k];
        instructions = cycles_add(instructions, cycles_mul(kind->instructions, kind->blocks));
    }
    return instructions;
}

/* Simulates the chosen policies. */
static wb_status analysis_run_policies(wb_analysis *analysis, const char *policies, struct method_run *run) {
    uint64_t chosen = 0;
    WB_TRY(policies_choose(policies, analysis->machine, run->diagnostics, &chosen));
    return method_run_chosen(run, chosen, &analysis->policies_run, analysis_run_policy, analysis);
}

/* Simulates the policies that the bounds are about and are usually held against, unless more than `*left`
 * instructions would be simulated for them. */
static wb_status analysis_simulate_usual(wb_analysis *analysis, uint64_t *left, struct method_run *run) {
    const bool conserving = analysis->scheme->policy->work_conserving;
    const char *usual = conserving ? wb_machine_policies(analysis->machine) : policy_rr.name;
    uint64_t chosen = 0;
    WB_TRY(policies_choose(usual, analysis->machine, run->diagnostics, &chosen));
    const uint64_t policies = (uint64_t)__builtin_popcountll(chosen);
    const uint64_t instructions = cycles_mul(analysis_instructions(analysis), policies);
    if (instructions <= *left) {
        *left -= instructions;
        return analysis_run_policies(analysis, usual, run);
    }
    analysis->too_large = true;
    static const char reason[] = "more instructions than are simulated unless it is named";
    for (size_t i = 0; policy_at(i) != NULL; i++)
        if (chosen >> i & 1) WB_TRY(method_decline(&analysis->log, policy_at(i)->name, WB_OK, reason));
    return WB_OK;
}

wb_status wb_analysis_simulate(wb_analysis *analysis, const char *policies, const wb_watch *watch,
                               wb_diagnostics *diagnostics) {
    struct wb_analysis *const analyses[] = {analysis->longest, analysis};
    uint64_t left = analysis_has_zeros(analysis) ? ZEROS_SIMULATED_MAX : ANALYSIS_SIMULATED_MAX;
    struct method_run run;
    WB_TRY(method_run_begin(&run, "analysis", watch, diagnostics));
    wb_status status = WB_OK;
    for (size_t i = 0; i < 2 && status == WB_OK; i++) {
        if (analyses[i] == NULL) continue;
        status = policies == NULL ? analysis_simulate_usual(analyses[i], &left, &run)
                                  : analysis_run_policies(analyses[i], policies, &run);
    }
    wb_status ended = method_run_end(&run);
    return status != WB_OK ? status : ended;
}
