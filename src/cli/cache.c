/* warpbound cache: the loads of a grid at the first-level caches, estimated, guaranteed and simulated; or the
 * order in which the reordering extension lets them in. */
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* The grid with what is known of its data on a machine with caches. Pointers may be given as plain numbers
 * where `allow_unmapped`. */
static wb_status load_gpu(const struct options *options, bool allow_unmapped, struct inputs *inputs,
                          wb_diagnostics *diagnostics, wb_gpu **gpu) {
    wb_analyze_options asked;
    wb_status status = inputs_load(options, GPU_MACHINE, diagnostics, inputs);
    if (status == WB_OK) status = read_analyze_options(options, inputs, diagnostics, &asked);
    if (status != WB_OK) return status;
    asked.allow_unmapped = allow_unmapped;
    status = wb_analyze_caches(inputs->kernel, inputs->launch, inputs->machine, &asked, diagnostics, gpu);
    return status == WB_OK ? set_threads(options, diagnostics, *gpu) : status;
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

/* --sm and --first. */
static wb_status read_part(const struct options *options, wb_diagnostics *diagnostics,
                           wb_order_options *part) {
    uint64_t sm = 0;
    *part = (wb_order_options){.size = sizeof(wb_order_options),
                               .channels = options->channels,
                               .one_sm = options->sm != NULL,
                               .has_first = options->first != NULL};
    if (part->one_sm && !read_count(options->sm, strlen(options->sm), UINT32_MAX, &sm))
        return usage_error(diagnostics, "--sm: expected a number from 0 on");
    part->sm = (uint32_t)sm;
    if (part->has_first &&
        (!read_count(options->first, strlen(options->first), UINT64_MAX, &part->first) || part->first == 0))
        return usage_error(diagnostics, "--first: expected a number from 1 on");
    return WB_OK;
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
    struct order_output output;
    if (options->order && options->channels)
        return usage_error(diagnostics, "--order and --channels print one thing each: choose one");
    wb_status status = read_format(options, diagnostics, &output.format);
    if (status == WB_OK) status = read_part(options, diagnostics, &output.options);
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
    else if (options->sm != NULL || options->first != NULL)
        status = usage_error(diagnostics, "--sm and --first go with --order or --channels");
    else
        status = write_counts(options, &inputs, diagnostics, &gpu);
    wb_gpu_free(gpu);
    inputs_free(&inputs);
    return (int)status;
}
