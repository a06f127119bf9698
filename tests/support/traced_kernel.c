#include "traced_kernel.h"
#include "launch_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void traced_expect_ok(const struct traced_kernel *traced, wb_status status) {
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(traced->diagnostics));
}

static const wb_kernel *read_kernel(const struct traced_launch *launch, struct traced_kernel *traced) {
    const wb_kernel *kernel = NULL;
    if (launch->file != NULL)
        traced_expect_ok(traced, wb_module_read(launch->file, traced->diagnostics, &traced->module));
    else
        traced_expect_ok(traced, wb_module_parse("k.ptx", launch->text, strlen(launch->text),
                                                 traced->diagnostics, &traced->module));
    traced_expect_ok(traced,
                     wb_module_find_kernel(traced->module, launch->kernel, traced->diagnostics, &kernel));
    return kernel;
}

struct traced_kernel traced_kernel_open(const struct traced_launch *launch) {
    struct traced_kernel traced = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    wb_diagnostics *diagnostics = traced.diagnostics;
    const wb_trace_options options = {.size = sizeof options, .record_accesses = launch->record_accesses};
    const wb_kernel *kernel = read_kernel(launch, &traced);
    traced_expect_ok(&traced, wb_launch_set_grid(traced.launch, (const uint32_t[3]){1, 1, 1}, diagnostics));
    traced_expect_ok(&traced, launch_block_text(traced.launch, launch->threads, diagnostics));
    for (const char *const *argument = launch->arguments; *argument != NULL; argument++)
        traced_expect_ok(&traced, wb_launch_add_argument(traced.launch, *argument, diagnostics));
    traced_expect_ok(&traced, wb_machine_load(launch->machine, diagnostics, &traced.machine));
    for (const char *const *setting = launch->settings; *setting != NULL; setting++)
        traced_expect_ok(&traced, wb_machine_set(traced.machine, *setting, diagnostics));
    traced_expect_ok(&traced, wb_block_trace(kernel, traced.launch, &options, diagnostics, &traced.block));
    if (launch->analyze)
        traced_expect_ok(&traced,
                         wb_analysis_new(traced.block, traced.machine, diagnostics, &traced.analysis));
    return traced;
}

void traced_kernel_close(struct traced_kernel *traced) {
    wb_analysis_free(traced->analysis);
    wb_block_free(traced->block);
    wb_machine_free(traced->machine);
    wb_launch_free(traced->launch);
    wb_module_free(traced->module);
    wb_diagnostics_free(traced->diagnostics);
}
