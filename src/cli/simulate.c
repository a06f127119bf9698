/* warpbound simulate: one thread block under one or more warp schedulers, or a grid on a whole GPU. */
#include <stdlib.h>

#include "command.h"

/* The schedule of one policy instead of the totals. */
static wb_status write_schedule(const struct options *options, const struct inputs *inputs,
                                wb_diagnostics *diagnostics, char **text) {
    wb_schedule_format format = options->format == OUTPUT_TRACE ? WB_SCHEDULE_TRACE
                                : options->format == OUTPUT_SVG ? WB_SCHEDULE_SVG
                                                                : WB_SCHEDULE_TEXT;
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

/* What write_as_made makes. */
struct schedule_output {
    const struct options *options;
    const wb_gpu *gpu;
};

static wb_status make_grid_schedule(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct schedule_output *output = user;
    const wb_watch watch = watch_terminal();
    wb_schedule_format format =
        output->options->format == OUTPUT_TRACE ? WB_SCHEDULE_TRACE : WB_SCHEDULE_TEXT;
    return wb_gpu_schedule_report(output->gpu, output->options->schemes, output->options->policies, format,
                                  &watch, writer, diagnostics);
}

/* The schedule of the whole grid under one scheme. */
static wb_status schedule_grid(const struct options *options, struct inputs *inputs,
                               wb_diagnostics *diagnostics) {
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_TRACE, diagnostics);
    if (status == WB_OK) status = inputs_load_gpu(options, diagnostics, inputs);
    struct schedule_output output = {options, inputs->gpu};
    return status == WB_OK ? write_as_made(options, make_grid_schedule, &output, diagnostics) : status;
}

/* All blocks on a machine with caches, under the schemes that --scheme lists. After an interrupt or at a
 * limit what is done is reported. */
static wb_status simulate_grid(const struct options *options, struct inputs *inputs,
                               wb_diagnostics *diagnostics, char **text) {
    if (options->schedule) return schedule_grid(options, inputs, diagnostics);
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = inputs_load_gpu(options, diagnostics, inputs);
    if (status != WB_OK) return status;
    wb_watch watch = watch_terminal();
    status = wb_gpu_simulate(inputs->gpu, options->schemes, options->policies, &watch, diagnostics);
    size_t done;
    (void)wb_gpu_simulations(inputs->gpu, &done);
    if (status != WB_OK && (status != WB_ERR_LIMIT || done == 0)) return status;
    wb_report_options report = {.timing = options->timing};
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    wb_status written = wb_gpu_report(inputs->gpu, format, &report, diagnostics, text);
    return status != WB_OK ? status : written;
}

static wb_status simulate_block(const struct options *options, struct inputs *inputs,
                                wb_diagnostics *diagnostics, char **text) {
    enum output_format other = options->schedule ? OUTPUT_TRACE : OUTPUT_JSON;
    if (options->threads != NULL) return usage_error(diagnostics, "--threads goes with --scheme");
    wb_status status = WB_OK;
    if (!options->schedule || options->format != OUTPUT_SVG)
        status = require_format(options, OUTPUT_TEXT, other, diagnostics);
    if (status == WB_OK) status = inputs_load(options, INPUTS_SIMULATION, diagnostics, inputs);
    if (status != WB_OK) return status;
    return options->schedule ? write_schedule(options, inputs, diagnostics, text)
                             : write_totals(options, inputs, diagnostics, text);
}

int command_simulate(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char *text = NULL;
    wb_status status = options->schemes != NULL ? simulate_grid(options, &inputs, diagnostics, &text)
                                                : simulate_block(options, &inputs, diagnostics, &text);
    if (text != NULL) {
        wb_status written = write_output(options, text, diagnostics);
        if (status == WB_OK) status = written;
    }
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
