/* Analyses as a whole: which paths are executed, of how many blocks, and what is computed of them. */
#include <assert.h>
#include <string.h>

#include "analyze/request.h"
#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "bound/analysis/registry.h"
#include "bound/analysis/stream.h"
#include "cost/costs.h"
#include "launch/launch.h"
#include "sim/gpu/gpu.h"
#include "warp/trace/trace.h"

/* ---- What is analysed ---------------------------------------------------------------------------------- */

/* The analysis of a block, which it owns then; an error frees the block. */
static wb_status analyse_paths(const struct request *request, wb_block *block, wb_diagnostics *diagnostics,
                               wb_analysis **analysis) {
    wb_status status = wb_analysis_new(block, request->machine, diagnostics, analysis);
    if (status == WB_OK)
        (*analysis)->owned.block = block;
    else
        wb_block_free(block);
    return status;
}

/* Of one block, and beside covering paths for all inputs of the given data. */
static wb_status analyse_block(const struct request *request, wb_diagnostics *diagnostics,
                               wb_analysis **analysis) {
    wb_block *block = NULL, *given = NULL;
    wb_analysis *made = NULL;
    WB_TRY(request_block(request, diagnostics, &block, &given));
    wb_status status = analyse_paths(request, block, diagnostics, &made);
    if (status != WB_OK)
        wb_block_free(given);
    else if (given != NULL)
        status = analyse_paths(request, given, diagnostics, &made->owned.given);
    if (status != WB_OK) {
        wb_analysis_free(made);
        return status;
    }
    analysis_set_given(made, made->owned.given);
    *analysis = made;
    return WB_OK;
}

/* Gives a grid to the analysis that was made of it, or frees it, where that came to an error. */
static wb_status own_grid(wb_status status, wb_grid *grid, wb_analysis *const *analysis) {
    assert(grid != NULL && (status != WB_OK || (*analysis)->owned.grid == NULL));
    if (status == WB_OK)
        (*analysis)->owned.grid = grid;
    else
        wb_grid_free(grid);
    return status;
}

/* The analysis of all blocks, which owns their grid then; an error frees it. */
static wb_status analyse_grid(const struct request *request, wb_grid *grid, wb_diagnostics *diagnostics,
                              wb_analysis **analysis) {
    wb_status status =
        analysis_new_kernel(grid, request->machine, NULL, &request->asked.watch, diagnostics, analysis);
    return own_grid(status, grid, analysis);
}

/* Of all blocks with the given data. WB_ERR_DECLINED without an error when the data does not determine what
 * is executed (*ordered: with the order of atomics it may), or that is too much to be executed step by step.
 */
static wb_status analyse_known_kernel(const struct request *request, wb_diagnostics *diagnostics,
                                      bool *ordered, wb_analysis **analysis) {
    wb_grid_options trace = request_given_grid(request);
    struct wb_diagnostics messages = {0};
    wb_grid *grid = NULL;
    trace.any_order = trace.until_unknown = true;
    wb_status status = wb_grid_trace(request->kernel, request->launch, &trace, &messages, &grid);
    if (status == WB_ERR_LIMIT && messages.over_limit) {
        request_warn_too_long(&messages, diagnostics);
        status = WB_ERR_DECLINED;
    } else if (status == WB_OK) {
        *ordered = grid->order_open;
        status = analyse_grid(request, grid, &messages, analysis);
    }
    request_settle(&messages, status != WB_ERR_DECLINED, diagnostics);
    return status;
}

/* Adds the analysis of the given data to that of covering paths, where the data determines what is executed.
 */
static wb_status add_given_kernel(const struct request *request, wb_diagnostics *diagnostics,
                                  wb_analysis *covering) {
    struct wb_diagnostics messages = {0};
    wb_grid *grid = NULL;
    wb_analysis **given = &covering->owned.given;
    wb_status status = request_grid_beside(request, diagnostics, &grid);
    if (status == WB_OK) {
        status =
            analysis_new_given(grid, analysis_executed(covering), &request->asked.watch, &messages, given);
        status = own_grid(status, grid, given);
    }
    if (status == WB_OK) analysis_set_given(covering, *given);
    request_settle(&messages, status != WB_ERR_DECLINED, diagnostics);
    return status == WB_ERR_DECLINED ? WB_OK : status;
}

static wb_status add_zeros_kernel(const struct request *request, wb_diagnostics *diagnostics, void *made) {
    return add_given_kernel(request, diagnostics, made);
}

