/* warpbound cache: the loads of a grid at the first-level caches, estimated, guaranteed and simulated; or the
 * order in which the reordering extension lets them in. */
#include <stdlib.h>

#include "command.h"

/* The grid with what is known of its data on a machine with caches. Pointers may be given as plain numbers
 * where `allow_unmapped`. */
static wb_status load_gpu(const struct options *options, bool allow_unmapped, struct inputs *inputs,
                          wb_diagnostics *diagnostics, wb_gpu **gpu) {
    wb_status status = inputs_load(options, WB_MACHINE_WITH_CACHES, diagnostics, inputs);
    if (status != WB_OK) return status;
    wb_analyze_options asked = analyze_options(options, inputs);
    asked.allow_unmapped = allow_unmapped;
    status = wb_analyze_caches(inputs->kernel, inputs->launch, inputs->machine, &asked, diagnostics, gpu);
    if (status == WB_OK) set_threads(options, *gpu);
    return status;
}

static wb_status write_counts(const struct options *options, struct inputs *inputs,
                              wb_diagnostics *diagnostics, wb_gpu **gpu) {
    char *text = NULL;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = load_gpu(options, false, inputs, diagnostics, gpu);
    wb_watch watch = watch_terminal();
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    if (status == WB_OK) status = wb_cache_report(*gpu, format, &watch, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return status;
}

/* What write_as_made makes. */
struct order_output {
    const wb_gpu *gpu;
    wb_order_format format;
    wb_order_options options;
};

static wb_status make_order(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct order_output *output = user;
    return wb_order_report(output->gpu, output->format, &output->options, writer, diagnostics);
}

static wb_status read_format(const struct options *options, wb_diagnostics *diagnostics,
                             wb_order_format *format) {
    *format = options->format == OUTPUT_SVG    ? WB_ORDER_SVG
              : options->format == OUTPUT_JSON ? WB_ORDER_JSON
                                               : WB_ORDER_TEXT;
    return *format == WB_ORDER_SVG ? WB_OK : require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
}

/* Pointers may be given as plain numbers, as for the kernel analyzer. */
static wb_status write_order(const struct options *options, struct inputs *inputs,
                             wb_diagnostics *diagnostics, wb_gpu **gpu) {
    struct order_output output = {.options = {.size = sizeof(wb_order_options),
                                              .channels = options->channels,
                                              .one_sm = options->sm.given,
                                              .sm = (uint32_t)options->sm.value,
                                              .has_first = options->first.given,
                                              .first = options->first.value}};
    if (options->order && options->channels)
        return usage_error(diagnostics, "choose either --order or --channels");
    wb_status status = read_format(options, diagnostics, &output.format);
    if (status == WB_OK) status = load_gpu(options, true, inputs, diagnostics, gpu);
    output.gpu = *gpu;
    return status == WB_OK ? write_as_made(options, make_order, &output, diagnostics) : status;
}

int command_cache(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    wb_gpu *gpu = NULL;
    wb_status status;
    if (options->order || options->channels)
        status = write_order(options, &inputs, diagnostics, &gpu);
    else if (options->sm.given || options->first.given)
        status = usage_error(diagnostics, "--sm and --first need --order or --channels");
    else
        status = write_counts(options, &inputs, diagnostics, &gpu);
    wb_gpu_free(gpu);
    inputs_free(&inputs);
    return (int)status;
}
