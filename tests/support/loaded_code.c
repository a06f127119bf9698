#include "loaded_code.h"

struct loaded_code code_load(const char *path, const char *launch) {
    struct loaded_code code = {.kernel = kernel_load(path, launch)};
    const struct loaded_kernel *loaded = &code.kernel;
    wb_diagnostics *diagnostics = loaded->diagnostics;
    kernel_expect_ok(
        wb_calibration_machine(wb_module_architecture(loaded->module), diagnostics, &code.machine), path,
        diagnostics);
    const wb_trace_options options = {.size = sizeof options,
                                      .record_accesses = wb_machine_needs_accesses(code.machine)};
    const wb_status status =
        wb_block_trace(loaded->kernel, loaded->launch, &options, diagnostics, &code.block);
    if (status == WB_ERR_DECLINED) return code;
    kernel_expect_ok(status, path, diagnostics);
    kernel_expect_ok(wb_analysis_new(code.block, code.machine, diagnostics, &code.analysis), path,
                     diagnostics);
    return code;
}

void code_unload(struct loaded_code *code) {
    wb_analysis_free(code->analysis);
    wb_block_free(code->block);
    wb_machine_free(code->machine);
    kernel_unload(&code->kernel);
}