/* Adds an execution with zeros to covering paths of a kernel that have no other beside them. */
static wb_status add_zeros(const struct request *request, wb_diagnostics *diagnostics,
                           wb_analysis *analysis) {
    const wb_grid *grid = analysis->owned.grid;
    const bool has_none = grid != NULL && grid->cover.covers && analysis->owned.given == NULL;
    if (!has_none || request->asked.scheme != NULL) return WB_OK;
    return request_use_zeros(request, add_zeros_kernel, diagnostics, analysis);
}

/* Of all blocks on covering paths, and `beside` them of what the given data alone would have executed. */
static wb_status analyse_covering_kernel(const struct request *request, bool beside,
                                         wb_diagnostics *diagnostics, wb_analysis **analysis) {
    const wb_grid_options trace = request_covering_grid(request);
    wb_grid *grid = NULL;
    wb_analysis *made = NULL;
    WB_TRY(wb_grid_trace(request->kernel, request->launch, &trace, diagnostics, &grid));
    WB_TRY(analyse_grid(request, grid, diagnostics, &made));
    wb_status status = beside ? add_given_kernel(request, diagnostics, made) : WB_OK;
    if (status == WB_OK)
        *analysis = made;
    else
        wb_analysis_free(made);
    return status;
}

wb_status request_kernel(const struct request *request, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    wb_status status = WB_ERR_DECLINED;
    bool beside = request->any;
    if (!request->any) status = analyse_known_kernel(request, diagnostics, &beside, analysis);
    if (status != WB_ERR_DECLINED) return status;
    return analyse_covering_kernel(request, beside, diagnostics, analysis);
}

static const char *methods_of(const struct request *request) {
    return request->asked.methods != NULL ? request->asked.methods : "all";
}

static bool judges_kernel(const wb_analyze_options *asked) {
    return asked->has_deadline && asked->scope == WB_SCOPE_KERNEL;
}

/* Whether all blocks are to be analysed: unless one is asked for, or methods of blocks only, and no deadline
 * of the kernel. */
static bool asks_for_kernel(const struct request *request) {
    return !request->asked.one_block && wb_machine_takes_grids(request->machine) &&
           (methods_include_kernels(methods_of(request)) || judges_kernel(&request->asked));
}

/* Of one block, as `messages` say that the blocks cannot all be covered. Flow facts that are lacking are
 * those of all blocks; a limit that one block exceeds, too, is named once. */
static wb_status fall_back_to_block(const struct request *request, const struct wb_diagnostics *messages,
                                    wb_diagnostics *diagnostics, wb_analysis **analysis) {
    struct wb_diagnostics of_block = {0};
    wb_status status = analyse_block(request, &of_block, analysis);
    const bool asks = (status == WB_ERR_DECLINED && messages->needs_facts) ||
                      (status == WB_ERR_LIMIT && messages->over_limit && of_block.over_limit);
    if (asks) wb_diagnostics_append(diagnostics, messages);
    request_settle(&of_block, !asks, diagnostics);
    if (status == WB_OK)
        request_warn_instead("only one block is bounded, not the kernel", messages, diagnostics);
    return status;
}

/* Of the kernel; of one block, with a warning, where its blocks cannot be covered, unless a method of kernels
 * is asked for by name; also where they are too many or too long: *cut then. */
static wb_status analyse_kernel_or_block(const struct request *request, wb_diagnostics *diagnostics,
                                         wb_analysis **analysis, bool *cut) {
    const char *methods = methods_of(request);
    const bool named = strcmp(methods, "all") != 0 && methods_include_kernels(methods);
    struct wb_diagnostics messages = {0};
    wb_status status = request_kernel(request, &messages, analysis);
    *cut = status == WB_ERR_LIMIT && messages.over_limit;
    if (*cut)
        diagnose(
            &messages, SEVERITY_ERROR, "analyze",
            "not all blocks were executed: analyse one of them with -i 0,0,0, or a smaller grid with -g");
    const bool falls_back = (status == WB_ERR_DECLINED || *cut) && !named;
    if (falls_back) status = fall_back_to_block(request, &messages, diagnostics, analysis);
    request_settle(&messages, !falls_back, diagnostics);
    return status;
}

/* ---- Grids on machines with caches --------------------------------------------------------------------- */

/* What is made of a grid on its machine, which it owns then; an error frees the grid. */
typedef wb_status grid_use(const struct request *request, wb_grid *grid, wb_diagnostics *diagnostics,
                           void *made);

