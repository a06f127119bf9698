/* Stall counts of the machine code that is analysed, or that --cubin says the PTX becomes. */
#include "command.h"

/* Of the kernel of machine code in the launch that is analysed; of one block where one is. */
static wb_status find_stalls(const struct options *options, const struct inputs *inputs,
                             const wb_kernel *code, wb_diagnostics *diagnostics, wb_stalls *stalls) {
    const uint32_t *block = options->block_index.given ? options->block_index.index : NULL;
    wb_status status = wb_stalls_find(code, inputs->launch, block, diagnostics, stalls);
    if (status != WB_OK) return status;
    return wb_stalls_compare(inputs->kernel, inputs->launch, inputs->machine, diagnostics, stalls);
}

/* Those of the code that is analysed, where it is machine code and its data says what it executes. */
static wb_status add_own(const struct options *options, const struct inputs *inputs, wb_analysis *analysis) {
    wb_stalls stalls;
    wb_diagnostics *unheard = wb_diagnostics_new();
    if (unheard == NULL) return WB_ERR_LIMIT;
    if (wb_kernel_registers(inputs->kernel) != 0 &&
        find_stalls(options, inputs, inputs->kernel, unheard, &stalls) == WB_OK)
        wb_analysis_set_stalls(analysis, &stalls);
    wb_diagnostics_free(unheard);
    return WB_OK;
}

wb_status add_stalls(const struct options *options, const struct inputs *inputs, wb_diagnostics *diagnostics,
                     wb_module **code, wb_analysis *analysis) {
    const wb_kernel *kernel;
    wb_stalls stalls;
    if (inputs->kernel == NULL && options->cubin != NULL)
        return usage_error(diagnostics, "--cubin goes with the PTX that the machine code was made of");
    if (inputs->kernel == NULL) return WB_OK;
    if (options->cubin == NULL) return add_own(options, inputs, analysis);
    if (wb_kernel_registers(inputs->kernel) != 0)
        return usage_error(diagnostics, "--cubin goes with PTX: what is analysed is machine code itself");
    wb_status status = wb_module_read(options->cubin, diagnostics, code);
    if (status == WB_OK)
        status = wb_module_find_kernel(*code, wb_kernel_name(inputs->kernel), diagnostics, &kernel);
    if (status == WB_OK) status = find_stalls(options, inputs, kernel, diagnostics, &stalls);
    if (status == WB_OK) wb_analysis_set_stalls(analysis, &stalls);
    return status;
}
