/* warpbound cfg: control flow of a kernel. */
#include <stdlib.h>

#include "command.h"

int command_cfg(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char *text = NULL;
    enum output_format other = options->why == NULL ? OUTPUT_DOT : OUTPUT_TEXT;
    wb_status status = require_format(options, OUTPUT_TEXT, other, diagnostics);
    if (status == WB_OK) status = inputs_load_kernel(options, diagnostics, &inputs);
    wb_cfg_format format = options->format == OUTPUT_DOT ? WB_CFG_DOT : WB_CFG_TEXT;
    if (status == WB_OK && options->why != NULL)
        status = wb_kernel_why(inputs.kernel, options->why, diagnostics, &text);
    else if (status == WB_OK)
        status = wb_kernel_cfg(inputs.kernel, format, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
