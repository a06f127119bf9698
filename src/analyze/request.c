#include "analyze/request.h"

#include <assert.h>
#include <string.h>

#include "base/base.h"
#include "launch/launch.h"
#include "warp/trace/trace.h"

/* Most warp instructions that are executed with the given data only to show them beside all inputs. */
#define BESIDE_INSTRUCTIONS_MAX UINT64_C(50000000)

/* The same with zeros, which nobody asked for. */
#define ZEROS_INSTRUCTIONS_MAX UINT64_C(2000000)

/* How a block is executed with the given data. */
static wb_trace_options given_block(const struct request *request) {
    const wb_analyze_options *asked = &request->asked;
    wb_trace_options trace = {.size = sizeof trace,
                              .record_accesses = asked->record_accesses,
                              .instruction_limit = asked->instruction_limit,
                              .memory_limit = asked->memory_limit,
                              .watch = asked->watch};
    memcpy(trace.block, asked->block, sizeof trace.block);
    if (request->machine == NULL) return trace;
    trace.record_accesses |= wb_machine_needs_accesses(request->machine);
    trace.warp_width = wb_machine_warp_width(request->machine);
    return trace;
}

wb_grid_options request_given_grid(const struct request *request) {
    const wb_analyze_options *asked = &request->asked;
    wb_grid_options trace = {.size = sizeof trace,
                             .one_block = asked->one_block,
                             .allow_unmapped = asked->allow_unmapped,
                             .instruction_limit = asked->instruction_limit,
                             .memory_limit = asked->memory_limit,
                             .passes_from = request->every_pass ? UINT64_MAX : 0,
                             .watch = asked->watch};
    memcpy(trace.block, asked->block, sizeof trace.block);
    if (request->machine != NULL) trace.warp_width = wb_machine_warp_width(request->machine);
    return trace;
}

wb_grid_options request_covering_grid(const struct request *request) {
    const wb_grid_options given = request_given_grid(request);
    return (wb_grid_options){.size = sizeof(wb_grid_options),
                             .cover = true,
                             .unknown_contents = request->any,
                             .record_accesses =
                                 request->machine == NULL || wb_machine_needs_accesses(request->machine),
                             .facts = request->asked.facts,
                             .warp_width = given.warp_width,
                             .instruction_limit = given.instruction_limit,
                             .memory_limit = given.memory_limit,
                             .watch = given.watch};
}

void request_settle(struct wb_diagnostics *messages, bool keep, wb_diagnostics *diagnostics) {
    if (keep) wb_diagnostics_append(diagnostics, messages);
    diagnostics_clear(messages);
}

void request_warn_instead(const char *what, const struct wb_diagnostics *messages,
                          wb_diagnostics *diagnostics) {
    size_t length;
    const char *error = diagnostics_first_error(messages, &length);
    if (wb_diagnostics_errors(messages) > 0)
        diagnose(diagnostics, SEVERITY_WARNING, "analyze", "%s: %.*s", what, (int)length, error);
}

void request_warn_too_long(const struct wb_diagnostics *messages, wb_diagnostics *diagnostics) {
    request_warn_instead("too long to execute step by step: covering paths are bounded instead, which do not "
                         "distinguish iterations of long loops",
                         messages, diagnostics);
}

/* Executes the block with the data that the launch gives, in the order that is simulated or so that it holds
 * for any. WB_ERR_DECLINED without a message when that does not determine what it executes, or takes too
 * long, as a warning says unless it is only shown beside covering paths. */
static wb_status trace_given(const struct request *request, bool any_order, bool beside,
                             wb_diagnostics *diagnostics, wb_block **block) {
    wb_trace_options trace = given_block(request);
    struct wb_diagnostics messages = {0};
    trace.any_order = any_order;
    if (beside) trace.instruction_limit = request->beside_max;
    wb_status status = wb_block_trace(request->kernel, request->launch, &trace, &messages, block);
    if (status == WB_ERR_LIMIT && messages.over_limit) {
        if (!beside && request->machine != NULL) request_warn_too_long(&messages, diagnostics);
        if (beside || request->machine != NULL) status = WB_ERR_DECLINED;
    }
    request_settle(&messages, status != WB_ERR_DECLINED, diagnostics);
    return status;
}

/* Holds the flow facts to the given data: that can show that they are wrong, but not that they are true.
 * WB_ERR_DECLINED without a message when not all of it could be executed. */
