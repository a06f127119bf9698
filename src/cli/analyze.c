/* warpbound analyze: bounds of one thread block, of a grid or of several, beside simulations. */
#include <stdlib.h>

#include "command.h"

int analyze_judge(const uint64_t *proven, const wb_report_options *report, wb_diagnostics *diagnostics) {
    if (!report->has_deadline) return WB_OK;
    if (proven == NULL) {
        (void)usage_error(diagnostics, "no proven bound to hold against the deadline: choose a method or a "
                                       "machine for which one is proven");
        return WB_ERR_DECLINED;
    }
    return *proven <= report->deadline ? WB_OK : EXIT_DEADLINE_MISSED;
}

wb_status analyze_read_deadline(const struct options *options, const wb_machine *machine,
                                wb_diagnostics *diagnostics, wb_report_options *report) {
    if (options->deadline == NULL) return WB_OK;
    report->has_deadline = true;
    return wb_deadline_cycles(machine, options->deadline, diagnostics, &report->deadline);
}

wb_status analyze_set_limits(const struct options *options, wb_diagnostics *diagnostics,
                             wb_analysis *analysis) {
    if (options->states == NULL) return WB_OK;
    char *end;
    unsigned long long states = strtoull(options->states, &end, 10);
    if (end == options->states || *end != '\0' || options->states[0] == '-' || states == 0)
        return usage_error(diagnostics, "--states: expected a positive number");
    wb_analysis_set_state_limit(analysis, states);
    return WB_OK;
}

/* Loads what is to be analysed and the options that go with it. */
static wb_status prepare(const struct options *options, wb_diagnostics *diagnostics, struct inputs *inputs,
                         wb_report_options *report) {
    wb_status status = require_format(options, OUTPUT_TEXT, OUTPUT_JSON, diagnostics);
    if (status == WB_OK && options->schemes != NULL && options->phases)
        status = usage_error(diagnostics, "--phases is of one block: not with --scheme");
    if (status == WB_OK && options->schemes != NULL)
        status = inputs_load_grid_analysis(options, diagnostics, inputs);
    else if (status == WB_OK)
        status = inputs_load(options, INPUTS_ANALYSIS, diagnostics, inputs);
    if (status == WB_OK)
        status = analyze_read_deadline(options, wb_analysis_machine(inputs->analysis), diagnostics, report);
    return status == WB_OK ? analyze_set_limits(options, diagnostics, inputs->analysis) : status;
}

/* Bounds the given data by what covering paths were bounded by. */
static wb_status bound_alike(const wb_analysis *covering, wb_analysis *given, const wb_watch *watch,
                             wb_diagnostics *diagnostics) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(covering, &count);
    wb_status status = WB_OK;
    for (size_t i = 0; i < count && status == WB_OK; i++)
        status = wb_analysis_bound(given, bounds[i].method, watch, diagnostics);
    return status;
}

/* The given data beside covering paths, of a kernel also that of the block that takes longest. */
static wb_status bound_given(const struct inputs *inputs, const wb_watch *watch,
                             wb_diagnostics *diagnostics) {
    const wb_analysis *longest = wb_analysis_longest_block(inputs->analysis);
    wb_status status = bound_alike(inputs->analysis, inputs->given, watch, diagnostics);
    if (status != WB_OK || longest == NULL) return status;
    return bound_alike(longest, inputs->given, watch, diagnostics);
}

wb_status analyze_compute(const struct options *options, wb_diagnostics *diagnostics,
                          const struct inputs *inputs) {
    wb_watch watch = watch_terminal();
    const char *methods = options->methods != NULL ? options->methods : "all";
    wb_status bounded = wb_analysis_bound(inputs->analysis, methods, &watch, diagnostics);
    if (bounded != WB_OK && bounded != WB_ERR_LIMIT) return bounded;
    wb_analysis *simulated = inputs->analysis;
    if (wb_analysis_is_abstract(simulated) && options->policies == NULL) return bounded;
    if (wb_analysis_is_covering(simulated)) {
        if (inputs->given == NULL && options->policies == NULL) return bounded;
        if (inputs->given != NULL) simulated = inputs->given;
    }
    wb_status status = inputs->given == NULL ? WB_OK : bound_given(inputs, &watch, diagnostics);
    if (status == WB_OK) status = wb_analysis_simulate(simulated, options->policies, &watch, diagnostics);
    return status != WB_OK ? status : bounded;
}

/* Whether there is something to print: everything, or what was found before a limit or an interrupt. */
static bool has_results(const struct inputs *inputs, int status) {
    size_t bounds = 0;
    if (status == WB_ERR_LIMIT && inputs->analysis != NULL)
        (void)wb_analysis_bounds(inputs->analysis, &bounds);
    return status == WB_OK || bounds > 0;
}

/* Analyses what is no list of launches. */
static int analyze_one(const struct options *options, wb_diagnostics *diagnostics, struct inputs *inputs) {
    wb_report_options report = {.phases = options->phases, .timing = options->timing};
    wb_report_format format = options->format == OUTPUT_JSON ? WB_REPORT_JSON : WB_REPORT_TEXT;
    char *text = NULL;
    int status = (int)prepare(options, diagnostics, inputs, &report);
    if (status == WB_OK) status = (int)analyze_compute(options, diagnostics, inputs);
    if (has_results(inputs, status)) {
        int written = (int)wb_report(inputs->analysis, format, &report, diagnostics, &text);
        if (written == WB_OK) written = (int)write_output(options, text, diagnostics);
        if (status == WB_OK) status = written;
    }
    uint64_t proven;
    if (status == WB_OK)
        status = analyze_judge(wb_analysis_proven(inputs->analysis, &proven) ? &proven : NULL, &report,
                               diagnostics);
    free(text);
    return status;
}

int command_analyze(const struct options *options, wb_diagnostics *diagnostics) {
    struct inputs inputs = {0};
    int status = (int)inputs_load_launches(options, diagnostics, &inputs);
    if (status == WB_OK)
        status = inputs.launches != NULL && wb_launches_is_list(inputs.launches)
                     ? analyze_stream(options, inputs.launches, diagnostics)
                     : analyze_one(options, diagnostics, &inputs);
    inputs_free(&inputs);
    return status;
}
