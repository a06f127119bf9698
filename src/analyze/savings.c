/* What promises of a launch (machine_promise) save, and others would: the bound without them, or with them.
 */
#include "analyze/request.h"
#include "bound/analysis/analysis.h"
#include "launch/launch.h"

wb_status request_again_on(const wb_analysis *analysis, const wb_machine *machine, const wb_watch *watch,
                           wb_diagnostics *messages, wb_analysis **made) {
    return analysis->owned.grid != NULL
               ? analysis_new_kernel(analysis->owned.grid, machine, watch, messages, made)
               : wb_analysis_new(analysis->block, machine, messages, made);
}

wb_status request_bound_on(const wb_analysis *analysis, const wb_machine *machine, const char *method,
                           const wb_watch *watch, wb_diagnostics *messages, uint64_t *bound) {
    wb_analysis *made = NULL;
    wb_status status = request_again_on(analysis, machine, watch, messages, &made);
    if (status == WB_OK) status = wb_analysis_bound(made, method, watch, messages);
    const wb_bound *best = status == WB_OK ? wb_analysis_best(made) : NULL;
    if (best != NULL) *bound = best->cycles;
    wb_analysis_free(made);
    return status == WB_OK && best == NULL ? WB_ERR_DECLINED : status;
}

/* The bound without promise number `promise`, or with it where the launch can keep it. */
static wb_status save(const struct request *request, wb_analysis *analysis, const wb_bound *best,
                      enum resident promise, wb_diagnostics *messages) {
    struct wb_machine with = *machine_as_stated(analysis->machine);
    uint64_t bound;
    const bool is_made = machine_promises(&with, promise);
    machine_promise_all(&with, machine_take_back(&with) ^ 1u << promise);
    if (wb_promises_check(request->kernel, request->launch, &with, messages) != WB_OK) return WB_OK;
    const wb_status status =
        request_bound_on(analysis, &with, best->method, &request->asked.watch, messages, &bound);
    if (status != WB_OK) return status == WB_ERR_LIMIT ? status : WB_OK;
    analysis->savings[analysis->saving_count++] =
        (wb_saving){wb_resident_name_at((size_t)promise), bound, is_made};
    return WB_OK;
}

wb_status request_find_savings(const struct request *request, wb_analysis *analysis,
                               wb_diagnostics *diagnostics) {
    const wb_bound *best = wb_analysis_best(analysis);
    struct wb_diagnostics messages = {0};
    wb_status status = WB_OK;
    if (best == NULL || machine_isa(analysis->machine) != ISA_SASS) return WB_OK;
    for (int promise = 0; promise < RESIDENTS && status == WB_OK; promise++)
        status = save(request, analysis, best, (enum resident)promise, &messages);
    request_settle(&messages, status != WB_OK && messages.no_memory, diagnostics);
    return messages.no_memory ? status : WB_OK;
}

const wb_saving *wb_analysis_savings(const wb_analysis *analysis, size_t *count) {
    *count = analysis->saving_count;
    return analysis->savings;
}
