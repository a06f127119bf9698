/* warpbound occupancy: how many blocks of a launch an SM holds at a time, and why no more. */
#include <stdlib.h>

#include "command.h"

int command_occupancy(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    wb_occupancy occupancy;
    char *text = NULL;
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = inputs_load_launch(options, WB_MACHINE_USUAL, diagnostics, &inputs);
    if (status == WB_OK)
        status = wb_occupancy_find(inputs.kernel, inputs.launch, inputs.machine, diagnostics, &occupancy);
    if (status == WB_OK) status = wb_occupancy_report(&occupancy, format, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    inputs_free(&inputs);
    return (int)status;
}
