/* warpbound print: PTX in canonical form, or machine code as a listing. */
#include <stdlib.h>

#include "command.h"

int command_print(const struct options *options, wb_diagnostics *diagnostics) {
    wb_module *module = NULL;
    char *text = NULL;
    wb_status status = load_module(options, diagnostics, &module);
    if (status == WB_OK) status = wb_module_print(module, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    wb_module_free(module);
    return (int)status;
}
