/* warpbound path: what each warp of a block executes. */
#include <stdlib.h>

#include "command.h"

int command_path(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char *text = NULL;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = inputs_load(options, false, diagnostics, &inputs);
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    if (status == WB_OK) status = wb_block_report(inputs.block, format, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
