/* What analyzing one launch and a list of them have in common. */
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
