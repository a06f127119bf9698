/* Executions of machine code that no doubt about its machine can shorten: a deadline that they exceed is
 * missed. */
#include "analyze/request.h"
#include "bound/analysis/analysis.h"
#include "bound/analysis/verdict.h"

/* What takes longest under one policy, with every latency as short as it is stated. */
static wb_slowest shortest_under(const wb_analysis *made, bool with_data) {
    wb_slowest found = analysis_found(made, false);
    found.with_data = with_data;
    return found;
}

/* A policy that the code was simulated under and that lets no warp wait for nothing, as no GPU is known to;
 * or NULL. */
static const char *busy_policy(const wb_analysis *executed) {
    for (size_t s = 0; s < executed->simulations.count; s++)
        if (executed->simulations.items[s].work_conserving) return executed->simulations.items[s].policy;
    return NULL;
}

wb_status request_find_shortest(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics) {
    const wb_analysis *executed = analysis->owned.given != NULL ? analysis->owned.given : analysis;
    wb_analysis *made = NULL;
    struct wb_diagnostics messages = {0};
    const char *policy = busy_policy(executed);
    if (machine_isa(analysis->machine) != ISA_SASS || policy == NULL || analysis_has_zeros(executed))
        return WB_OK;
    struct wb_machine shortest = *machine_as_stated(analysis->machine);
    machine_take_shortest(&shortest);
    wb_status status = request_again_on(executed, &shortest, watch, &messages, &made);
    if (status == WB_OK) status = wb_analysis_simulate(made, policy, watch, &messages);
    if (status == WB_OK) {
        const bool with_data = executed != analysis;
        analysis->shortest = shortest_under(made, with_data);
        if (analysis->longest != NULL && made->longest != NULL)
            analysis->longest->shortest = shortest_under(made->longest, with_data);
    }
    wb_analysis_free(made);
    request_settle(&messages, messages.no_memory, diagnostics);
    return messages.no_memory ? WB_ERR_LIMIT : WB_OK;
}
