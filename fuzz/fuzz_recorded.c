/* Any bytes as a trace of one kernel: an error with a message, or a grid whose warps end. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "launch/launch.h"
#include "warp/trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CODE WB_FUZZ_PROJECT "/kernels/cubin/vecadd.sm_87.cubin"

static const wb_kernel *load(wb_diagnostics *diagnostics) {
    static wb_module *module;
    if (module == NULL && wb_module_read(CODE, diagnostics, &module) != WB_OK) abort();
    return wb_module_kernel(module, 0);
}

static void check(const wb_grid *grid) {
    for (uint32_t b = 0; b < grid->blocks.count; b++)
        for (uint32_t w = 0; w < grid->warp_count; w++)
            if (grid_path_of(grid, b, w)->length == 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const wb_grid_options options = {.size = sizeof options};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const wb_kernel *kernel = load(diagnostics);
    wb_launch *launch = wb_launch_new();
    wb_grid *grid = NULL;
    char *text = malloc(size > 0 ? size : 1); /* no more: reading beyond is found */
    if (text == NULL || launch == NULL || diagnostics == NULL) abort();
    memcpy(text, data, size);
    wb_status status = launch_trace_parse(launch, "t.traceg", text, size, diagnostics);
    if (status == WB_OK) status = wb_grid_trace(kernel, launch, &options, diagnostics, &grid);
    if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == 0)) abort();
    if (status == WB_OK) check(grid);
    wb_grid_free(grid);
    wb_launch_free(launch);
    wb_diagnostics_free(diagnostics);
    return 0;
}
