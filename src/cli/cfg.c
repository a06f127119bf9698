/* warpbound cfg: control flow of a kernel. */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"

/* Whether the graph is to show the execution of a launch. */
static bool shows_execution(const struct options *options) {
    return options->format == OUTPUT_DOT && options->instead == NULL &&
           (options->launch != NULL || options->grid != NULL || options->arguments.count > 0);
}

/* Options of an execution, without which they are of no use. */
static wb_status check_execution(const struct options *options, wb_diagnostics *diagnostics) {
    if (shows_execution(options)) return WB_OK;
    if (options->machine == NULL && options->methods == NULL && options->policies == NULL &&
        options->facts == NULL && options->lines_of == NULL && options->source == NULL &&
        options->sets.count == 0 && options->memory == 0)
        return WB_OK;
    return usage_error(diagnostics, "machine and bound options need --format dot and a launch (-l), whose "
                                    "execution the graph then shows");
}

/* The graph with what the execution of the launch costs. */
static wb_status executed_graph(const struct options *options, wb_diagnostics *diagnostics,
                                struct inputs *inputs, char **text) {
    const wb_report_options report = {
        .size = sizeof report, .lines_of = options->lines_of, .source = options->source};
    wb_analysis *analysis = NULL;
    wb_status status = inputs_load(options, WB_MACHINE_USUAL, diagnostics, inputs);
    if (status != WB_OK) return status;
    const wb_analyze_options asked = analyze_options(options, inputs);
    status = wb_analyze(inputs->kernel, inputs->launch, inputs->machine, &asked, diagnostics, &analysis);
    watch_clear();
    if (status == WB_OK) status = wb_analysis_cfg(analysis, inputs->launch, &report, diagnostics, text);
    wb_analysis_free(analysis);
    return status;
}

/* What the code alone says. */
static wb_status control_flow(const struct options *options, wb_diagnostics *diagnostics,
                              struct inputs *inputs, char **text) {
    wb_status status = inputs_load_launch(options, NULL, diagnostics, inputs);
    if (status != WB_OK) return status;
    if (options->why != NULL)
        return wb_kernel_why(inputs->kernel, inputs->launch, options->why, diagnostics, text);
    return wb_kernel_cfg(inputs->kernel, inputs->launch,
                         options->format == OUTPUT_DOT ? WB_CFG_DOT : WB_CFG_TEXT, diagnostics, text);
}

int command_cfg(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char *text = NULL;
    const enum output_format other = options->why != NULL ? OUTPUT_TEXT : OUTPUT_DOT;
    wb_status status = require_format(options, OUTPUT_TEXT, other, diagnostics);
    if (status == WB_OK) status = check_execution(options, diagnostics);
    if (status == WB_OK)
        status = shows_execution(options) ? executed_graph(options, diagnostics, &inputs, &text)
                                          : control_flow(options, diagnostics, &inputs, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}

int print_code(const struct options *options, enum output_format other, wb_diagnostics *diagnostics,
               wb_status (*print)(const wb_kernel *, const wb_launch *, wb_diagnostics *, char **)) {
    struct inputs inputs = {0};
    char *text = NULL, where[40];
    (void)snprintf(where, sizeof where, "--%s", options->instead->name);
    if (options->why != NULL) {
        wb_diagnostics_error(diagnostics, where, "cannot be combined with --why");
        return WB_ERR_INPUT;
    }
    wb_status status = require_format(options, OUTPUT_TEXT, other, diagnostics);
    if (status == WB_OK) status = check_execution(options, diagnostics);
    if (status == WB_OK) status = inputs_load_launch(options, NULL, diagnostics, &inputs);
    if (status == WB_OK) status = print(inputs.kernel, inputs.launch, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
