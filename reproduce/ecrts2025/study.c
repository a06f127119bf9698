#include "study.h"

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "kernel_index.h"
#include "warp/path/path.h"

const unsigned study_latencies[LATENCY_COUNT] = {5, 10, 25, 50, 100, 200, 400};
const unsigned study_warps[WARPS_COUNT] = {4, 8, 16, 32};
const struct sgemm_kernel study_sgemm_kernels[SGEMM_COUNT] = {
    [SGEMM_NAIVE] = {"sgemm_naive", 1},
    [SGEMM_DOUBLE_BUFFERED] = {"sgemm_double_buffered", 1},
    [SGEMM_LOADS_TOGETHER] = {"sgemm_loads_together", 1},
    [SGEMM_REGISTER_TILED] = {"sgemm_register_tiled", 4},
};

_Static_assert(STUDY_NAME_MAX == KERNEL_FIELD_MAX, "names are copied");

const char *study_preset(enum model model, size_t latency) {
    if (model == MODEL_PLAIN) return "ecrts2025-orin";
    /* The authors' configuration for 5 cycles differs from the others in more than the latency. */
    return latency == STUDY_SHORTEST ? "gpgpusim-orin-5l" : "gpgpusim-orin";
}

/* Measures a block on the machine of a model at a latency, with a setting on top where one is given. The
 * paper takes every access for one pipelined transaction. */
static wb_status measure_on(const wb_block *block, enum model model, size_t latency, const char *setting,
                            wb_diagnostics *diagnostics, struct measurement *measurement) {
    char assignment[32];
    const char *const settings[] = {assignment, "requests=ideal", setting, NULL};
    wb_machine *machine = NULL;
    (void)snprintf(assignment, sizeof assignment, "mem_latency=%u", study_latencies[latency]);
    WB_TRY(measure_machine(study_preset(model, latency), settings, diagnostics, &machine));
    wb_status status = measure_block(block, machine, diagnostics, measurement);
    wb_machine_free(machine);
    return status;
}

/* How often the path of warp 0 goes on elsewhere than with the next instruction, or with other lanes. */
static uint64_t count_jumps(const wb_block *block) {
    struct path_cursor cursor = path_begin(&block->paths.items[block->warp_path[0]]);
    struct path_step last, step;
    uint64_t jumps = 0;
    if (!path_next(&cursor, &last)) return 0;
    for (; path_next(&cursor, &step); last = step)
        if (step.instruction != last.instruction + 1 || step.mask != last.mask) jumps++;
    return jumps;
}

/* Everything that is measured of one block of the index. */
static wb_status measure_kernel(const wb_block *block, wb_diagnostics *diagnostics,
                                struct study_kernel *kernel) {
    kernel->warps = wb_block_warp_count(block);
    kernel->jumps = count_jumps(block);
    for (uint32_t w = 0; w < kernel->warps; w++)
        kernel->instructions += wb_block_warp_instructions(block, w);
    for (size_t m = 0; m < MODEL_COUNT; m++)
        for (size_t l = 0; l < LATENCY_COUNT; l++)
            WB_TRY(measure_on(block, (enum model)m, l, NULL, diagnostics, &kernel->at[m][l]));
    WB_TRY(measure_on(block, MODEL_GPGPUSIM, STUDY_SHORTEST, STUDY_WIDE_STORES, diagnostics,
                      &kernel->wide_stores));
    return ablation_measure(block, diagnostics, &kernel->ablation);
}

static wb_status run_kernel(const struct kernel_case *entry, wb_diagnostics *diagnostics,
                            struct study *study) {
    struct specimen specimen;
    struct study_kernel kernel = {0};
    memcpy(kernel.name, entry->name, sizeof kernel.name);
    WB_TRY(specimen_read(entry->ptx, entry->launch, diagnostics, &specimen));
    wb_status status = measure_kernel(specimen.block, diagnostics, &kernel);
    specimen_free(&specimen);
    WB_TRY(status);
    if (vec_push(&study->kernels, kernel) != WB_OK) return diagnose_out_of_memory(diagnostics, entry->name);
    return WB_OK;
}

static wb_status run_kernels(wb_diagnostics *diagnostics, struct study *study) {
    struct kernel_index index;
    wb_status status = WB_OK;
    if (!kernel_index_read(&index)) {
        wb_diagnostics_error(diagnostics, KERNEL_INDEX_PATH, "not a list of kernels");
        status = WB_ERR_INPUT;
    }
    for (size_t i = 0; status == WB_OK && i < index.cases.count; i++)
        status = run_kernel(&index.cases.items[i], diagnostics, study);
    kernel_index_free(&index);
    return status;
}

static wb_status run_sgemm(enum sgemm which, size_t warps, wb_diagnostics *diagnostics, struct study *study) {
    struct specimen specimen;
    wb_status status = WB_OK;
    WB_TRY(specimen_sgemm(&study_sgemm_kernels[which], study_warps[warps], diagnostics, &specimen));
    for (size_t l = 0; status == WB_OK && l < LATENCY_COUNT; l++)
        status =
            measure_on(specimen.block, MODEL_GPGPUSIM, l, NULL, diagnostics, &study->sgemm[which][l][warps]);
    specimen_free(&specimen);
    return status;
}

wb_status study_run(wb_diagnostics *diagnostics, struct study *study) {
    *study = (struct study){0};
    WB_TRY(run_kernels(diagnostics, study));
    for (size_t k = 0; k < SGEMM_COUNT; k++)
        for (size_t w = 0; w < WARPS_COUNT; w++)
            WB_TRY(run_sgemm((enum sgemm)k, w, diagnostics, study));
    return WB_OK;
}

void study_free(struct study *study) {
    vec_free(&study->kernels);
}
