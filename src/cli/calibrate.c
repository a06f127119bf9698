/* warpbound machine calibrate: what a compiler keeps between machine instructions, as a machine file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "ptxas.h"
#include "values.h"

/* "sm_86", or 86. */
static bool read_architecture(const char *text, uint32_t *sm) {
    uint64_t number;
    if (strncmp(text, "sm_", 3) == 0) text += 3;
    if (!read_number(text, strlen(text), 75, 999, &number)) return false;
    *sm = (uint32_t)number;
    return true;
}

/* Machine code with its compiler's name. */
struct compiled {
    wb_module *module;
    char compiler[PTXAS_VERSION_MAX];
};

static wb_status compile(const struct options *options, uint32_t sm, const wb_machine *machine,
                         wb_diagnostics *diagnostics, struct compiled *compiled) {
    if (options->cubin != NULL) {
        (void)snprintf(compiled->compiler, sizeof compiled->compiler, "the compiler of %.60s",
                       options->cubin);
        return wb_module_read_for(options->cubin, machine, options->image, diagnostics, &compiled->module);
    }
    char *ptx = NULL;
    struct ptxas_code code = {0};
    wb_status status = wb_calibration_ptx(sm, diagnostics, &ptx);
    const struct ptxas_text text = {.ptx = ptx,
                                    .name = "the kernels",
                                    .without = "give machine code that it made elsewhere with --cubin",
                                    .sm = sm};
    if (status == WB_OK) status = ptxas_assemble(options->ptxas, &text, diagnostics, &code);
    if (status == WB_OK)
        status =
            wb_module_parse("machine code of ptxas", code.bytes, code.size, diagnostics, &compiled->module);
    (void)snprintf(compiled->compiler, sizeof compiled->compiler, "%s", code.version);
    free(code.bytes);
    free(ptx);
    return status;
}

wb_status calibrate_machine(const struct options *options, wb_diagnostics *diagnostics, char **text) {
    uint32_t sm;
    if (!read_architecture(options->operands.items[1], &sm))
        return usage_error(diagnostics,
                           "machine calibrate: expected an architecture from sm_75 on, such as sm_86");
    struct compiled compiled = {0};
    wb_machine *machine = NULL;
    if (options->sets.count > 0)
        return usage_error(diagnostics,
                           "machine calibrate: --set has no effect: the file written is based on a preset");
    wb_status status = options->machine != NULL ? wb_machine_load(options->machine, diagnostics, &machine)
                                                : wb_calibration_machine(sm, diagnostics, &machine);
    if (status == WB_OK) status = compile(options, sm, machine, diagnostics, &compiled);
    if (status == WB_OK)
        status = wb_calibrate(compiled.module, machine, compiled.compiler, diagnostics, text);
    wb_module_free(compiled.module);
    wb_machine_free(machine);
    return status;
}
