/* warpbound print: PTX in canonical form, or machine code as a listing. */
#include <stdlib.h>

#include "command.h"

int command_print(const struct options *options, wb_diagnostics *diagnostics) {
    wb_module *module = NULL;
    char *text = NULL;
    const wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = load_module(options, diagnostics, &module);
    if (status == WB_OK) status = wb_module_report(module, format, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    wb_module_free(module);
    return (int)status;
}