static wb_status make_scheme_analysis(const struct request *request, wb_grid *grid,
                                      wb_diagnostics *diagnostics, void *made) {
    wb_analysis **analysis = made;
    wb_status status =
        analysis_new_grid(grid, request->machine, request->asked.scheme, diagnostics, analysis);
    return own_grid(status, grid, analysis);
}

static wb_status make_gpu(const struct request *request, wb_grid *grid, wb_diagnostics *diagnostics,
                          void *made) {
    wb_gpu **gpu = made;
    wb_status status = wb_gpu_new(grid, request->machine, diagnostics, gpu);
    if (status == WB_OK)
        (*gpu)->owned = grid;
    else
        wb_grid_free(grid);
    return status;
}

static wb_status use_grid(const struct request *request, const wb_grid_options *trace, grid_use *use,
                          wb_diagnostics *diagnostics, void *made) {
    wb_grid *grid = NULL;
    WB_TRY(wb_grid_trace(request->kernel, request->launch, trace, diagnostics, &grid));
    return use(request, grid, diagnostics, made);
}

/* Of all blocks with the given data, or, where that leaves open what they execute or is not to be used, on
 * covering paths. */
static wb_status use_any_grid(const struct request *request, grid_use *use, wb_diagnostics *diagnostics,
                              void *made) {
    wb_grid_options covering = request_covering_grid(request);
    if (!request->any) {
        wb_grid_options given = request_given_grid(request);
        struct wb_diagnostics messages = {0};
        given.any_order = !request->asked.one_block;
        wb_status status = use_grid(request, &given, use, &messages, made);
        const bool open = status == WB_ERR_DECLINED && !request->asked.one_block;
        request_settle(&messages, !open, diagnostics);
        if (!open) return status;
        covering.facts = NULL;
    } else if (request->asked.one_block) {
        diagnose(diagnostics, SEVERITY_ERROR, "warpbound",
                 "--block-index cannot be combined with unknown inputs: all blocks are covered");
        return WB_ERR_INPUT;
    }
    return use_grid(request, &covering, use, diagnostics, made);
}

wb_status wb_analyze_caches(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                            const wb_analyze_options *options, wb_diagnostics *diagnostics, wb_gpu **gpu) {
    struct request request;
    WB_TRY(request_make(kernel, launch, machine, options, diagnostics, &request));
    request.every_pass = true;
    return use_any_grid(&request, make_gpu, diagnostics, gpu);
}

/* ---- What is computed ---------------------------------------------------------------------------------- */

bool wb_analysis_has_results(const wb_analysis *analysis) {
    if (analysis->bounds.count + analysis->simulations.count > 0) return true;
    return analysis->longest != NULL && wb_analysis_has_results(analysis->longest);
}

/* Passes on what a step behind the bounds came to. Where there are results, one that could not be done ends
 * nothing: the report lists it. */
static wb_status settle_step(const wb_analysis *analysis, wb_status status, struct wb_diagnostics *messages,
                             wb_diagnostics *diagnostics) {
    const bool listed = status == WB_ERR_DECLINED && wb_analysis_has_results(analysis);
    request_settle(messages, !listed, diagnostics);
    return listed ? WB_OK : status;
}

/* Runs the methods that are asked for; where a deadline is of the kernel, and they are of blocks only, those
 * that prove something of it, too. */
static wb_status bound_asked(wb_analysis *analysis, const wb_analyze_options *asked,
                             wb_diagnostics *diagnostics) {
    const char *methods = asked->methods != NULL ? asked->methods : "all";
    wb_status bounded = wb_analysis_bound(analysis, methods, &asked->watch, diagnostics);
    if (bounded != WB_OK && bounded != WB_ERR_LIMIT) return bounded;
    if (!judges_kernel(asked) || methods_include_kernels(methods)) return bounded;
    wb_status kernel = analysis_bound_kernel(analysis, &asked->watch, diagnostics);
    return kernel != WB_OK ? kernel : bounded;
}

/* Bounds the given data by what covering paths were bounded by; of zeros an execution is enough. */
static wb_status bound_given(wb_analysis *analysis, const wb_watch *watch, wb_diagnostics *diagnostics) {
    struct wb_diagnostics messages = {0};
    if (analysis_has_zeros(analysis->owned.given)) return WB_OK;
    wb_status status = analysis_bound_alike(analysis->owned.given, analysis, watch, &messages);
    return settle_step(analysis, status, &messages, diagnostics);
}

