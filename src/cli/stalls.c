/* Stall counts of the machine code that is analysed, or that --cubin says the PTX becomes. */
#include "command.h"

/* A kernel in a launch, on a machine, and the machine code of it; one block of it, or NULL. */
struct compared {
    const wb_kernel *kernel, *code;
    const wb_launch *launch;
    const wb_machine *machine;
    const uint32_t *block;
};

static wb_status find_stalls(const struct compared *compared, wb_diagnostics *diagnostics,
                             wb_stalls *stalls) {
    const wb_status status =
        wb_stalls_find(compared->code, compared->launch, compared->block, diagnostics, stalls);
    if (status != WB_OK) return status;
    return wb_stalls_compare(compared->kernel, compared->launch, compared->machine, diagnostics, stalls);
}

/* Of code that is analysed itself: known where it is machine code and its data says what it executes. Then
 * `found`; messages are unheard. */
static wb_status find_own(const struct compared *compared, wb_stalls *stalls, bool *found) {
    wb_diagnostics *unheard = wb_diagnostics_new();
    if (unheard == NULL) return WB_ERR_LIMIT;
    *found = wb_kernel_registers(compared->code) != 0 && find_stalls(compared, unheard, stalls) == WB_OK;
    wb_diagnostics_free(unheard);
    return WB_OK;
}

/* Of the kernel of that name in the file of --cubin, which has been read, or, without one, of the kernel
 * itself. */
static wb_status find_either(struct compared *compared, const wb_module *code, wb_diagnostics *diagnostics,
                             wb_stalls *stalls, bool *found) {
    compared->code = compared->kernel;
    if (code == NULL) return find_own(compared, stalls, found);
    *found = true;
    if (wb_kernel_registers(compared->kernel) != 0)
        return usage_error(diagnostics, "--cubin goes with PTX: what is analysed is machine code itself");
    const wb_status status =
        wb_module_find_kernel(code, wb_kernel_name(compared->kernel), diagnostics, &compared->code);
    return status == WB_OK ? find_stalls(compared, diagnostics, stalls) : status;
}

static wb_status read_code(const struct options *options, wb_diagnostics *diagnostics, wb_module **code) {
    return options->cubin != NULL ? wb_module_read(options->cubin, diagnostics, code) : WB_OK;
}

wb_status add_stalls(const struct options *options, const struct inputs *inputs, wb_diagnostics *diagnostics,
                     wb_module **code, wb_analysis *analysis) {
    struct compared compared = {.kernel = inputs->kernel,
                                .launch = inputs->launch,
                                .machine = inputs->machine,
                                .block = options->block_index.given ? options->block_index.index : NULL};
    bool found = false;
    wb_stalls stalls;
    if (inputs->kernel == NULL && options->cubin != NULL)
        return usage_error(diagnostics, "--cubin goes with the PTX that the machine code was made of");
    if (inputs->kernel == NULL) return WB_OK;
    wb_status status = read_code(options, diagnostics, code);
    if (status == WB_OK) status = find_either(&compared, *code, diagnostics, &stalls, &found);
    if (status == WB_OK && found) wb_analysis_set_stalls(analysis, &stalls);
    return status;
}

wb_status add_stalls_of_list(const struct options *options, const struct inputs *inputs,
                             wb_diagnostics *diagnostics, wb_module **code, wb_stream *stream) {
    wb_status status = read_code(options, diagnostics, code);
    for (size_t i = 0; status == WB_OK && i < wb_stream_count(stream); i++) {
        struct compared compared = {.launch = wb_launches_at(options->launch_file, i),
                                    .machine = inputs->machine};
        bool found = false;
        wb_stalls stalls;
        status = wb_module_find_kernel(inputs->module, wb_launch_kernel(compared.launch), diagnostics,
                                       &compared.kernel);
        if (status == WB_OK) status = find_either(&compared, *code, diagnostics, &stalls, &found);
        if (status == WB_OK && found) status = wb_stream_set_stalls(stream, i, &stalls, diagnostics);
    }
    return status;
}
