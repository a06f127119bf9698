/* warpbound makespan: the longest schedule of warps that execute kernel instruction strings. */
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* A number of warps, or warps with a string of their own. */
static wb_status add_warps(const struct options *options, wb_diagnostics *diagnostics,
                           wb_makespan *makespan) {
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < options->warps_count; i++) {
        const char *warps = options->warps[i];
        status = strchr(warps, ':') != NULL ? wb_makespan_add_warps(makespan, warps, diagnostics)
                                            : wb_makespan_set(makespan, "warps", warps, diagnostics);
    }
    return status;
}

/* The problem that operands and options describe. */
static wb_status load(const struct options *options, wb_diagnostics *diagnostics, wb_makespan **makespan) {
    if (options->operand_count > 1)
        return usage_error(diagnostics, "expected one kernel instruction string or one file (see --help)");
    wb_makespan *made = wb_makespan_new();
    if (made == NULL) return WB_ERR_LIMIT;
    wb_status status = WB_OK;
    if (options->operand_count == 1) status = wb_makespan_add_warps(made, options->operands[0], diagnostics);
    for (size_t i = 0; status == WB_OK && i < options->setting_count; i++)
        status = wb_makespan_set(made, options->settings[i].key, options->settings[i].value, diagnostics);
    if (status == WB_OK) status = add_warps(options, diagnostics, made);
    if (status == WB_OK) {
        *makespan = made;
    } else {
        wb_makespan_free(made);
    }
    return status;
}

/* The results, or the longest schedule found. */
static wb_status write_results(const struct options *options, wb_makespan *makespan,
                               wb_diagnostics *diagnostics) {
    const wb_report_options report = {.timing = options->timing};
    char *text = NULL;
    wb_status status;
    if (options->schedule) {
        wb_witness_format format = options->format == OUTPUT_SVG ? WB_WITNESS_SVG : WB_WITNESS_TEXT;
        status = wb_makespan_witness(makespan, NULL, format, diagnostics, &text);
    } else {
        wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
        status = wb_makespan_report(makespan, format, &report, diagnostics, &text);
    }
    if (status == WB_OK) status = write_output(options, text, diagnostics);
    free(text);
    return status;
}

int command_makespan(const struct options *options, wb_diagnostics *diagnostics) {
    wb_makespan *makespan = NULL;
    enum output_format other = options->schedule ? OUTPUT_SVG : OUTPUT_JSON;
    wb_status status = require_format(options, OUTPUT_TEXT, other, diagnostics);
    if (status == WB_OK) status = load(options, diagnostics, &makespan);
    if (status == WB_OK) {
        wb_watch watch = watch_terminal();
        const char *methods = options->methods != NULL ? options->methods : "all";
        status = wb_makespan_solve(makespan, methods, &watch, diagnostics);
    }
    /* What was found before a limit is printed, too. */
    bool results = makespan != NULL && wb_makespan_bound(makespan, 0) != NULL;
    if (status == WB_OK || (status == WB_ERR_LIMIT && results)) {
        wb_status written = write_results(options, makespan, diagnostics);
        if (status == WB_OK) status = written;
    }
    wb_makespan_free(makespan);
    return (int)status;
}
