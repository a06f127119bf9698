/* Any bytes as PTX: one error, or a module that prints as text that parses to the same module. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ptx_equal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static _Noreturn void report(const char *what, const char *text) {
    (void)fprintf(stderr, "%s\n%s\n", what, text);
    abort();
}

static char *printed(const wb_module *module, wb_diagnostics *diagnostics) {
    char *text = NULL;
    if (wb_module_print(module, diagnostics, &text) != WB_OK)
        report("not printed", wb_diagnostics_text(diagnostics));
    return text;
}

static void check_round_trip(const wb_module *module) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text = printed(module, diagnostics);
    wb_module *again = NULL;
    if (wb_module_parse("printed.ptx", text, strlen(text), diagnostics, &again) != WB_OK)
        report(wb_diagnostics_text(diagnostics), text);
    ptx_difference difference = ptx_compare_module(module, again);
    if (difference != NULL) report(difference, text);
    char *second = printed(again, diagnostics);
    if (strcmp(text, second) != 0) report("prints differently", text);
    free(second);
    free(text);
    wb_module_free(again);
    wb_diagnostics_free(diagnostics);
}

/* What later stages ask of every instruction. */
static void ask_instructions(const wb_module *module) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        for (uint32_t i = 0; i < function->inst_count; i++) {
            struct ptx_regs regs;
            uint32_t targets[4];
            ptx_inst_regs(function, &function->insts[i], &regs);
            uint32_t count = ptx_branch_targets(function, &function->insts[i], targets, 4);
            for (uint32_t t = 0; t < count && t < 4; t++)
                if (targets[t] > function->inst_count) report("branch out of the function", function->name);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_module *module = NULL;
    wb_status status = wb_module_parse("fuzz.ptx", (const char *)data, size, diagnostics, &module);
    if (wb_diagnostics_errors(diagnostics) != (status != WB_OK))
        report("not one error", wb_diagnostics_text(diagnostics));
    if (status == WB_OK) {
        const wb_kernel *kernel;
        check_round_trip(module);
        ask_instructions(module);
        (void)wb_module_find_kernel(module, NULL, diagnostics, &kernel);
        (void)wb_module_find_kernel(module, "k", diagnostics, &kernel);
    }
    wb_module_free(module);
    wb_diagnostics_free(diagnostics);
    return 0;
}
