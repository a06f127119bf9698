#include "study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "memory/caches/caches.h"
#include "sim/gpu/gpu.h"

const char *const scheme_names[SCHEME_COUNT] = {"default", "pure-rr", "reorder"};

/* The presets of the three caches, and how tables call them. */
static const char *const presets[SIZE_COUNT] = {"jcse2017", "jcse2017-32k", "jcse2017-64k"};
const char *const size_names[SIZE_COUNT] = {"16 kB", "32 kB", "64 kB"};

/* The kernels, and the folders of their launches: those of kernels/ are too small to fill 15 SMs, but for the
 * two that read a graph. */
#define LARGE "reproduce/jcse2017/launches"
#define SMALL "kernels"
static const struct {
    const char *name, *launches;
} cases[] = {
    {"backprop_layer", LARGE},    {"bfs_level", SMALL},          {"gaussian_step", LARGE},
    {"hotspot", LARGE},           {"kmeans_distances", LARGE},   {"lu_internal", LARGE},
    {"nearest_neighbour", LARGE}, {"needleman_wave", LARGE},     {"pathfinder", LARGE},
    {"sgemm_naive", LARGE},       {"sparse_matvec", SMALL},      {"srad_diffuse", LARGE},
    {"stencil5", LARGE},          {"streamcluster_gain", LARGE}, {"transpose", LARGE},
};

enum { CASE_COUNT = sizeof cases / sizeof *cases };

/* A kernel while it is measured. */
struct experiment {
    wb_diagnostics *diagnostics;
    wb_module *module;
    const wb_kernel *kernel;
    wb_launch *launch;
    wb_grid *grid;
};

static wb_status experiment_load(size_t index, struct experiment *experiment) {
    char path[256];
    (void)snprintf(path, sizeof path, SMALL "/%s.ptx", cases[index].name);
    WB_TRY(wb_module_read(path, experiment->diagnostics, &experiment->module));
    (void)snprintf(path, sizeof path, "%s/%s.yaml", cases[index].launches, cases[index].name);
    WB_TRY(wb_launch_read(path, WB_FILES_BELOW, experiment->diagnostics, &experiment->launch));
    WB_TRY(wb_module_find_kernel(experiment->module, wb_launch_kernel(experiment->launch),
                                 experiment->diagnostics, &experiment->kernel));
    const wb_grid_options options = {.size = sizeof options, .allow_unmapped = false};
    return wb_grid_trace(experiment->kernel, experiment->launch, &options, experiment->diagnostics,
                         &experiment->grid);
}

static void experiment_free(struct experiment *experiment) {
    wb_grid_free(experiment->grid);
    wb_launch_free(experiment->launch);
    wb_module_free(experiment->module);
}

/* The simulations of all schemes, and the estimate of the misses. */
static wb_status measure_simulations(const struct experiment *experiment, const wb_machine *machine,
                                     struct study_kernel *kernel, struct measurement *at) {
    wb_gpu *gpu = NULL;
    struct miss_estimate estimate = {0};
    wb_status status = wb_gpu_new(experiment->grid, machine, experiment->diagnostics, &gpu);
    for (size_t s = 0; status == WB_OK && s < SCHEME_COUNT; s++) {
        const wb_gpu_simulation *simulation;
        status = gpu_simulation_of(gpu, scheme_names[s], NULL, experiment->diagnostics, &simulation);
        if (status != WB_OK) break;
        at->simulated[s] = simulation->cycles;
        at->misses[s] = simulation->misses;
        at->loads = simulation->loads;
        kernel->instructions = simulation->warp_instructions;
    }
    if (status == WB_OK)
        status = miss_estimate_make(&gpu->timed.traffic, 1, experiment->diagnostics, &estimate);
    if (status == WB_OK) at->misses_estimated = estimate.total.load_misses;
    miss_estimate_free(&estimate);
    wb_gpu_free(gpu);
    return status;
}

/* The value of a method of an analysis. */
static uint64_t value_of(const wb_analysis *analysis, const char *method) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(bounds[i].method, method) == 0) return bounds[i].cycles;
    return 0;
}

