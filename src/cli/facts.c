/* warpbound facts: a file of flow facts to be completed by hand. */
#include <stdlib.h>

#include "command.h"

int command_facts(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    char *text = NULL;
    wb_status status = inputs_load_launch(options, diagnostics, &inputs);
    if (status == WB_OK) status = wb_facts_template(inputs.kernel, inputs.launch, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
