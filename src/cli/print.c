/* warpbound print: PTX in canonical form, machine code as a listing, or what code a program has. */
#include <stdlib.h>

#include "command.h"

/* Of a program with several codes one is printed where it is named. */
static wb_status print(const struct options *options, const wb_program *program, wb_diagnostics *diagnostics,
                       char **text) {
    const wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    wb_module *module = NULL;
    if (wb_program_is_container(program) && options->image == NULL)
        return wb_program_report(program, format, diagnostics, text);
    wb_status status = wb_program_module(program, NULL, options->image, diagnostics, &module);
    if (status == WB_OK) status = wb_module_report(module, format, diagnostics, text);
    wb_module_free(module);
    return status;
}

int command_print(const struct options *options, wb_diagnostics *diagnostics) {
    wb_program *program = NULL;
    char *text = NULL;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = load_program(options, diagnostics, &program);
    if (status == WB_OK) status = print(options, program, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    wb_program_free(program);
    return (int)status;
}
