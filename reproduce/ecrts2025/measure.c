#include "measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "warp/timed/timed.h"

/* GPGPU-Sim places a block in cycle 1, so that the first instruction issues in cycle 2 (docs/gpgpusim.md). */
#define GPGPUSIM_FIRST_ISSUE 2u

const char *const method_titles[METHOD_COUNT] = {"GUB", "SIB", "FIB", "ALN", "FIFO", "ELB"};
const char *const policy_titles[POLICY_COUNT] = {"LRR", "GTO"};

static const char *const method_names[METHOD_COUNT] = {"gub", "sib", "fib", "aln", "fifo", "elb"};
static const char *const policy_names[POLICY_COUNT] = {"lrr", "gto"};

double overestimation(uint64_t bound, uint64_t simulated) {
    return 100.0 * ((double)bound / (double)simulated - 1.0);
}

wb_status measure_settings(wb_machine *machine, const char *const *settings, wb_diagnostics *diagnostics) {
    for (; *settings != NULL; settings++)
        WB_TRY(wb_machine_set(machine, *settings, diagnostics));
    return WB_OK;
}

wb_status measure_machine(const char *preset, const char *const *settings, wb_diagnostics *diagnostics,
                          wb_machine **machine) {
    wb_machine *loaded = NULL;
    WB_TRY(wb_machine_load(preset, diagnostics, &loaded));
    wb_status status = measure_settings(loaded, settings, diagnostics);
    if (status == WB_OK)
        *machine = loaded;
    else
        wb_machine_free(loaded);
    return status;
}

/* Cycles of one method, which has been run. */
static uint64_t bound_of(const wb_analysis *analysis, const char *method) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    size_t i = 0;
    while (i + 1 < count && strcmp(bounds[i].method, method) != 0)
        i++;
    return bounds[i].cycles;
}

/* Cycles from the first issue to the last commit under one policy, which has been simulated. */
static uint64_t simulation_of(const wb_analysis *analysis, const char *policy) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    size_t i = 0;
    while (i + 1 < count && strcmp(simulations[i].policy, policy) != 0)
        i++;
    bool counts_from_placement = wb_analysis_machine(analysis)->model == MACHINE_GPGPUSIM;
    return simulations[i].last_commit - (counts_from_placement ? GPGPUSIM_FIRST_ISSUE : 0);
}

static wb_status simulate_policies(wb_analysis *analysis, wb_diagnostics *diagnostics,
                                   uint64_t simulated[POLICY_COUNT]) {
    WB_TRY(wb_analysis_simulate(analysis, "lrr,gto", NULL, diagnostics));
    for (size_t p = 0; p < POLICY_COUNT; p++)
        simulated[p] = simulation_of(analysis, policy_names[p]);
    return WB_OK;
}

/* Bounds and simulations of all warps. */
static wb_status measure_all(wb_analysis *analysis, wb_diagnostics *diagnostics,
                             struct measurement *measurement) {
    WB_TRY(wb_analysis_bound(analysis, "gub,sib,fib,aln,fifo,elb", NULL, diagnostics));
    for (size_t m = 0; m < METHOD_COUNT; m++)
        measurement->bounds[m] = bound_of(analysis, method_names[m]);
    return simulate_policies(analysis, diagnostics, measurement->simulated);
}

/* The multi-phase profile of a block of one warp, whose end is its GUB. It runs through barriers, at which
 * the warp waits for nobody. */
static wb_status measure_profile(const struct timed_block *isolated, wb_diagnostics *diagnostics,
                                 uint64_t *profile) {
    struct timed_block open = *isolated;
    wb_analysis *analysis = NULL;
    open.code.insts = calloc((size_t)isolated->code.inst_count + 1, sizeof *open.code.insts);
    if (open.code.insts == NULL) return diagnose_out_of_memory(diagnostics, "the profile of a warp");
    for (uint32_t i = 0; i < isolated->code.inst_count; i++) {
        open.code.insts[i] = isolated->code.insts[i];
        open.code.insts[i].barrier = false;
    }
    wb_status status = analysis_of_timed(&open, diagnostics, &analysis);
    if (status == WB_OK) status = wb_analysis_bound(analysis, "gub", NULL, diagnostics);
    if (status == WB_OK) *profile = bound_of(analysis, "gub");
    wb_analysis_free(analysis);
    free(open.code.insts);
    return status;
}

/* Profile and simulation of warp 0, isolated, where every policy takes the same time. */
static wb_status measure_isolated(const struct timed_block *timed, wb_diagnostics *diagnostics,
                                  struct measurement *measurement) {
    struct timed_block isolated = *timed;
    wb_analysis *analysis = NULL;
    /* The path of warp 0 is the first of the distinct ones. */
    isolated.path_count = isolated.warp_count = 1;
    WB_TRY(measure_profile(&isolated, diagnostics, &measurement->profile));
    WB_TRY(analysis_of_timed(&isolated, diagnostics, &analysis));
    wb_status status = wb_analysis_simulate(analysis, "lrr", NULL, diagnostics);
    if (status == WB_OK) measurement->isolated = simulation_of(analysis, "lrr");
    wb_analysis_free(analysis);
    return status;
}

wb_status measure_block(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                        struct measurement *measurement) {
    struct timed_block timed;
    wb_analysis *analysis = NULL;
    WB_TRY(timed_block_from(block, machine, NULL, diagnostics, &timed));
    wb_status status = analysis_of_timed(&timed, diagnostics, &analysis);
    if (status == WB_OK) status = measure_all(analysis, diagnostics, measurement);
    if (status == WB_OK) status = measure_isolated(&timed, diagnostics, measurement);
    wb_analysis_free(analysis);
    timed_block_free(&timed);
    return status;
}

wb_status measure_simulations(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                              uint64_t simulated[POLICY_COUNT]) {
    wb_analysis *analysis = NULL;
    WB_TRY(wb_analysis_new(block, machine, diagnostics, &analysis));
    wb_status status = simulate_policies(analysis, diagnostics, simulated);
    wb_analysis_free(analysis);
    return status;
}
