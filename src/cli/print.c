/* warpbound print: a PTX file in canonical form. */
#include <stdlib.h>

#include "command.h"

int command_print(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->operands.count != 1)
        return (int)usage_error(diagnostics, "expected one PTX file (see --help)");
    wb_module *module = NULL;
    char *text = NULL;
    wb_status status = wb_module_read(options->operands.items[0], diagnostics, &module);
    if (status == WB_OK) status = wb_module_print(module, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    wb_module_free(module);
    return (int)status;
}
