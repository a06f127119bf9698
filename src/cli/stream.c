/* warpbound analyze of a list of launches: bounds of each kernel and of all of them, one after another. */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"

/* What the kernels of a stream have in common, and each of them. */
struct stream_inputs {
    wb_module *module;
    wb_machine *machine;
    struct inputs *kernels; /* with module and machine of the stream */
    size_t count;
    wb_stream *stream;
};

static void stream_inputs_free(struct stream_inputs *inputs) {
    wb_stream_free(inputs->stream);
    for (size_t i = 0; i < inputs->count; i++) {
        inputs->kernels[i].module = NULL;
        inputs->kernels[i].machine = NULL;
        inputs_free(&inputs->kernels[i]);
    }
    free(inputs->kernels);
    wb_machine_free(inputs->machine);
    wb_module_free(inputs->module);
}

/* Fails with a message for an option that is of one launch, or of one block. */
static wb_status refuse_options(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->kernel != NULL || options->grid != NULL || options->block != NULL ||
        options->shared != NULL || options->registers != NULL || options->assume != NULL ||
        options->argument_count + options->variable_count > 0)
        return usage_error(diagnostics, "options of a launch do not go with a list of launches: change "
                                        "the file");
    if (options->block_index != NULL || options->phases)
        return usage_error(diagnostics, "--block-index and --phases are of one block: not with a list of "
                                        "launches");
    if (options->facts != NULL)
        return usage_error(diagnostics, "--facts is of one kernel: not with a list of launches");
    if (options->schemes != NULL)
        return usage_error(diagnostics, "--scheme is of one launch: not with a list of launches");
    if (options->scope != NULL)
        return usage_error(diagnostics, "--scope is of one launch: the deadline of a list is of all its "
                                        "kernels together");
    return WB_OK;
}

/* Executes and analyses the grid of one launch. */
static wb_status load_launch(const struct options *options, wb_launch *launch, wb_diagnostics *diagnostics,
                             struct stream_inputs *inputs, struct inputs *kernel) {
    *kernel = (struct inputs){.module = inputs->module, .machine = inputs->machine, .launch = launch};
    wb_status status =
        wb_module_find_kernel(kernel->module, wb_launch_kernel(launch), diagnostics, &kernel->kernel);
    if (status == WB_OK) status = inputs_load_kernel_analysis(options, diagnostics, kernel);
    if (status == WB_OK) status = analyze_set_limits(options, diagnostics, kernel->analysis);
    return status == WB_OK ? wb_stream_add(inputs->stream, kernel->analysis, diagnostics) : status;
}

/* Says which launch a message before this one is about. */
static void name_launch(const struct options *options, size_t number, wb_diagnostics *diagnostics) {
    char message[64];
    (void)snprintf(message, sizeof message, "launch %zu of the list cannot be analysed", number + 1);
    wb_diagnostics_error(diagnostics, options->launch, message);
}

static wb_status load(const struct options *options, wb_launches *launches, wb_diagnostics *diagnostics,
                      struct stream_inputs *inputs) {
    wb_status status = load_module(options, diagnostics, &inputs->module);
    if (status == WB_OK) status = load_analysis_machine(options, diagnostics, &inputs->machine);
    if (status != WB_OK) return status;
    if (!wb_machine_takes_grids(inputs->machine))
        return usage_error(diagnostics, "kernels cannot be analysed on this machine, only blocks");
    inputs->kernels = calloc(wb_launches_count(launches), sizeof *inputs->kernels);
    inputs->stream = wb_stream_new(inputs->machine);
    if (inputs->kernels == NULL || inputs->stream == NULL) return WB_ERR_LIMIT;
    for (size_t i = 0; status == WB_OK && i < wb_launches_count(launches); i++) {
        inputs->count++;
        status =
            load_launch(options, wb_launches_take(launches, i), diagnostics, inputs, &inputs->kernels[i]);
        if (status != WB_OK) name_launch(options, i, diagnostics);
    }
    return status;
}

/* Bounds and simulates every kernel; a limit that one of them hits does not keep the others from it. */
static wb_status compute(const struct options *options, wb_diagnostics *diagnostics,
                         const struct stream_inputs *inputs) {
    wb_status status = WB_OK;
    for (size_t i = 0; i < inputs->count; i++) {
        wb_status one = analyze_compute(options, diagnostics, &inputs->kernels[i]);
        if (one != WB_OK) name_launch(options, i, diagnostics);
        if (one != WB_OK && one != WB_ERR_LIMIT) return one;
        if (one != WB_OK) status = one;
    }
    return status == WB_OK ? analyze_check_settings(options, inputs->kernels, inputs->count, diagnostics)
                           : status;
}

/* Writes the report; returns the status of the deadline. */
static int report_stream(const struct options *options, const wb_report_options *report,
                         const struct stream_inputs *inputs, wb_diagnostics *diagnostics) {
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    char *text = NULL;
    uint64_t proven;
    wb_status status = wb_stream_report(inputs->stream, format, report, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    if (status != WB_OK || !report->has_deadline) return (int)status;
    wb_verdict verdict = WB_UNDECIDED;
    if (wb_stream_proven(inputs->stream, &proven)) verdict = proven <= report->deadline ? WB_MET : WB_NOT_MET;
    return analyze_judge(options, verdict, diagnostics);
}

int analyze_stream(const struct options *options, wb_launches *launches, wb_diagnostics *diagnostics) {
    struct stream_inputs inputs = {0};
    wb_report_options report = {.timing = options->timing};
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = refuse_options(options, diagnostics);
    if (status == WB_OK) status = load(options, launches, diagnostics, &inputs);
    if (status == WB_OK) status = analyze_read_deadline(options, inputs.machine, diagnostics, &report);
    int result = (int)status;
    if (status == WB_OK) {
        result = (int)compute(options, diagnostics, &inputs);
        int reported = result == WB_OK || result == WB_ERR_LIMIT
                           ? report_stream(options, &report, &inputs, diagnostics)
                           : result;
        if (result == WB_OK) result = reported;
    }
    stream_inputs_free(&inputs);
    return result;
}
