/* What analyzing one launch and a list of them have in common. */
#include <stdlib.h>
#include <string.h>

#include "command.h"

/* Says that only a block was analysed, and what to do about it: where it is one that was asked for, the
 * deadline counts as missed; else the kernel could not be analysed. */
static int refuse_block(const struct options *options, wb_diagnostics *diagnostics) {
    if (options->block_index != NULL) {
        (void)usage_error(diagnostics, "the deadline is of the kernel, and --block-index asks for one block "
                                       "only: leave that out, or judge the block alone with --scope block");
        return EXIT_DEADLINE_MISSED;
    }
    (void)usage_error(diagnostics, "the deadline is of the kernel, of which there is no bound, only of one "
                                   "block; --scope block judges that alone");
    return WB_ERR_DECLINED;
}

int analyze_judge(const struct options *options, wb_verdict verdict, wb_diagnostics *diagnostics) {
    switch (verdict) {
    case WB_MET: return WB_OK;
    case WB_NOT_MET: return EXIT_DEADLINE_MISSED;
    case WB_NOT_ANALYSED: return refuse_block(options, diagnostics);
    case WB_UNDECIDED: break;
    }
    (void)usage_error(diagnostics, "no proven bound to hold against the deadline: choose a method or a "
                                   "machine for which one is proven");
    return WB_ERR_DECLINED;
}

/* --scope, which may be left out. */
static wb_status read_scope(const struct options *options, wb_diagnostics *diagnostics, wb_scope *scope) {
    *scope = WB_SCOPE_KERNEL;
    if (options->scope == NULL || strcmp(options->scope, wb_scope_name(WB_SCOPE_KERNEL)) == 0) return WB_OK;
    *scope = WB_SCOPE_BLOCK;
    if (strcmp(options->scope, wb_scope_name(WB_SCOPE_BLOCK)) != 0)
        return usage_error(diagnostics, "--scope: expected kernel or block");
    if (options->schemes != NULL && options->block_index == NULL)
        return usage_error(diagnostics, "--scope block: with --scheme only of the block of --block-index");
    return WB_OK;
}

bool analyze_judges_kernel(const struct options *options) {
    return options->deadline != NULL &&
           (options->scope == NULL || strcmp(options->scope, wb_scope_name(WB_SCOPE_BLOCK)) != 0);
}

wb_status analyze_read_deadline(const struct options *options, const wb_machine *machine,
                                wb_diagnostics *diagnostics, wb_report_options *report) {
    wb_status status = read_scope(options, diagnostics, &report->scope);
    if (status != WB_OK || options->deadline == NULL) return status;
    report->has_deadline = true;
    return wb_deadline_cycles(machine, options->deadline, diagnostics, &report->deadline);
}

wb_status analyze_set_limits(const struct options *options, wb_diagnostics *diagnostics,
                             wb_analysis *analysis) {
    if (options->states == NULL) return WB_OK;
    uint64_t states;
    if (!read_count(options->states, strlen(options->states), UINT64_MAX, &states) || states == 0)
        return usage_error(diagnostics, "--states: expected a positive number");
    wb_analysis_set_state_limit(analysis, states);
    return WB_OK;
}

bool analyze_has_results(const wb_analysis *analysis) {
    size_t bounds, simulations;
    if (analysis == NULL) return false;
    (void)wb_analysis_bounds(analysis, &bounds);
    (void)wb_analysis_simulations(analysis, &simulations);
    return bounds + simulations > 0 || analyze_has_results(wb_analysis_longest_block(analysis));
}

/* Passes on what a step came to. Where there are results, one that could not be done ends nothing: the report
 * lists it. Takes the messages. */
static wb_status step_done(const struct inputs *inputs, wb_status status, wb_diagnostics *messages,
                           wb_diagnostics *diagnostics) {
    const bool listed = status == WB_ERR_DECLINED && analyze_has_results(inputs->analysis);
    if (!listed) wb_diagnostics_append(diagnostics, messages);
    wb_diagnostics_free(messages);
    return listed ? WB_OK : status;
}

static wb_status no_memory(wb_diagnostics *diagnostics) {
    wb_diagnostics_error(diagnostics, "analyze", "out of memory");
    return WB_ERR_LIMIT;
}

/* Bounds the given data by what covering paths were bounded by. */
static wb_status bound_given(const struct inputs *inputs, const wb_watch *watch,
                             wb_diagnostics *diagnostics) {
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return no_memory(diagnostics);
    wb_status status = wb_analysis_bound_alike(inputs->given, inputs->analysis, watch, messages);
    return step_done(inputs, status, messages, diagnostics);
}

/* Simulations beside the bounds. */
static wb_status simulate_beside(const struct inputs *inputs, wb_analysis *simulated, const char *policies,
                                 const wb_watch *watch, wb_diagnostics *diagnostics) {
    wb_diagnostics *messages = wb_diagnostics_new();
    if (messages == NULL) return no_memory(diagnostics);
    wb_status status = wb_analysis_simulate(simulated, policies, watch, messages);
    return step_done(inputs, status, messages, diagnostics);
}

/* Runs the methods that are asked for; where a deadline is of the kernel, and they are of blocks only, those
 * that prove something of it, too. */
static wb_status bound_asked(const struct options *options, const wb_watch *watch,
                             wb_diagnostics *diagnostics, wb_analysis *analysis) {
    const char *methods = options->methods != NULL ? options->methods : "all";
    wb_status bounded = wb_analysis_bound(analysis, methods, watch, diagnostics);
    if (bounded != WB_OK && bounded != WB_ERR_LIMIT) return bounded;
    if (!analyze_judges_kernel(options) || wb_methods_include_kernels(methods)) return bounded;
    wb_status kernel = wb_analysis_bound_kernel(analysis, watch, diagnostics);
    return kernel != WB_OK ? kernel : bounded;
}

wb_status analyze_check_settings(const struct options *options, const struct inputs *inputs, size_t count,
                                 wb_diagnostics *diagnostics) {
    for (size_t s = 0; s < options->set_count; s++) {
        bool reads = false;
        for (size_t i = 0; i < count && !reads; i++)
            reads = wb_analysis_reads_setting(inputs[i].analysis, options->sets[s]);
        if (reads) continue;
        wb_diagnostics_error(diagnostics, options->sets[s],
                             "has no effect: none of these methods reads it. It is for abstract CTA "
                             "simulation; --method abstract-cta says where that is not for this input");
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

wb_status analyze_compute(const struct options *options, wb_diagnostics *diagnostics,
                          const struct inputs *inputs) {
    wb_watch watch = watch_terminal();
    wb_status bounded = bound_asked(options, &watch, diagnostics, inputs->analysis);
    if (bounded != WB_OK && bounded != WB_ERR_LIMIT) return bounded;
    wb_analysis *simulated = inputs->analysis;
    if (wb_analysis_is_abstract(simulated) && options->policies == NULL) return bounded;
    if (wb_analysis_is_covering(simulated)) {
        if (inputs->given == NULL && options->policies == NULL) return bounded;
        if (inputs->given != NULL) simulated = inputs->given;
    }
    wb_status status = inputs->given == NULL ? WB_OK : bound_given(inputs, &watch, diagnostics);
    if (status == WB_OK) status = simulate_beside(inputs, simulated, options->policies, &watch, diagnostics);
    return status != WB_OK ? status : bounded;
}
