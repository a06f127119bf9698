/* warpbound path: what each warp of a block executes; in the formats of JCSE 2017, what those of all blocks
 * access. */
#include <stdlib.h>

#include "command.h"

static wb_status report_block(const struct options *options, wb_diagnostics *diagnostics,
                              struct inputs *inputs) {
    wb_block *block = NULL;
    char *text = NULL;
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = inputs_load(options, NULL, diagnostics, inputs);
    const wb_analyze_options asked = analyze_options(options, inputs);
    if (status == WB_OK)
        status = wb_analyze_paths(inputs->kernel, inputs->launch, &asked, diagnostics, &block);
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    if (status == WB_OK) status = wb_block_report(block, format, diagnostics, &text);
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    wb_block_free(block);
    return status;
}

/* What write_as_made makes. */
struct analyzer_output {
    wb_grid *grid;
    wb_report_format format;
};

static wb_status make_analyzer(void *user, const wb_writer *writer, wb_diagnostics *diagnostics) {
    const struct analyzer_output *output = user;
    return wb_grid_report(output->grid, output->format, writer, diagnostics);
}

/* The kernel analyzer. Pointers may be given as plain numbers: what is at them is then unknown. */
static wb_status report_grid(const struct options *options, wb_diagnostics *diagnostics,
                             struct inputs *inputs) {
    struct analyzer_output output = {NULL,
                                     options->format == OUTPUT_JCSE_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT};
    if (options->facts != NULL && !options->facts_of_launch)
        return usage_error(diagnostics, "--facts cannot be combined with --format jcse");
    wb_status status = inputs_load(options, NULL, diagnostics, inputs);
    if (status != WB_OK) return status;
    wb_analyze_options asked = analyze_options(options, inputs);
    asked.inputs = WB_INPUTS_GIVEN;
    asked.facts = NULL;
    asked.allow_unmapped = true;
    status = wb_analyze_accesses(inputs->kernel, inputs->launch, &asked, diagnostics, &output.grid);
    if (status == WB_OK) status = write_as_made(options, make_analyzer, &output, diagnostics);
    wb_grid_free(output.grid);
    return status;
}

int command_path(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    bool analyzes = options->format == OUTPUT_JCSE || options->format == OUTPUT_JCSE_JSON;
    wb_status status =
        analyzes ? report_grid(options, diagnostics, &inputs) : report_block(options, diagnostics, &inputs);
    inputs_free(&inputs);
    return (int)status;
}
