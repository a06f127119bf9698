/* Bounds of a launch, held against the machine code that runs. */
#include <assert.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "bound/analysis/stream.h"
#include "bound/analysis/verdict.h"

/* The preset that times code of this architecture, with as many SMs as another machine. */
static wb_status machine_of_code(const struct wb_module *module, const wb_machine *beside,
                                 wb_diagnostics *diagnostics, wb_machine **machine) {
    char sms[40];
    const wb_status status = wb_calibration_machine(module->code->sm, diagnostics, machine);
    if (status != WB_OK) return status == WB_ERR_INPUT ? WB_ERR_DECLINED : status; /* there is no preset */
    (void)text_format(sms, sizeof sms, "sms=%u", beside->memory.sms);
    return wb_machine_set(*machine, sms, diagnostics);
}

/* Analyses the machine code by its own timing: what is looked for is executions, which have data. */
static wb_status execute_code(wb_analysis *analysis, const wb_kernel *code, const wb_launch *launch,
                              const wb_analyze_options *options, wb_diagnostics *diagnostics) {
    wb_analyze_options asked = *options;
    struct analysis_owned *owned = &analysis->owned;
    assert(owned->code == NULL && owned->code_machine == NULL);
    asked.inputs = WB_INPUTS_GIVEN;
    asked.facts = NULL;
    asked.scheme = asked.methods = asked.policies = NULL;
    WB_TRY(machine_of_code(code->module, analysis->machine, diagnostics, &owned->code_machine));
    return wb_analyze(code, launch, owned->code_machine, &asked, diagnostics, &owned->code);
}

/* The grid of a kernel's real paths that the analysis has, or NULL. */
static const struct wb_grid *executed_grid(const struct wb_analysis *analysis, const wb_kernel *kernel) {
    const struct wb_analysis *given = analysis->owned.given != NULL ? analysis->owned.given : analysis;
    const struct wb_grid *grid = given->owned.grid;
    return grid != NULL && grid->kernel == kernel && !grid->cover.covers ? grid : NULL;
}

/* Sums up the stalls of what is analysed, or is executed for it. WB_ERR_DECLINED, too, when that takes too
 * long: nobody asked for it. */
static wb_status find_stalls(const struct wb_analysis *analysis, const wb_kernel *code,
                             const wb_launch *launch, const wb_analyze_options *asked,
                             wb_diagnostics *diagnostics, wb_stalls *stalls) {
    const struct wb_grid *executed = asked->one_block ? NULL : executed_grid(analysis, code);
    if (executed != NULL) return stalls_of_grid(executed, diagnostics, stalls);
    const wb_status status =
        stalls_find(code, launch, asked->one_block ? asked->block : NULL, diagnostics, stalls);
    return status == WB_ERR_LIMIT && diagnostics->over_limit ? WB_ERR_DECLINED : status;
}

wb_status wb_analysis_compare_code(wb_analysis *analysis, const wb_kernel *kernel, const wb_kernel *code,
                                   const wb_launch *launch, const wb_analyze_options *options,
                                   wb_diagnostics *diagnostics) {
    wb_analyze_options asked;
    wb_stalls stalls;
    WB_TRY(OPTIONS_TAKE(wb_analyze_options, options, &asked, diagnostics));
    if (analysis->owned.grid != NULL && analysis->owned.grid->changed_variables) {
        diagnose(diagnostics, SEVERITY_ERROR, wb_kernel_name(kernel),
                 "an earlier launch stores to its variables, so their contents are unknown");
        return WB_ERR_DECLINED;
    }
    WB_TRY(find_stalls(analysis, code, launch, &asked, diagnostics, &stalls));
    WB_TRY(stalls_compare(kernel, launch, analysis->machine, diagnostics, &stalls));
    analysis_set_stalls(analysis, &stalls);
    if (analysis_model(analysis) == WB_MODEL_NONE) return WB_OK;
    asked.size = sizeof asked;
    return execute_code(analysis, code, launch, &asked, diagnostics);
}

const wb_analysis *wb_analysis_code(const wb_analysis *analysis) {
    return analysis->owned.code;
}

wb_status wb_stream_compare_code(wb_stream *stream, size_t index, const wb_kernel *kernel,
                                 const wb_kernel *code, const wb_launch *launch,
                                 const wb_analyze_options *options, wb_diagnostics *diagnostics) {
    assert(index < stream->kernels.count && stream->kernels.items[index].owned != NULL);
    struct wb_analysis *analysis = stream->kernels.items[index].owned;
    const wb_status status = wb_analysis_compare_code(analysis, kernel, code, launch, options, diagnostics);
    if (analysis->stalls.cycles == 0) return status;
    const wb_status added = stream_set_stalls(stream, index, &analysis->stalls, diagnostics);
    return added != WB_OK ? added : status;
}