wb_status request_run(wb_analysis *analysis, const wb_analyze_options *asked, wb_diagnostics *diagnostics) {
    wb_analysis *given = analysis->owned.given, *simulated = given != NULL ? given : analysis;
    WB_TRY(analysis_note_asked(analysis, asked, diagnostics));
    if (asked->state_limit != 0) analysis_set_state_limit(analysis, asked->state_limit);
    wb_status bounded = bound_asked(analysis, asked, diagnostics);
    if (bounded != WB_OK && bounded != WB_ERR_LIMIT) return bounded;
    if (costs_set_parts(analysis, &asked->watch, diagnostics) != WB_OK) bounded = WB_ERR_LIMIT;
    const bool nothing_executes = analysis_unsimulated(simulated) != NULL;
    if (nothing_executes && asked->policies == NULL) return bounded;
    wb_status status = given == NULL ? WB_OK : bound_given(analysis, &asked->watch, diagnostics);
    if (status != WB_OK) return status;
    struct wb_diagnostics messages = {0};
    status = wb_analysis_simulate(simulated, asked->policies, &asked->watch, &messages);
    status = settle_step(analysis, status, &messages, diagnostics);
    if (status == WB_OK && asked->has_deadline)
        status = request_find_shortest(analysis, &asked->watch, diagnostics);
    return status != WB_OK ? status : bounded;
}

wb_status wb_analysis_run(wb_analysis *analysis, const wb_analyze_options *options,
                          wb_diagnostics *diagnostics) {
    struct request request;
    WB_TRY(request_make(NULL, NULL, analysis->machine, options, diagnostics, &request));
    return request_run(analysis, &request.asked, diagnostics);
}

wb_status wb_analyze(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                     const wb_analyze_options *options, wb_diagnostics *diagnostics, wb_analysis **analysis) {
    struct request request;
    wb_analysis *made = NULL;
    wb_status status;
    bool cut = false;
    WB_TRY(request_make(kernel, launch, machine, options, diagnostics, &request));
    WB_TRY(request_read_shares(&request, diagnostics));
    WB_TRY(wb_promises_check(kernel, launch, machine, diagnostics));
    request.asked.allow_unmapped = false;
    if (request.asked.scheme != NULL)
        status = use_any_grid(&request, make_scheme_analysis, diagnostics, &made);
    else if (asks_for_kernel(&request))
        status = analyse_kernel_or_block(&request, diagnostics, &made, &cut);
    else
        status = analyse_block(&request, diagnostics, &made);
    if (status == WB_OK) status = request_take_lesser(&request, diagnostics, &made);
    if (status == WB_OK) status = add_zeros(&request, diagnostics, made);
    if (status == WB_OK) status = request_run(made, &request.asked, diagnostics);
    if (status == WB_OK) status = request_find_first_blocks(&request, made, diagnostics);
    if (status == WB_OK && request.asked.savings) status = request_find_savings(&request, made, diagnostics);
    if (status == WB_OK) status = request_find_shares(&request, made, diagnostics);
    if (status == WB_OK && cut) status = WB_ERR_LIMIT;
    if (status == WB_OK || (status == WB_ERR_LIMIT && made != NULL && wb_analysis_has_results(made)))
        *analysis = made;
    else
        wb_analysis_free(made);
    return status;
}

/* ---- Lists of launches --------------------------------------------------------------------------------- */

/* Names of variables of the module that launches so far have perhaps stored to. */
struct changed_names {
    VEC(const char *) names;
};

static wb_status add_changed(const wb_grid *grid, struct changed_names *changed,
                             wb_diagnostics *diagnostics) {
    for (size_t i = 0; i < grid->stored.count; i++) {
        bool known = false;
        for (size_t c = 0; c < changed->names.count; c++)
            known |= strcmp(changed->names.items[c], grid->stored.items[i]) == 0;
        if (!known && vec_push(&changed->names, grid->stored.items[i]) != WB_OK)
            return diagnose_out_of_memory(diagnostics, "analyze");
    }
    return WB_OK;
}

/* Executes the grid of one launch, on variables that those before may have changed, and adds its analysis to
 * the stream, which owns it then. */
