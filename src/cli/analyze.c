/* warpbound analyze: bounds of one thread block beside simulations of it. */
#include <stdlib.h>

#include "command.h"

/* Says whether the deadline of `report` is met: by the least proven bound, nothing else. */
static int judge_deadline(const wb_analysis *analysis, const wb_report_options *report,
                          wb_diagnostics *diagnostics) {
    if (!report->has_deadline) return WB_OK;
    const wb_bound *best = wb_analysis_best(analysis);
    if (best == NULL) {
        (void)usage_error(diagnostics, "no proven bound to hold against the deadline: choose a method or a "
                                       "machine for which one is proven");
        return WB_ERR_DECLINED;
    }
    return best->cycles <= report->deadline ? WB_OK : EXIT_DEADLINE_MISSED;
}

static wb_status run_analysis(const struct options *options, wb_diagnostics *diagnostics,
                              struct inputs *inputs, wb_report_options *report) {
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK) status = inputs_load(options, true, diagnostics, inputs);
    if (status == WB_OK && options->deadline != NULL) {
        status = wb_deadline_cycles(inputs->machine, options->deadline, diagnostics, &report->deadline);
        report->has_deadline = status == WB_OK;
    }
    wb_watch watch = watch_terminal();
    const char *methods = options->methods != NULL ? options->methods : "all";
    const char *policies = options->policies != NULL ? options->policies : "lrr,gto";
    if (status == WB_OK) status = wb_analysis_bound(inputs->analysis, methods, &watch, diagnostics);
    if (status == WB_OK) status = wb_analysis_simulate(inputs->analysis, policies, &watch, diagnostics);
    return status;
}

/* Whether there is something to print: everything, or what was found before a limit or an interrupt. */
static bool has_results(const struct inputs *inputs, int status) {
    size_t bounds = 0;
    if (status == WB_ERR_LIMIT && inputs->analysis != NULL)
        (void)wb_analysis_bounds(inputs->analysis, &bounds);
    return status == WB_OK || bounds > 0;
}

int command_analyze(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    wb_report_options report = {.phases = options->phases, .timing = options->timing};
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    char *text = NULL;
    int status = (int)run_analysis(options, diagnostics, &inputs, &report);
    if (has_results(&inputs, status)) {
        int written = (int)wb_report(inputs.analysis, format, &report, diagnostics, &text);
        if (written == WB_OK) written = (int)write_output(options, text, diagnostics);
        if (status == WB_OK) status = written;
    }
    if (status == WB_OK) status = judge_deadline(inputs.analysis, &report, diagnostics);
    free(text);
    inputs_free(&inputs);
    return status;
}
