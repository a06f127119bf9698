/* warpbound path: what each warp of a block executes; in the formats of JCSE 2017, what those of all blocks
 * access. */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"

static wb_status report_block(const struct options *options, wb_diagnostics *diagnostics,
                              struct inputs *inputs) {
    char *text = NULL;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = inputs_load(options, INPUTS_PATHS, diagnostics, inputs);
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    if (status == WB_OK) status = wb_block_report(inputs->block, format, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return status;
}

static bool append_to_stream(void *stream, const char *bytes, size_t size) {
    return fwrite(bytes, 1, size, stream) == size;
}

static wb_status write_grid(const wb_grid *grid, const struct options *options, wb_diagnostics *diagnostics) {
    wb_report_format format = options->format == OUTPUT_JCSE_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    watch_clear();
    if (options->output == NULL) {
        const wb_writer writer = {append_to_stream, stdout};
        wb_status status = wb_grid_report(grid, format, &writer, diagnostics);
        if (fflush(stdout) == 0) return status;
        return usage_error(diagnostics, "cannot write to standard output");
    }
    wb_file *file = NULL;
    wb_status status = wb_file_new(options->output, diagnostics, &file);
    const wb_writer writer = {wb_file_append, file};
    if (status == WB_OK) status = wb_grid_report(grid, format, &writer, diagnostics);
    if (status == WB_OK) status = wb_file_complete(file, diagnostics);
    wb_file_free(file);
    return status;
}

/* The kernel analyzer. Pointers may be given as plain numbers: what is at them is then unknown. */
static wb_status report_grid(const struct options *options, wb_diagnostics *diagnostics,
                             struct inputs *inputs) {
    wb_status status = inputs_load_grid(options, true, diagnostics, inputs);
    return status == WB_OK ? write_grid(inputs->grid, options, diagnostics) : status;
}

int command_path(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    bool analyzes = options->format == OUTPUT_JCSE || options->format == OUTPUT_JCSE_JSON;
    wb_status status =
        analyzes ? report_grid(options, diagnostics, &inputs) : report_block(options, diagnostics, &inputs);
    inputs_free(&inputs);
    return (int)status;
}
