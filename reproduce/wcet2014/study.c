#include "study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "bound/analysis/analysis.h"
#include "wings/abstract_cta/acta_turns.h"

/* Most bytes of the file with the abstract warp. */
#define SLIDE_FILE_MAX 65536u

#define METHODS "abstract-cta,abstract-cta-rr,abstract-cta-safe"

static const char *const kernels[KERNELS] = {"fir",         "gaussian_step", "histogram", "kmeans_distances",
                                             "lu_internal", "pathfinder",    "reduce",    "sgemm_naive",
                                             "sgemm_tiled", "stencil5"};

/* T_memory is 10, and barriers take nothing. */
static const struct formula formulas[FORMULAS] = {
    {"all threads of the warp take one side", "{3; 5}", "", 1, 10, "max(3, 5)", 0, 0},
    {"threads diverge", "<3; 5>", "", 1, 10, "3 + 5", 0, 0},
    {"a loop: the longest lane, 6 rounds of 2 + 3, and the test", "L(2: 3)", "loops: {L: 6}\n", 1, 10,
     "6 · 5 + 2", 0, 0},
    {"a wait, one warp", "1 m 1", "", 1, 10, "2 + max(0, 10 − 1)", 0, 0},
    {"a wait, four warps", "1 m 1", "", 4, 10, "8 + max(0, 10 − 4)", 0, 0},
    {"a wait, nine warps", "1 m 1", "", 9, 10, "18 + max(0, 10 − 9)", 0, 0},
    {"a wait, twelve warps", "1 m 1", "", 12, 10, "24 + max(0, 10 − 12)", 0, 0},
    {"two waits, four warps", "1 m 3 m 1", "", 4, 10, "20 + 2 · max(0, 10 − 4)", 0, 0},
    {"a wait with nothing behind it, four warps", "1 m", "", 4, 10, "4 + max(0, 10 − 4)", 0, 0},
};

const wb_bound *study_bound(const wb_analysis *analysis, const char *method) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(bounds[i].method, method) == 0) return &bounds[i];
    abort();
}

cycles study_simulated(const wb_analysis *analysis, const char *policy) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(simulations[i].policy, policy) == 0) return simulations[i].cycles;
    abort();
}

/* The slowest of the policies that bounds are about. */
static cycles slowest(const wb_analysis *analysis) {
    size_t count;
    cycles most = 0;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (simulations[i].work_conserving) most = cycles_max(most, simulations[i].cycles);
    return most;
}

/* Executes block 0 of a kernel with the launch of its name. */
static wb_status execute(const char *ptx, const char *launch_file, const wb_machine *machine,
                         wb_diagnostics *diagnostics, wb_module **module, wb_launch **launch,
                         wb_block **block) {
    const wb_kernel *kernel;
    const wb_trace_options options = {.size = sizeof options, .warp_width = wb_machine_warp_width(machine)};
    WB_TRY(wb_module_read(ptx, diagnostics, module));
    WB_TRY(wb_launch_read(launch_file, WB_FILES_BELOW, diagnostics, launch));
    WB_TRY(wb_module_find_kernel(*module, wb_launch_kernel(*launch), diagnostics, &kernel));
    return wb_block_trace(kernel, *launch, &options, diagnostics, block);
}

static wb_status analyse(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics,
                         wb_analysis **analysis) {
    WB_TRY(wb_analysis_new(block, machine, diagnostics, analysis));
    WB_TRY(wb_analysis_bound(*analysis, METHODS, NULL, diagnostics));
    return wb_analysis_simulate(*analysis, "all", NULL, diagnostics);
}

static wb_status analyse_slide(wb_diagnostics *diagnostics, struct study *study) {
    WB_TRY(wb_machine_load(MACHINE, diagnostics, &study->machine));
    WB_TRY(wb_machine_load(MACHINE, diagnostics, &study->executed_machine));
    WB_TRY(wb_machine_set(study->executed_machine, "abstract_cta.uniform_branch=executed", diagnostics));
    WB_TRY(execute(SLIDE_PTX, SLIDE_LAUNCH, study->machine, diagnostics, &study->module, &study->launch,
                   &study->block));
    WB_TRY(analyse(study->block, study->machine, diagnostics, &study->analysis));
    return analyse(study->block, study->executed_machine, diagnostics, &study->executed);
}

