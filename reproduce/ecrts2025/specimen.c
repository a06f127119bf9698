#include "specimen.h"

#include <stdio.h>

#include "base/base.h"

#define SGEMM_PTX "reproduce/ecrts2025/sgemm.ptx"
#define SGEMM_SIDE 1024u /* rows and columns of the product */
#define WARP_SIZE 32u

/* Looks the kernel up in the module and traces the block; what has been made is freed on failure. */
static wb_status trace(struct specimen *made, const char *kernel_name, wb_diagnostics *diagnostics,
                       struct specimen *specimen) {
    const wb_kernel *kernel = NULL;
    const wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    wb_status status = wb_module_find_kernel(made->module, kernel_name, diagnostics, &kernel);
    if (status == WB_OK) status = wb_block_trace(kernel, made->launch, &options, diagnostics, &made->block);
    if (status == WB_OK)
        *specimen = *made;
    else
        specimen_free(made);
    return status;
}

wb_status specimen_read(const char *ptx, const char *launch, wb_diagnostics *diagnostics,
                        struct specimen *specimen) {
    struct specimen made = {0};
    wb_status status = wb_module_read(ptx, diagnostics, &made.module);
    if (status == WB_OK) status = wb_launch_read(launch, WB_FILES_BELOW, diagnostics, &made.launch);
    if (status == WB_OK) return trace(&made, wb_launch_kernel(made.launch), diagnostics, specimen);
    specimen_free(&made);
    return status;
}

/* Grid, block and arguments of a product whose inner dimension is the number of threads. The matrices are
 * unknown: neither control nor addresses depend on them. */
static wb_status set_sgemm(wb_launch *launch, uint32_t warps, uint32_t rows, wb_diagnostics *diagnostics) {
    char text[32];
    const uint32_t depth = warps * WARP_SIZE;
    const uint32_t sizes[] = {SGEMM_SIDE * depth, SGEMM_SIDE * depth, SGEMM_SIDE * SGEMM_SIDE};
    const uint32_t numbers[] = {SGEMM_SIDE, depth};
    const uint32_t blocks[] = {SGEMM_SIDE / WARP_SIZE, SGEMM_SIDE / (warps * rows), 1};
    const uint32_t threads[] = {WARP_SIZE, warps, 1};
    WB_TRY(wb_launch_set_grid(launch, blocks, diagnostics));
    WB_TRY(wb_launch_set_block(launch, threads, diagnostics));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        (void)snprintf(text, sizeof text, "buf:f32[%u]", sizes[i]);
        WB_TRY(wb_launch_add_argument(launch, text, diagnostics));
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        (void)snprintf(text, sizeof text, "i32:%u", numbers[i]);
        WB_TRY(wb_launch_add_argument(launch, text, diagnostics));
    }
    return WB_OK;
}

wb_status specimen_sgemm(const struct sgemm_kernel *kernel, uint32_t warps, wb_diagnostics *diagnostics,
                         struct specimen *specimen) {
    char name[64];
    struct specimen made = {.launch = wb_launch_new()};
    (void)snprintf(name, sizeof name, "%s_%u", kernel->name, warps);
    wb_status status = made.launch ? WB_OK : diagnose_out_of_memory(diagnostics, SGEMM_PTX);
    if (status == WB_OK) status = set_sgemm(made.launch, warps, kernel->rows, diagnostics);
    if (status == WB_OK) status = wb_module_read(SGEMM_PTX, diagnostics, &made.module);
    if (status == WB_OK) return trace(&made, name, diagnostics, specimen);
    specimen_free(&made);
    return status;
}

void specimen_free(struct specimen *specimen) {
    wb_block_free(specimen->block);
    wb_launch_free(specimen->launch);
    wb_module_free(specimen->module);
    *specimen = (struct specimen){0};
}
