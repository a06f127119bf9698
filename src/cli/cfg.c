/* warpbound cfg: control flow of a kernel. */
#include <stdlib.h>

#include "command.h"

/* One option at most says what is shown; without any, the format does. */
static wb_status check_options(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->why != NULL && options->ssa) {
        wb_diagnostics_error(diagnostics, "--ssa", "cannot be combined with --why");
        return WB_ERR_INPUT;
    }
    if (options->abstract_warp && (options->why != NULL || options->ssa)) {
        wb_diagnostics_error(diagnostics, "--abstract-warp", "cannot be combined with --why or --ssa");
        return WB_ERR_INPUT;
    }
    bool only_text = options->why != NULL || options->ssa;
    return require_format(options, OUTPUT_TEXT, only_text ? OUTPUT_TEXT : OUTPUT_DOT, diagnostics);
}

static wb_cfg_format format_of(const struct options *options) {
    if (options->ssa) return WB_CFG_SSA;
    return options->format == OUTPUT_DOT ? WB_CFG_DOT : WB_CFG_TEXT;
}

int command_cfg(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char *text = NULL;
    wb_status status = check_options(options, diagnostics);
    if (status == WB_OK) status = inputs_load_launch(options, diagnostics, &inputs);
    if (status == WB_OK && options->why != NULL)
        status = wb_kernel_why(inputs.kernel, inputs.launch, options->why, diagnostics, &text);
    else if (status == WB_OK && options->abstract_warp)
        status = wb_kernel_abstract_warp(inputs.kernel, diagnostics, &text);
    else if (status == WB_OK)
        status = wb_kernel_cfg(inputs.kernel, inputs.launch, format_of(options), diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
