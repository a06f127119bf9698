/* What promises of a launch (machine_promise) save, and others would: the bound without them, or with them.
 */
#include "analyze/request.h"
#include "bound/analysis/analysis.h"
#include "launch/launch.h"

static wb_status again_on(const wb_analysis *analysis, const wb_machine *machine, const wb_analysis *like,
                          const wb_watch *watch, wb_diagnostics *messages, wb_analysis **made) {
    return analysis->owned.grid != NULL
               ? analysis_new_kernel(analysis->owned.grid, machine, like, watch, messages, made)
               : wb_analysis_new(analysis->block, machine, messages, made);
}

wb_status request_again_on(const wb_analysis *analysis, const wb_machine *machine, const wb_watch *watch,
                           wb_diagnostics *messages, wb_analysis **made) {
    return again_on(analysis, machine, NULL, watch, messages, made);
}

wb_status request_bound_on(const wb_analysis *analysis, const wb_machine *machine, const char *method,
                           const wb_watch *watch, wb_diagnostics *messages, uint64_t *bound) {
    wb_analysis *made = NULL;
    wb_status status = again_on(analysis, machine, analysis, watch, messages, &made);
    if (status == WB_OK) status = wb_analysis_bound(made, method, watch, messages);
    const wb_bound *best = status == WB_OK ? wb_analysis_best(made) : NULL;
    if (best != NULL) *bound = best->cycles;
    wb_analysis_free(made);
    return status == WB_OK && best == NULL ? WB_ERR_DECLINED : status;
}

/* Notes the bound on a machine with one promise less or more than `analysis` has it, where the launch can
 * keep what that takes for promised. */
static wb_status save(const struct request *request, wb_analysis *analysis, const wb_machine *with,
                      const wb_saving *saving, wb_diagnostics *messages) {
    const wb_bound *best = wb_analysis_best(analysis);
    wb_saving found = *saving;
    if (wb_promises_check(request->kernel, request->launch, with, messages) != WB_OK) return WB_OK;
    const wb_status status =
        request_bound_on(analysis, with, best->method, &request->asked.watch, messages, &found.cycles);
    if (status != WB_OK) return status == WB_ERR_LIMIT ? status : WB_OK;
    return vec_push(&analysis->savings, found) == WB_OK ? WB_OK : analysis_no_memory(messages);
}

static wb_status save_promise(const struct request *request, wb_analysis *analysis, enum resident promise,
                              wb_diagnostics *messages) {
    struct wb_machine with = *machine_as_stated(analysis->machine);
    const wb_saving saving = {wb_resident_name_at((size_t)promise), 0, machine_promises(&with, promise)};
    machine_promise_all(&with, machine_take_back(&with) ^ 1u << promise);
    return save(request, analysis, &with, &saving, messages);
}

/* Without one of the buffers that are promised by their names. */
static wb_status save_buffer(const struct request *request, wb_analysis *analysis, uint32_t number,
                             wb_diagnostics *messages) {
    struct wb_machine with = *machine_as_stated(analysis->machine);
    const struct promised_buffers *all = &machine_as_stated(analysis->machine)->buffers;
    const char **others = arena_array(&analysis->texts, all->count, sizeof *others);
    if (others == NULL) return analysis_no_memory(messages);
    with.buffers = (struct promised_buffers){others, 0};
    for (uint32_t n = 0; n < all->count; n++)
        if (n != number) others[with.buffers.count++] = all->promises[n];
    return save(request, analysis, &with, &(wb_saving){all->promises[number], 0, true}, messages);
}

wb_status request_find_savings(const struct request *request, wb_analysis *analysis,
                               wb_diagnostics *diagnostics) {
    struct wb_diagnostics messages = {0};
    wb_status status = WB_OK;
    if (wb_analysis_best(analysis) == NULL || machine_isa(analysis->machine) != ISA_SASS) return WB_OK;
    for (int promise = 0; promise < RESIDENT_BUFFERS && status == WB_OK; promise++)
        if (!neighbours_evict(analysis->machine, (enum resident)promise))
            status = save_promise(request, analysis, (enum resident)promise, &messages);
    for (uint32_t n = 0; n < machine_as_stated(analysis->machine)->buffers.count && status == WB_OK; n++)
        status = save_buffer(request, analysis, n, &messages);
    request_settle(&messages, status != WB_OK && messages.no_memory, diagnostics);
    return messages.no_memory ? status : WB_OK;
}

const wb_saving *wb_analysis_savings(const wb_analysis *analysis, size_t *count) {
    *count = analysis->savings.count;
    return analysis->savings.items;
}
