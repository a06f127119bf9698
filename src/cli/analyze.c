/* warpbound analyze: bounds of one thread block, of a grid or of several, beside simulations. */
#include <stdlib.h>

#include "command.h"

/* Loads what is to be analysed and the options that go with it. */
static wb_status prepare(const struct options *options, wb_diagnostics *diagnostics, struct inputs *inputs,
                         wb_report_options *report) {
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK && options->schemes != NULL && options->phases)
        status = usage_error(diagnostics, "--phases is of one block: not with --scheme");
    if (status == WB_OK && options->schemes != NULL)
        status = inputs_load_grid_analysis(options, diagnostics, inputs);
    else if (status == WB_OK)
        status = inputs_load(options, INPUTS_ANALYSIS, diagnostics, inputs);
    if (status == WB_OK)
        status = analyze_read_deadline(options, wb_analysis_machine(inputs->analysis), diagnostics, report);
    return status == WB_OK ? analyze_set_limits(options, diagnostics, inputs->analysis) : status;
}

/* Analyses what is no list of launches. */
static int analyze_one(const struct options *options, wb_diagnostics *diagnostics, struct inputs *inputs) {
    wb_report_options report = {.phases = options->phases, .timing = options->timing};
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    char *text = NULL;
    int status = (int)prepare(options, diagnostics, inputs, &report);
    if (status == WB_OK) status = (int)analyze_compute(options, diagnostics, inputs);
    if (status == WB_OK) status = (int)analyze_check_settings(options, inputs, 1, diagnostics);
    if (status == WB_OK || (status == WB_ERR_LIMIT && analyze_has_results(inputs->analysis))) {
        int written = (int)wb_report(inputs->analysis, format, &report, diagnostics, &text);
        if (written == WB_OK) written = (int)write_output(options, text, diagnostics);
        if (status == WB_OK) status = written;
    }
    if (status == WB_OK && report.has_deadline)
        status = analyze_judge(options, wb_analysis_judge(inputs->analysis, report.scope, report.deadline),
                               diagnostics);
    free(text);
    return status;
}

int command_analyze(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    int status = (int)inputs_load_launches(options, diagnostics, &inputs);
    if (status == WB_OK)
        status = inputs.launches != NULL && wb_launches_is_list(inputs.launches)
                     ? analyze_stream(options, inputs.launches, diagnostics)
                     : analyze_one(options, diagnostics, &inputs);
    inputs_free(&inputs);
    return status;
}