static wb_status analyse_kernel(const char *name, wb_diagnostics *diagnostics, struct kernel_times *times) {
    char ptx[128], launch_file[128];
    wb_machine *machine = NULL;
    wb_module *module = NULL;
    wb_launch *launch = NULL;
    wb_block *block = NULL;
    wb_analysis *analysis = NULL;
    (void)snprintf(ptx, sizeof ptx, "kernels/%s.ptx", name);
    (void)snprintf(launch_file, sizeof launch_file, "kernels/%s.yaml", name);
    wb_status status = wb_machine_load(MACHINE, diagnostics, &machine);
    if (status == WB_OK) status = wb_machine_set(machine, "warp_width=32", diagnostics);
    if (status == WB_OK) status = execute(ptx, launch_file, machine, diagnostics, &module, &launch, &block);
    if (status == WB_OK) status = analyse(block, machine, diagnostics, &analysis);
    if (status == WB_OK)
        *times = (struct kernel_times){name, study_bound(analysis, "abstract-cta")->cycles,
                                       study_bound(analysis, "abstract-cta-rr")->cycles,
                                       study_bound(analysis, "abstract-cta-safe")->cycles, slowest(analysis)};
    wb_analysis_free(analysis);
    wb_block_free(block);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_machine_free(machine);
    return status;
}

/* Bounds abstract warps that a text describes. */
static wb_status analyse_text(const char *text, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    WB_TRY(analysis_parse("warps", text, strlen(text), diagnostics, analysis));
    return wb_analysis_bound(*analysis, "abstract-cta,abstract-cta-rr", NULL, diagnostics);
}

static wb_status try_formula(wb_diagnostics *diagnostics, struct formula *formula) {
    char text[512];
    wb_analysis *analysis = NULL;
    (void)snprintf(text, sizeof text,
                   "abstract_warp: \"formula\"\nmachine: " MACHINE "\nwarps: %u\n"
                   "set: [abstract_cta.memory_latency=%u, abstract_cta.barrier_slots=0]\n%sprogram: \"%s\"\n",
                   formula->warps, formula->latency, formula->loops, formula->program);
    wb_status status = analyse_text(text, diagnostics, &analysis);
    if (status == WB_OK) {
        formula->sum = study_bound(analysis, "abstract-cta")->cycles;
        formula->turns = study_bound(analysis, "abstract-cta-rr")->cycles;
    }
    wb_analysis_free(analysis);
    return status;
}

/* How far warps are apart behind so many rows without barriers. */
static wb_status part_rows(unsigned rows, wb_diagnostics *diagnostics, cycles *apart) {
    char text[512];
    wb_analysis *analysis = NULL;
    (void)snprintf(text, sizeof text,
                   "abstract_warp: \"rows\"\nmachine: " MACHINE "\nwarps: 4\nloops: {ROWS: %u}\n"
                   "program: \"7 ROWS(2: 7/1 {4 m}@01 3)\"\n",
                   rows);
    wb_status status = analyse_text(text, diagnostics, &analysis);
    if (status == WB_OK) *apart = study_bound(analysis, "abstract-cta")->windows[0].apart;
    wb_analysis_free(analysis);
    return status;
}

static wb_status find_windows(wb_diagnostics *diagnostics, struct study *study) {
    const wb_bound *bound = study_bound(study->analysis, "abstract-cta");
    unsigned row = 0;
    for (size_t i = 0; i < bound->window_count; i++)
        for (uint64_t k = 0; k < bound->windows[i].count && row < ROWS; k++)
            study->windows.before[row++] = bound->windows[i].apart;
    for (row = 0; row < ROWS; row++)
        WB_TRY(part_rows(row + 1, diagnostics, &study->windows.without[row]));
    return WB_OK;
}

static wb_status read_slide(wb_diagnostics *diagnostics, struct study *study) {
    char *text = NULL;
    size_t size;
    WB_TRY(file_read(SLIDE_FILE, SLIDE_FILE_MAX, diagnostics, &text, &size));
    wb_status status = acta_warp_file_parse(SLIDE_FILE, text, size, diagnostics, &study->slide);
    free(text);
    return status;
}

wb_status study_run(wb_diagnostics *diagnostics, struct study *study) {
    *study = (struct study){0};
    memcpy(study->formulas, formulas, sizeof formulas);
    WB_TRY(read_slide(diagnostics, study));
    WB_TRY(conventions_find(&study->slide, diagnostics, &study->conventions));
    WB_TRY(analyse_slide(diagnostics, study));
    WB_TRY(find_windows(diagnostics, study));
    for (unsigned i = 0; i < FORMULAS; i++)
        WB_TRY(try_formula(diagnostics, &study->formulas[i]));
    for (unsigned i = 0; i < KERNELS; i++)
        WB_TRY(analyse_kernel(kernels[i], diagnostics, &study->kernels[i]));
    return WB_OK;
}

void study_free(struct study *study) {
    acta_warp_file_free(&study->slide);
    conventions_free(&study->conventions);
    wb_analysis_free(study->analysis);
    wb_analysis_free(study->executed);
    wb_block_free(study->block);
    wb_launch_free(study->launch);
    wb_module_free(study->module);
    wb_machine_free(study->machine);
    wb_machine_free(study->executed_machine);
}
