/* warpbound machine: the presets, one machine as YAML, what of it bounds of some machine code rest on, or a
 * machine that a wing makes of a file. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "wing.h"

static wb_report_format format_of(const struct options *options) {
    return options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
}

/* The wing's source of machines with that verb, or NULL. */
static const struct machine_source *source_of(const char *verb) {
    size_t i = 0;
    while (machine_source_at(i) != NULL && strcmp(machine_source_at(i)->verb, verb) != 0)
        i++;
    return machine_source_at(i);
}

/* show NAME and what wings make of files both end in a machine that is printed. */
static wb_status make_machine(const struct options *options, wb_diagnostics *diagnostics, char **text) {
    const char *verb = options->operands.items[0];
    wb_machine *machine = NULL;
    wb_status status;
    if (strcmp(verb, "show") == 0) {
        status = load_machine(options, options->operands.items[1], diagnostics, &machine);
    } else {
        status = source_of(verb)->make(options->operands.items[1], diagnostics, &machine);
        if (status == WB_OK) status = set_keys(options, machine, diagnostics);
    }
    if (status == WB_OK) status = wb_machine_report(machine, format_of(options), diagnostics, text);
    wb_machine_free(machine);
    return status;
}

/* check FILE -m MACHINE */
static wb_status check_code(const struct options *options, wb_diagnostics *diagnostics, char **text) {
    wb_machine *machine = NULL;
    wb_module *module = NULL;
    if (options->machine == NULL)
        return usage_error(diagnostics,
                           "machine check: expected -m MACHINE with a machine that times machine code");
    wb_status status = load_machine(options, options->machine, diagnostics, &machine);
    if (status == WB_OK)
        status =
            wb_module_read_for(options->operands.items[1], machine, options->image, diagnostics, &module);
    if (status == WB_OK) status = wb_figures_report(machine, module, format_of(options), diagnostics, text);
    wb_machine_free(machine);
    wb_module_free(module);
    return status;
}

int command_machine(const struct options *options, wb_diagnostics *diagnostics) {
    const char *verb = options->operands.count > 0 ? options->operands.items[0] : "";
    char *text = NULL;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status != WB_OK) return (int)status;
    if (strcmp(verb, "list") == 0 && options->operands.count == 1) {
        status = wb_machine_presets_report(format_of(options), diagnostics, &text);
    } else if ((strcmp(verb, "show") == 0 || source_of(verb) != NULL) && options->operands.count == 2) {
        status = make_machine(options, diagnostics, &text);
    } else if (strcmp(verb, "check") == 0 && options->operands.count == 2) {
        status = check_code(options, diagnostics, &text);
    } else if (strcmp(verb, "calibrate") == 0 && options->operands.count == 2) {
        status = calibrate_machine(options, diagnostics, &text);
    } else {
        char operands[128], message[160];
        command_operands(command_of(COMMAND_MACHINE), operands, sizeof operands);
        (void)snprintf(message, sizeof message, "expected: machine %s", operands);
        status = usage_error(diagnostics, message);
    }
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return (int)status;
}
