/* warpbound cache: the loads of a grid at the first-level caches, estimated, guaranteed and simulated. */
#include <stdlib.h>

#include "command.h"

wb_status load_gpu(const struct options *options, bool allow_unmapped, struct inputs *inputs,
                   wb_diagnostics *diagnostics, wb_gpu **gpu) {
    wb_status status = inputs_load(options, WB_MACHINE_WITH_CACHES, diagnostics, inputs);
    if (status != WB_OK) return status;
    wb_analyze_options asked = analyze_options(options, inputs);
    asked.allow_unmapped = allow_unmapped;
    status = wb_analyze_caches(inputs->kernel, inputs->launch, inputs->machine, &asked, diagnostics, gpu);
    if (status == WB_OK) set_threads(options, *gpu);
    return status;
}

int command_cache(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    wb_gpu *gpu = NULL;
    char *text = NULL;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = load_gpu(options, false, &inputs, diagnostics, &gpu);
    wb_watch watch = watch_terminal();
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    if (status == WB_OK) status = wb_cache_report(gpu, format, &watch, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    wb_gpu_free(gpu);
    inputs_free(&inputs);
    return (int)status;
}
