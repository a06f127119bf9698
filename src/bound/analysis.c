#include "bound/analysis.h"

#include <string.h>
#include <time.h>

#include "base/choose.h"
#include "memory/access_costs.h"
#include "sim/simulator.h"
#include "warp/abstract_file.h"
#include "warp/block_timing.h"

/* Processor seconds of this thread so far. */
static double analysis_clock(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static wb_status analysis_no_memory(wb_diagnostics *diagnostics) {
    diagnose(diagnostics, SEVERITY_ERROR, "analysis", "out of memory");
    return WB_ERR_LIMIT;
}

/* An analysis of nothing yet, or NULL. */
static wb_analysis *analysis_make(void) {
    wb_analysis *made = calloc(1, sizeof *made);
    if (made != NULL) made->state_limit = ANALYSIS_STATE_LIMIT;
    return made;
}

/* Hands out an analysis when its times fit, else frees it. */
static wb_status analysis_finish(wb_analysis *made, wb_status status, wb_diagnostics *diagnostics,
                                 wb_analysis **analysis) {
    if (status == WB_OK) status = timed_block_check(made->timed, diagnostics);
    if (status == WB_OK) {
        *analysis = made;
    } else {
        wb_analysis_free(made);
    }
    return status;
}

wb_status analysis_of_timed(const struct timed_block *timed, wb_diagnostics *diagnostics,
                            wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    made->timed = timed;
    return analysis_finish(made, WB_OK, diagnostics, analysis);
}

/* Gives a traced block times, with the transactions of its accesses where the machine counts them. */
static wb_status time_block(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                            struct timed_block *timed) {
    struct execution_cost *costs;
    WB_TRY(access_costs_make(block, machine, diagnostics, &costs));
    wb_status status = timed_block_from(block, machine, costs, diagnostics, timed);
    free(costs);
    return status;
}

wb_status wb_analysis_new(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                          wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    made->block = block;
    made->timed = &made->own;
    wb_status status = time_block(block, machine, diagnostics, &made->own);
    return analysis_finish(made, status, diagnostics, analysis);
}

wb_status wb_analysis_read(const char *path, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    wb_analysis *made = analysis_make();
    if (made == NULL) return analysis_no_memory(diagnostics);
    made->timed = &made->by_hand.timed;
    wb_status status = abstract_file_read(path, diagnostics, &made->by_hand);
    return analysis_finish(made, status, diagnostics, analysis);
}

void wb_analysis_free(wb_analysis *analysis) {
    if (analysis == NULL) return;
    if (analysis->profiled) block_profile_free(&analysis->profile);
    timed_block_free(&analysis->own);
    abstract_block_free(&analysis->by_hand);
    vec_free(&analysis->bounds);
    vec_free(&analysis->simulations);
    free(analysis);
}

/* Where result number `index` stands among the results of *done, which it joins. */
static size_t analysis_place(uint64_t *done, size_t index) {
    uint64_t bit = UINT64_C(1) << index;
    *done |= bit;
    return (size_t)__builtin_popcountll(*done & (bit - 1));
}

/* The phases, shared by all methods: computed once. */
static wb_status analysis_profile(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics) {
    if (analysis->profiled) return WB_OK;
    WB_TRY(block_profile_make(analysis->timed, watch, diagnostics, &analysis->profile));
    analysis->profiled = true;
    return WB_OK;
}

/* Keeps a bound among the results, in the registry's order. */
static void analysis_keep(wb_analysis *analysis, size_t index, const wb_bound *bound) {
    size_t place = analysis_place(&analysis->methods_run, index);
    wb_bound *slot = analysis->bounds.items + place;
    memmove(slot + 1, slot, (analysis->bounds.count++ - place) * sizeof *slot);
    *slot = *bound;
}

/* Runs a method, unless `only_fitting` and it is not meant for blocks like this. */
static wb_status analysis_run_method(wb_analysis *analysis, size_t index, bool only_fitting,
                                     const wb_watch *watch, wb_diagnostics *diagnostics) {
    if (vec_reserve(&analysis->bounds, 1) != WB_OK) return analysis_no_memory(diagnostics);
    const struct bound_method *method = bound_method_at(index);
    double start = analysis_clock();
    WB_TRY(analysis_profile(analysis, watch, diagnostics));
    const struct bound_input input = {analysis->timed, &analysis->profile, watch, diagnostics,
                                      analysis->state_limit};
    if (only_fitting && method->fits != NULL && !method->fits(&input)) return WB_OK;
    wb_bound bound = {.method = method->name};
    wb_status status = method->run(&input, &bound);
    bool partial = status == WB_ERR_LIMIT && bound.cycles > 0;
    if (status != WB_OK && !partial) return status;
    if (bound.cycles == CYCLES_SATURATED) {
        diagnose(diagnostics, SEVERITY_ERROR, method->name, "the bound does not fit 64 bits");
        return WB_ERR_LIMIT;
    }
    bound_qualify(analysis->timed->machine, &bound);
    bound.seconds = analysis_clock() - start;
    analysis_keep(analysis, index, &bound);
    return status;
}

const wb_machine *wb_analysis_machine(const wb_analysis *analysis) {
    return analysis->timed->machine;
}

void wb_analysis_set_state_limit(wb_analysis *analysis, uint64_t states) {
    analysis->state_limit = states;
}

wb_status wb_analysis_bound(wb_analysis *analysis, const char *methods, const wb_watch *watch,
                            wb_diagnostics *diagnostics) {
    uint64_t chosen = 0;
    WB_TRY(choose_names("methods", methods, bound_method_find, wb_method_name, diagnostics, &chosen));
    chosen &= ~analysis->methods_run;
    bool only_fitting = strcmp(methods, "all") == 0;
    wb_status status = WB_OK;
    for (size_t i = 0; bound_method_at(i) != NULL; i++) {
        if (!(chosen >> i & 1)) continue;
        wb_status one = analysis_run_method(analysis, i, only_fitting, watch, diagnostics);
        if (one != WB_OK && one != WB_ERR_LIMIT) return one;
        if (one == WB_ERR_LIMIT) status = one;
    }
    return status;
}

static wb_status analysis_run_policy(wb_analysis *analysis, size_t index, const wb_watch *watch,
                                     wb_diagnostics *diagnostics) {
    if (vec_reserve(&analysis->simulations, 1) != WB_OK) return analysis_no_memory(diagnostics);
    double start = analysis_clock();
    wb_simulation simulation;
    WB_TRY(simulate(analysis->timed, policy_at(index), NULL, watch, diagnostics, &simulation));
    simulation.seconds = analysis_clock() - start;
    size_t place = analysis_place(&analysis->policies_run, index);
    wb_simulation *slot = analysis->simulations.items + place;
    memmove(slot + 1, slot, (analysis->simulations.count++ - place) * sizeof *slot);
    *slot = simulation;
    return WB_OK;
}

wb_status wb_analysis_simulate(wb_analysis *analysis, const char *policies, const wb_watch *watch,
                               wb_diagnostics *diagnostics) {
    uint64_t chosen = 0;
    WB_TRY(choose_names("policies", policies, policy_find, wb_policy_name, diagnostics, &chosen));
    chosen &= ~analysis->policies_run;
    for (size_t i = 0; policy_at(i) != NULL; i++) {
        if (chosen >> i & 1) WB_TRY(analysis_run_policy(analysis, i, watch, diagnostics));
    }
    return WB_OK;
}

const wb_bound *wb_analysis_bounds(const wb_analysis *analysis, size_t *count) {
    *count = analysis->bounds.count;
    return analysis->bounds.items;
}

const wb_simulation *wb_analysis_simulations(const wb_analysis *analysis, size_t *count) {
    *count = analysis->simulations.count;
    return analysis->simulations.items;
}

const wb_bound *wb_analysis_best(const wb_analysis *analysis) {
    const wb_bound *best = NULL;
    for (size_t i = 0; i < analysis->bounds.count; i++) {
        const wb_bound *bound = &analysis->bounds.items[i];
        if (bound->kind == WB_UPPER && (best == NULL || bound->cycles < best->cycles)) best = bound;
    }
    return best;
}

bool analysis_warp_bound(const wb_analysis *analysis, size_t method, uint32_t warp, cycles *value) {
    if (!(analysis->methods_run >> method & 1) || bound_method_at(method)->term == NULL) return false;
    const struct timed_block *timed = analysis->timed;
    const struct warp_group group = {timed->warp_path[warp], warp % timed->machine->sub_cores, 1};
    *value = profile_sum_of_group(&analysis->profile, bound_method_at(method)->term, &group);
    return true;
}