static wb_status hold_facts(const struct request *request, wb_diagnostics *diagnostics) {
    wb_grid_options trace = request_given_grid(request);
    if (request->asked.facts == NULL) return WB_OK;
    trace.facts = request->asked.facts;
    trace.instruction_limit = request->beside_max;
    return grid_hold_facts(request->kernel, request->launch, &trace, diagnostics);
}

wb_status request_make(const wb_kernel *kernel, const wb_launch *launch, const wb_machine *machine,
                       const wb_analyze_options *options, wb_diagnostics *diagnostics,
                       struct request *request) {
    *request = (struct request){
        .kernel = kernel, .launch = launch, .machine = machine, .beside_max = BESIDE_INSTRUCTIONS_MAX};
    WB_TRY(OPTIONS_TAKE(wb_analyze_options, options, &request->asked, diagnostics));
    const wb_facts *facts = request->asked.facts;
    request->any =
        request->asked.inputs == WB_INPUTS_ANY || (request->asked.inputs == WB_INPUTS_USUAL && facts != NULL);
    if (launch != NULL && launch->trace.text != NULL && (request->any || facts != NULL)) {
        diagnose(diagnostics, SEVERITY_ERROR, launch->trace.source.name,
                 "a trace is one execution: it says nothing of other inputs, and needs no flow facts");
        return WB_ERR_INPUT;
    }
    if (facts != NULL) WB_TRY(facts_require_complete(facts, diagnostics));
    const wb_status held = facts != NULL && launch != NULL ? hold_facts(request, diagnostics) : WB_OK;
    return held == WB_ERR_DECLINED ? WB_OK : held;
}

wb_status request_use_zeros(const struct request *request, beside_use *use, wb_diagnostics *diagnostics,
                            void *made) {
    struct arena arena = {0};
    struct wb_diagnostics messages = {0};
    struct wb_launch launch;
    struct request zeros = *request;
    zeros.launch = &launch;
    zeros.beside_max = ZEROS_INSTRUCTIONS_MAX;
    wb_status status = launch_with_zeros(request->launch, &arena, &launch);
    if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(&messages, "analyze");
    if (status == WB_OK) status = hold_facts(&zeros, &messages);
    if (status == WB_OK) status = use(&zeros, &messages, made);
    const bool fails = status == WB_ERR_LIMIT && !messages.over_limit;
    request_settle(&messages, fails, diagnostics);
    arena_free(&arena);
    return fails ? status : WB_OK;
}

static wb_status trace_zeros(const struct request *request, wb_diagnostics *diagnostics, void *made) {
    return trace_given(request, false, true, diagnostics, made);
}

wb_status request_block(const struct request *request, wb_diagnostics *diagnostics, wb_block **block,
                        wb_block **given) {
    wb_block *known = NULL;
    const bool bounds = given != NULL || request->any;
    wb_status status = trace_given(request, bounds, request->any, diagnostics, &known);
    if (status != WB_OK && status != WB_ERR_DECLINED) return status;
    assert((status == WB_OK) == (known != NULL));
    if (known != NULL && !request->any) {
        *block = known;
        return WB_OK;
    }
    wb_trace_options covering = given_block(request);
    covering.cover = true;
    covering.unknown_contents = request->any;
    covering.facts = request->asked.facts;
    status = wb_block_trace(request->kernel, request->launch, &covering, diagnostics, block);
    if (status == WB_OK && given != NULL && known == NULL) {
        status = trace_given(request, false, true, diagnostics, &known);
        if (status == WB_ERR_DECLINED) status = WB_OK;
    }
    if (status == WB_OK && given != NULL && known == NULL)
        status = request_use_zeros(request, trace_zeros, diagnostics, &known);
    if (status == WB_OK && given != NULL)
        *given = known;
    else
        wb_block_free(known);
    return status;
}

wb_status request_grid_beside(const struct request *request, wb_diagnostics *diagnostics, wb_grid **grid) {
    wb_grid_options trace = request_given_grid(request);
    struct wb_diagnostics messages = {0};
    trace.instruction_limit = request->beside_max;
    trace.until_unknown = true;
    wb_status status = wb_grid_trace(request->kernel, request->launch, &trace, &messages, grid);
    if (messages.over_limit) status = WB_ERR_DECLINED;
    request_settle(&messages, status != WB_ERR_DECLINED, diagnostics);
    return status;
}
