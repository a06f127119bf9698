#include "sim/gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "warp/trace/blocks.h"

static wb_status gpu_no_memory(wb_diagnostics *diagnostics) {
    return diagnose_out_of_memory(diagnostics, "simulation");
}

wb_status wb_gpu_new(const wb_grid *grid, const wb_machine *machine, wb_diagnostics *diagnostics,
                     wb_gpu **gpu) {
    struct wb_gpu *made = calloc(1, sizeof *made);
    if (made == NULL) return gpu_no_memory(diagnostics);
    made->threads = 1;
    wb_status status = timed_grid_make(grid, machine, diagnostics, &made->timed);
    if (status == WB_OK) {
        *gpu = made;
    } else {
        wb_gpu_free(made);
    }
    return status;
}

void wb_gpu_free(wb_gpu *gpu) {
    if (gpu == NULL) return;
    timed_grid_free(&gpu->timed);
    arena_free(&gpu->arena);
    vec_free(&gpu->simulations);
    vec_free(&gpu->runs);
    wb_grid_free(gpu->owned);
    free(gpu);
}

void wb_gpu_set_threads(wb_gpu *gpu, uint32_t threads) {
    gpu->threads = threads == 0 ? 1 : threads;
}

/* Whether `a` comes before `b` in the order of results. */
static bool run_before(const struct gpu_run *a, const struct gpu_run *b) {
    return a->scheme != b->scheme ? a->scheme < b->scheme : a->policy < b->policy;
}

/* The place of a run among those that were made; *found: it is one of them. */
static size_t run_place(const struct wb_gpu *gpu, const struct gpu_run *run, bool *found) {
    size_t place = 0;
    while (place < gpu->runs.count && run_before(&gpu->runs.items[place], run))
        place++;
    *found = place < gpu->runs.count && !run_before(run, &gpu->runs.items[place]);
    return place;
}

/* Simulates a scheme under a policy and keeps the result, once. */
static wb_status gpu_run_once(struct wb_gpu *gpu, const struct gpu_run *run, const wb_watch *watch,
                              wb_diagnostics *diagnostics) {
    bool found;
    size_t place = run_place(gpu, run, &found);
    if (found) return WB_OK;
    if (vec_reserve(&gpu->simulations, 1) != WB_OK || vec_reserve(&gpu->runs, 1) != WB_OK)
        return gpu_no_memory(diagnostics);
    struct gpu_scheme scheme = *gpu_scheme_at(run->scheme);
    scheme.policy = policy_at(run->policy);
    const struct gpu_options options = {.threads = gpu->threads, .watch = watch};
    double start = clock_elapsed();
    wb_gpu_simulation result;
    WB_TRY(gpu_simulate(&gpu->timed, &scheme, &options, diagnostics, &gpu->arena, &result));
    result.seconds = clock_elapsed() - start;
    wb_gpu_simulation *slot = gpu->simulations.items + place;
    struct gpu_run *run_slot = gpu->runs.items + place;
    memmove(slot + 1, slot, (gpu->simulations.count++ - place) * sizeof *slot);
    memmove(run_slot + 1, run_slot, (gpu->runs.count++ - place) * sizeof *run_slot);
    *slot = result;
    *run_slot = *run;
    return WB_OK;
}

static size_t policy_index(const struct sim_policy *policy) {
    return choose_index(policy->name, wb_policy_name);
}

/* Simulates a scheme under its own policy, or under those chosen: bit i for policy i. */
static wb_status gpu_run_scheme(struct wb_gpu *gpu, size_t scheme, uint64_t policies, const wb_watch *watch,
                                wb_diagnostics *diagnostics) {
    const struct gpu_scheme *known = gpu_scheme_at(scheme);
    if (policies == 0 || !known->policy->work_conserving)
        policies = UINT64_C(1) << policy_index(known->policy);
    for (size_t policy = 0; policy_at(policy) != NULL; policy++) {
        const struct gpu_run run = {scheme, policy};
        if (policies >> policy & 1) WB_TRY(gpu_run_once(gpu, &run, watch, diagnostics));
    }
    return WB_OK;
}

wb_status wb_gpu_simulate(wb_gpu *gpu, const char *schemes, const char *policies, const wb_watch *watch,
                          wb_diagnostics *diagnostics) {
    uint64_t chosen = 0, chosen_policies = 0;
    WB_TRY(grid_decline_covering(gpu->timed.grid, diagnostics));
    WB_TRY(choose_names("schemes", schemes, wb_scheme_name, diagnostics, &chosen));
    if (policies != NULL)
        WB_TRY(policies_choose(policies, gpu->timed.machine, diagnostics, &chosen_policies));
    for (size_t i = 0; gpu_scheme_at(i) != NULL; i++)
        if (chosen >> i & 1) WB_TRY(gpu_run_scheme(gpu, i, chosen_policies, watch, diagnostics));
    return WB_OK;
}

wb_status gpu_simulation_of(struct wb_gpu *gpu, const char *scheme, const wb_watch *watch,
                            wb_diagnostics *diagnostics, const wb_gpu_simulation **simulation) {
    size_t index = choose_index(scheme, wb_scheme_name);
    const struct gpu_run run = {index, policy_index(gpu_scheme_at(index)->policy)};
    WB_TRY(gpu_run_once(gpu, &run, watch, diagnostics));
    bool found;
    *simulation = &gpu->simulations.items[run_place(gpu, &run, &found)];
    return WB_OK;
}

const wb_gpu_simulation *wb_gpu_simulations(const wb_gpu *gpu, size_t *count) {
    *count = gpu->simulations.count;
    return gpu->simulations.items;
}
