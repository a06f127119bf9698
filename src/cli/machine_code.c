/* The machine code that is analysed, or that --cubin says the PTX becomes, held against the bounds. */
#include <stdio.h>

#include "command.h"

/* A launch of a kernel whose bounds are compared: of a stream number `launch_number`, or of an analysis. */
struct compared {
    const struct options *options;
    const wb_kernel *kernel;
    const wb_launch *launch;
    wb_analyze_options asked;
    wb_analysis *analysis; /* or NULL */
    wb_stream *stream;
    size_t launch_number;
};

/* The kernel of that name in machine code beside it, or, without any, the kernel itself where it is machine
 * code; else NULL. */
static wb_status find_code(const struct compared *compared, const wb_module *cubin,
                           wb_diagnostics *diagnostics, const wb_kernel **code) {
    const bool is_code = wb_kernel_registers(compared->kernel) != 0;
    *code = is_code ? compared->kernel : NULL;
    if (cubin == NULL) return WB_OK;
    if (is_code) return usage_error(diagnostics, "--cubin needs PTX, but the analysed code is machine code");
    return wb_module_find_kernel(cubin, wb_kernel_name(compared->kernel), diagnostics, code);
}

static wb_status compare_code(const struct compared *compared, const wb_kernel *code,
                              wb_diagnostics *messages) {
    if (compared->stream != NULL)
        return wb_stream_compare_code(compared->stream, compared->launch_number, compared->kernel, code,
                                      compared->launch, &compared->asked, messages);
    return wb_analysis_compare_code(compared->analysis, compared->kernel, code, compared->launch,
                                    &compared->asked, messages);
}

/* Warns that machine code beside PTX says nothing of the bounds, by the first error. */
static void warn_without(const char *cubin, const wb_diagnostics *messages, wb_diagnostics *diagnostics) {
    wb_message message = {.text = "it cannot be executed"};
    char warning[600];
    for (size_t i = 0; wb_diagnostics_message(messages, i, &message); i++)
        if (message.severity == WB_SEVERITY_ERROR) break;
    (void)snprintf(warning, sizeof warning, "the machine code is not compared with the bounds: %s",
                   message.text);
    wb_diagnostics_warning(diagnostics, cubin, warning);
}

/* What a comparison came to: one that cannot be made keeps no bound from being printed. */
static wb_status settle(const struct compared *compared, wb_status status, const wb_diagnostics *messages,
                        wb_diagnostics *diagnostics) {
    const struct options *options = compared->options;
    const char *cubin = options->cubin != NULL ? options->cubin : options->operands.items[0];
    const bool is_beside = wb_kernel_registers(compared->kernel) == 0;
    if (status == WB_ERR_DECLINED && is_beside) warn_without(cubin, messages, diagnostics);
    if (status == WB_ERR_DECLINED || (options->cubin == NULL && status == WB_ERR_INPUT)) return WB_OK;
    wb_message message;
    for (size_t i = 0; status != WB_OK && wb_diagnostics_message(messages, i, &message); i++)
        if (message.severity == WB_SEVERITY_ERROR)
            wb_diagnostics_error(diagnostics, message.where, message.text);
    return status;
}

static wb_status compare(const struct compared *compared, const wb_module *cubin,
                         wb_diagnostics *diagnostics) {
    const wb_kernel *code = NULL;
    wb_status status = find_code(compared, cubin, diagnostics, &code);
    if (status != WB_OK || code == NULL) return status;
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return usage_error(diagnostics, "out of memory"), WB_ERR_LIMIT;
    status = settle(compared, compare_code(compared, code, messages), messages, diagnostics);
    wb_diagnostics_free(messages);
    return status;
}

/* What --cubin names is machine code, whatever else is in the file. */
static wb_status read_code(const struct options *options, const struct inputs *inputs,
                           wb_diagnostics *diagnostics, wb_module **code) {
    if (options->cubin == NULL || !wb_machine_takes_ptx(inputs->machine)) return WB_OK;
    return wb_module_read_for(options->cubin, NULL, "sm", diagnostics, code);
}

static const wb_module *code_beside(const struct inputs *inputs, const wb_module *cubin) {
    return cubin != NULL ? cubin : inputs->code;
}

wb_status compare_machine_code(const struct options *options, const struct inputs *inputs,
                               wb_diagnostics *diagnostics, wb_module **code, wb_analysis *analysis) {
    const struct compared compared = {.options = options,
                                      .kernel = inputs->kernel,
                                      .launch = inputs->launch,
                                      .asked = analyze_options(options, inputs),
                                      .analysis = analysis};
    if (inputs->kernel == NULL && options->cubin != NULL)
        return usage_error(diagnostics, "--cubin needs the PTX that the machine code was compiled from");
    if (inputs->kernel == NULL) return WB_OK;
    const wb_status status = read_code(options, inputs, diagnostics, code);
    return status == WB_OK ? compare(&compared, code_beside(inputs, *code), diagnostics) : status;
}

wb_status compare_machine_code_of_list(const struct options *options, const struct inputs *inputs,
                                       wb_diagnostics *diagnostics, wb_module **code, wb_stream *stream) {
    wb_status status = read_code(options, inputs, diagnostics, code);
    for (size_t i = 0; status == WB_OK && i < wb_stream_count(stream); i++) {
        struct compared compared = {.options = options,
                                    .launch = wb_launches_at(options->launch_file, i),
                                    .asked = analyze_options(options, inputs),
                                    .stream = stream,
                                    .launch_number = i};
        status = wb_module_find_kernel(inputs->module, wb_launch_kernel(compared.launch), diagnostics,
                                       &compared.kernel);
        if (status == WB_OK) status = compare(&compared, code_beside(inputs, *code), diagnostics);
    }
    return status;
}
