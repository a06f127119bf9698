/* warpbound machine: the presets, one machine as YAML, or a gpgpusim.config turned into one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* The names of all presets, one a line, malloc'd. */
static char *preset_list(void) {
    size_t size = 1;
    for (size_t i = 0; i < wb_machine_preset_count(); i++)
        size += strlen(wb_machine_preset_name(i)) + 1;
    char *text = calloc(1, size);
    size_t length = 0;
    for (size_t i = 0; text != NULL && i < wb_machine_preset_count(); i++)
        length += (size_t)snprintf(text + length, size - length, "%s\n", wb_machine_preset_name(i));
    return text;
}

/* show NAME and import FILE both end in a machine that is printed. */
static wb_status make_machine(const struct options *options, wb_diagnostics *diagnostics, char **text) {
    const char *verb = options->operands.items[0];
    wb_machine *machine = NULL;
    wb_status status;
    if (strcmp(verb, "show") == 0) {
        status = load_machine(options, options->operands.items[1], diagnostics, &machine);
    } else {
        status = wb_machine_import(options->operands.items[1], diagnostics, &machine);
        if (status == WB_OK) status = set_keys(options, machine, diagnostics);
    }
    if (status == WB_OK) status = wb_machine_print(machine, diagnostics, text);
    wb_machine_free(machine);
    return status;
}

int command_machine(const struct options *options, wb_diagnostics *diagnostics) {
    const char *verb = options->operands.count > 0 ? options->operands.items[0] : "";
    char *text = NULL;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_TEXT, diagnostics);
    if (status != WB_OK) return (int)status;
    if (strcmp(verb, "list") == 0 && options->operands.count == 1) {
        text = preset_list();
        status = text != NULL ? WB_OK : WB_ERR_LIMIT;
    } else if ((strcmp(verb, "show") == 0 || strcmp(verb, "import") == 0) && options->operands.count == 2) {
        status = make_machine(options, diagnostics, &text);
    } else {
        status = usage_error(diagnostics, "expected: machine list | show NAME | import gpgpusim.config");
    }
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return (int)status;
}
