/* warpbound simulate: one thread block under one or more warp schedulers. */
#include <stdlib.h>

#include "command.h"

/* The schedule of one policy instead of the totals. */
static wb_status write_schedule(const struct options *options, const struct inputs *inputs,
                                wb_diagnostics *diagnostics, char **text) {
    wb_schedule_format format = options->format == OUTPUT_TRACE ? WB_SCHEDULE_TRACE : WB_SCHEDULE_TEXT;
    const char *policy = options->policies != NULL ? options->policies : "lrr";
    return wb_schedule_report(inputs->analysis, policy, format, diagnostics, text);
}

static wb_status write_totals(const struct options *options, struct inputs *inputs,
                              wb_diagnostics *diagnostics, char **text) {
    wb_watch watch = watch_terminal();
    const char *policies = options->policies != NULL ? options->policies : "lrr,gto";
    wb_status status = wb_analysis_simulate(inputs->analysis, policies, &watch, diagnostics);
    if (status != WB_OK) return status;
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    wb_report_options report = {.timing = options->timing};
    return wb_report(inputs->analysis, format, &report, diagnostics, text);
}

int command_simulate(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char *text = NULL;
    enum output_format other = options->schedule ? OUTPUT_TRACE : OUTPUT_JSON;
    wb_status status = require_format(options, OUTPUT_TEXT, other, diagnostics);
    if (status == WB_OK) status = inputs_load(options, true, diagnostics, &inputs);
    if (status == WB_OK) {
        status = options->schedule ? write_schedule(options, &inputs, diagnostics, &text)
                                   : write_totals(options, &inputs, diagnostics, &text);
    }
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