/* The least proven bound under a scheme, and what the segment equations say. */
static wb_status measure_bounds(const struct experiment *experiment, const wb_machine *machine,
                                enum scheme scheme, struct measurement *at, uint64_t *upper) {
    wb_analysis *analysis = NULL;
    wb_status status = analysis_new_grid(experiment->grid, machine, scheme_names[scheme],
                                         experiment->diagnostics, &analysis);
    if (status == WB_OK) status = wb_analysis_bound(analysis, "all", NULL, experiment->diagnostics);
    if (status == WB_OK) {
        *upper = wb_analysis_best(analysis)->cycles;
        at->wcet_all_miss = value_of(analysis, "segments");
        at->wcet_miss_rate = value_of(analysis, "segments-missrate");
    }
    wb_analysis_free(analysis);
    return status;
}

static wb_status measure(const struct experiment *experiment, size_t size, struct study_kernel *kernel) {
    wb_machine *machine = NULL;
    struct measurement *at = &kernel->at[size];
    wb_status status = wb_machine_load(presets[size], experiment->diagnostics, &machine);
    if (status == WB_OK) status = measure_simulations(experiment, machine, kernel, at);
    if (status == WB_OK) status = measure_bounds(experiment, machine, SCHEME_DEFAULT, at, &at->upper_default);
    if (status == WB_OK) status = measure_bounds(experiment, machine, SCHEME_REORDER, at, &at->upper_reorder);
    wb_machine_free(machine);
    return status;
}

static wb_status study_kernel_run(size_t index, wb_diagnostics *diagnostics, struct study_kernel *kernel) {
    struct experiment experiment = {.diagnostics = diagnostics};
    wb_status status = experiment_load(index, &experiment);
    kernel->name = cases[index].name;
    if (status == WB_OK) {
        kernel->blocks = (uint32_t)experiment.grid->blocks.count;
        kernel->warps = experiment.grid->warp_count;
    }
    for (size_t size = 0; status == WB_OK && size < SIZE_COUNT; size++)
        status = measure(&experiment, size, kernel);
    if (status == WB_OK)
        status = isolated_measure(experiment.kernel, experiment.launch, diagnostics, &kernel->isolated);
    experiment_free(&experiment);
    return status;
}

wb_status study_run(wb_diagnostics *diagnostics, struct study *study) {
    *study = (struct study){.kernels = calloc(CASE_COUNT, sizeof *study->kernels)};
    if (study->kernels == NULL) return diagnose_out_of_memory(diagnostics, "study");
    for (; study->kernel_count < CASE_COUNT; study->kernel_count++)
        WB_TRY(study_kernel_run(study->kernel_count, diagnostics, &study->kernels[study->kernel_count]));
    return WB_OK;
}

void study_free(struct study *study) {
    free(study->kernels);
}

double study_mean(const struct study *study, size_t size, study_value *value) {
    double sum = 0;
    for (size_t k = 0; k < study->kernel_count; k++)
        sum += value(&study->kernels[k].at[size]);
    return sum / (double)study->kernel_count;
}

/* In percent; 0 of nothing. */
static double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

double value_miss_rate(const struct measurement *measurement) {
    return percent(measurement->misses[SCHEME_REORDER], measurement->loads);
}

double value_miss_rate_estimated(const struct measurement *measurement) {
    return percent(measurement->misses_estimated, measurement->loads);
}

double value_estimate_ratio(const struct measurement *measurement) {
    return percent(measurement->misses_estimated, measurement->misses[SCHEME_REORDER]) / 100;
}

double value_over_all_miss(const struct measurement *measurement) {
    return percent(measurement->wcet_all_miss, measurement->simulated[SCHEME_REORDER]) - 100;
}

double value_over_miss_rate(const struct measurement *measurement) {
    return percent(measurement->wcet_miss_rate, measurement->simulated[SCHEME_REORDER]) - 100;
}

double value_over_upper(const struct measurement *measurement) {
    return percent(measurement->upper_reorder, measurement->simulated[SCHEME_REORDER]) - 100;
}
