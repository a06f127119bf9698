/* Any bytes as PTX whose first kernel is executed and bounded: an error with a message, or bounds that hold
 * for what is simulated; never a crash, a hang or unbounded memory. */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz_bounds.h"
#include "ptx/ptx.h"
#include "warpbound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INSTRUCTIONS_MAX 20000u

/* A buffer for every parameter of eight bytes, a small number for every other. */
static wb_launch *make_launch(const wb_kernel *kernel, wb_diagnostics *diagnostics) {
    wb_launch *launch = wb_launch_new();
    const struct ptx_function *function = kernel_function(kernel);
    (void)wb_launch_set_grid(launch, "2", diagnostics);
    (void)wb_launch_set_block(launch, "48", diagnostics);
    for (uint32_t p = 0; p < function->param_count; p++) {
        const struct ptx_variable *parameter = &kernel->module->variables[function->params[p]];
        const char *argument = parameter->size == 8 ? "buf:u32[256]=iota" : "i32:4";
        (void)wb_launch_add_argument(launch, argument, diagnostics);
    }
    return launch;
}

static void check_bounds(const wb_block *block, const wb_machine *machine, wb_diagnostics *diagnostics) {
    wb_analysis *analysis = NULL;
    if (wb_analysis_new(block, machine, diagnostics, &analysis) != WB_OK) return;
    require_bounds(analysis, "sib,elb", diagnostics);
    wb_analysis_free(analysis);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_machine *machine = NULL;
    wb_block *block = NULL;
    wb_launch *launch = NULL;
    const wb_kernel *kernel = NULL;
    if (wb_machine_load("orin-sm86", diagnostics, &machine) != WB_OK) abort();
    if (wb_module_parse("fuzz.ptx", (const char *)data, size, diagnostics, &module) == WB_OK &&
        wb_module_kernel_count(module) > 0) {
        const char *name = wb_kernel_name(wb_module_kernel(module, 0));
        if (wb_module_find_kernel(module, name, diagnostics, &kernel) == WB_OK)
            launch = make_launch(kernel, diagnostics);
    }
    const wb_trace_options options = {.instruction_limit = INSTRUCTIONS_MAX, .record_accesses = true};
    size_t errors = wb_diagnostics_errors(diagnostics);
    if (launch != NULL) {
        wb_status status = wb_block_trace(kernel, launch, &options, diagnostics, &block);
        if ((status == WB_OK) != (wb_diagnostics_errors(diagnostics) == errors)) abort();
        if (status == WB_OK) check_bounds(block, machine, diagnostics);
    }
    wb_block_free(block);
    wb_launch_free(launch);
    wb_machine_free(machine);
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return 0;
}
