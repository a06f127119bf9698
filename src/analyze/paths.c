/* What warps execute, and access, without a machine. */
#include "analyze/request.h"
#include "warp/trace/trace.h"

wb_status wb_analyze_paths(const wb_kernel *kernel, const wb_launch *launch,
                           const wb_analyze_options *options, wb_diagnostics *diagnostics, wb_block **block) {
    struct request request;
    WB_TRY(request_make(kernel, launch, NULL, options, diagnostics, &request));
    return request_block(&request, diagnostics, block, NULL);
}

/* In place of a grid some of whose warps ended early, all that they may execute, where that can be covered.
 */
static wb_status cover_steered(const struct request *request, wb_diagnostics *diagnostics, wb_grid **grid) {
    const wb_grid_options cover = request_covering_grid(request);
    struct wb_diagnostics messages = {0};
    wb_grid *covering = NULL;
    wb_status status = wb_grid_trace(request->kernel, request->launch, &cover, &messages, &covering);
    if (status == WB_OK) {
        wb_grid_free(*grid);
        *grid = covering;
    } else if (status != WB_ERR_LIMIT || messages.over_limit) {
        diagnose(diagnostics, SEVERITY_WARNING, "path",
                 "what warps execute after unknown values is not listed: the grid cannot be covered (analyze "
                 "says why)");
        status = WB_OK;
    }
    request_settle(&messages, status != WB_OK, diagnostics);
    return status;
}

wb_status wb_analyze_accesses(const wb_kernel *kernel, const wb_launch *launch,
                              const wb_analyze_options *options, wb_diagnostics *diagnostics,
                              wb_grid **grid) {
    struct request request;
    wb_grid *made = NULL;
    WB_TRY(request_make(kernel, launch, NULL, options, diagnostics, &request));
    if (request.any || request.asked.facts != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "path",
                 "accesses are listed for the given data, without flow facts");
        return WB_ERR_INPUT;
    }
    const wb_grid_options trace = request_given_grid(&request);
    WB_TRY(wb_grid_trace(kernel, launch, &trace, diagnostics, &made));
    wb_status status = WB_OK;
    if (!request.asked.one_block && grid_is_steered(made))
        status = cover_steered(&request, diagnostics, &made);
    if (status == WB_OK)
        *grid = made;
    else
        wb_grid_free(made);
    return status;
}
