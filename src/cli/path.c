/* warpbound path: what each warp of a block executes; in the formats of JCSE 2017, what those of all blocks
 * access. */
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

/* What write_as_made makes. */
struct analyzer_output {
    const wb_grid *grid;
    wb_report_format format;
};

static wb_status make_analyzer(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct analyzer_output *output = user;
    return wb_grid_report(output->grid, output->format, writer, diagnostics);
}

/* In place of a grid some of whose warps ended early, all that they may execute, where that can be covered.
 */
static wb_status cover_steered(const struct options *options, wb_diagnostics *diagnostics,
                               struct inputs *inputs) {
    wb_grid *covering = NULL;
    const wb_grid_options cover = {.cover = true,
                                   .record_accesses = true,
                                   .memory_limit = options->memory_limit,
                                   .watch = watch_terminal()};
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return WB_ERR_LIMIT;
    wb_status status = wb_grid_trace(inputs->kernel, inputs->launch, &cover, messages, &covering);
    if (status == WB_OK) {
        wb_grid_free(inputs->grid);
        inputs->grid = covering;
    } else if (status != WB_ERR_LIMIT || wb_diagnostics_over_limit(messages)) {
        wb_diagnostics_warning(diagnostics, "path",
                               "what warps execute behind values that are not known is not listed: the grid "
                               "cannot be covered (analyze says why)");
        status = WB_OK;
    }
    if (status != WB_OK) wb_diagnostics_append(diagnostics, messages);
    wb_diagnostics_free(messages);
    return status;
}

/* The kernel analyzer. Pointers may be given as plain numbers: what is at them is then unknown. */
static wb_status report_grid(const struct options *options, wb_diagnostics *diagnostics,
                             struct inputs *inputs) {
    if (options->facts != NULL) return usage_error(diagnostics, "--facts: not with --format jcse");
    wb_status status = inputs_load_grid(options, true, diagnostics, inputs);
    if (status == WB_OK && options->block_index == NULL && wb_grid_is_steered(inputs->grid))
        status = cover_steered(options, diagnostics, inputs);
    struct analyzer_output output = {inputs->grid,
                                     options->format == OUTPUT_JCSE_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT};
    return status == WB_OK ? write_as_made(options, make_analyzer, &output, diagnostics) : status;
}

int command_path(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    bool analyzes = options->format == OUTPUT_JCSE || options->format == OUTPUT_JCSE_JSON;
    wb_status status =
        analyzes ? report_grid(options, diagnostics, &inputs) : report_block(options, diagnostics, &inputs);
    inputs_free(&inputs);
    return (int)status;
}
