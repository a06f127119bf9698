/* warpbound cache: the loads of a grid at the first-level caches, estimated, guaranteed and simulated. */
#include <stdlib.h>

#include "command.h"

int command_cache(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char *text = NULL;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = inputs_load_gpu(options, diagnostics, &inputs);
    wb_watch watch = watch_terminal();
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    if (status == WB_OK) status = wb_cache_report(inputs.gpu, format, &watch, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