static wb_status add_launch(const struct request *request, struct changed_names *changed,
                            wb_diagnostics *diagnostics, wb_stream *stream) {
    struct wb_launch launch = *request->launch;
    struct request of_launch = *request;
    wb_analysis *made = NULL;
    launch.changed = changed->names.items;
    launch.changed_count = changed->names.count;
    of_launch.launch = &launch;
    wb_status status = request_kernel(&of_launch, diagnostics, &made);
    if (status == WB_ERR_DECLINED)
        for (size_t i = 0; i < launch.changed_count; i++)
            diagnose(diagnostics, SEVERITY_NOTE, launch.changed[i],
                     "an earlier launch stores to this variable, so its contents are unknown; the launch "
                     "file can give them: variables");
    if (status != WB_OK) return status;
    assert(made->owned.grid != NULL);
    status = add_zeros(&of_launch, diagnostics, made);
    if (status == WB_OK) status = add_changed(made->owned.grid, changed, diagnostics);
    if (status == WB_OK) status = stream_add(stream, made, diagnostics);
    if (status == WB_OK)
        stream->kernels.items[stream->kernels.count - 1].owned = made;
    else
        wb_analysis_free(made);
    return status;
}

/* Says which launch the messages before this one are about. */
static wb_status name_launch(wb_status status, const wb_launches *launches, size_t number,
                             wb_diagnostics *diagnostics) {
    const char *file = wb_launches_at(launches, number)->file;
    if (status != WB_OK)
        diagnose(diagnostics, SEVERITY_ERROR, file != NULL ? file : "analyze",
                 "launch %zu of the list cannot be analysed", number + 1);
    return status;
}

/* Executes the kernels of all launches. */
static wb_status add_launches(const wb_module *module, const wb_launches *launches, struct request *request,
                              wb_diagnostics *diagnostics, wb_stream *stream) {
    struct changed_names changed = {0};
    wb_status status = WB_OK;
    for (size_t i = 0; i < wb_launches_count(launches) && status == WB_OK; i++) {
        request->launch = wb_launches_at(launches, i);
        status =
            wb_module_find_kernel(module, wb_launch_kernel(request->launch), diagnostics, &request->kernel);
        if (status == WB_OK)
            status = wb_promises_check(request->kernel, request->launch, request->machine, diagnostics);
        if (status == WB_OK) status = add_launch(request, &changed, diagnostics, stream);
        status = name_launch(status, launches, i, diagnostics);
    }
    vec_free(&changed.names);
    return status;
}

/* Bounds and simulates every kernel; a limit that one of them hits does not keep the others from it. */
static wb_status run_stream(wb_stream *stream, const wb_launches *launches, const wb_analyze_options *asked,
                            wb_diagnostics *diagnostics) {
    wb_status status = WB_OK;
    for (size_t i = 0; i < stream->kernels.count; i++) {
        wb_status one = request_run(stream->kernels.items[i].owned, asked, diagnostics);
        (void)name_launch(one, launches, i, diagnostics);
        if (one != WB_OK && one != WB_ERR_LIMIT) return one;
        if (one != WB_OK) status = one;
    }
    return status;
}

wb_status wb_analyze_launches(const wb_module *module, const wb_launches *launches, const wb_machine *machine,
                              const wb_analyze_options *options, wb_diagnostics *diagnostics,
                              wb_stream **stream) {
    struct request request;
    WB_TRY(request_make(NULL, NULL, machine, options, diagnostics, &request));
    const wb_analyze_options *asked = &request.asked;
    request.asked.allow_unmapped = false;
    if (asked->one_block || asked->scheme != NULL || asked->facts != NULL || asked->sms != NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "analyze",
                 "a list of launches is analysed kernel by kernel: omit block, scheme, flow facts and SMs");
        return WB_ERR_INPUT;
    }
    if (!wb_machine_takes_grids(machine)) {
        diagnose(diagnostics, SEVERITY_ERROR, "warpbound",
                 "kernels cannot be analysed on this machine, only blocks");
        return WB_ERR_INPUT;
    }
    wb_stream *made = stream_new(machine);
    if (made == NULL) return diagnose_out_of_memory(diagnostics, "analyze");
    wb_status status = add_launches(module, launches, &request, diagnostics, made);
    const bool executed = status == WB_OK;
    assert(!executed || wb_stream_count(made) == wb_launches_count(launches));
    if (executed) status = run_stream(made, launches, asked, diagnostics);
    if (executed && (status == WB_OK || status == WB_ERR_LIMIT))
        *stream = made;
    else
        wb_stream_free(made);
    return status;
}
