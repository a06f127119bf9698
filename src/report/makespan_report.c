/* The makespan reports of the public interface: each asks the writer of its format. */
#include "report/makespan_report.h"

#include "report/bound_text.h"

wb_status wb_makespan_report(wb_makespan *makespan, wb_report_format format, const wb_report_options *options,
                             wb_diagnostics *diagnostics, char **text) {
    WB_TRY(makespan_prepare(makespan, diagnostics));
    if (format == WB_REPORT_JSON) return report_makespan_json(makespan, options, diagnostics, text);
    return report_makespan_text(makespan, options, diagnostics, text);
}

wb_status wb_makespan_witness(const wb_makespan *makespan, const char *method, wb_witness_format format,
                              wb_diagnostics *diagnostics, char **text) {
    const struct makespan_result *result = makespan_find_result(makespan, method);
    if (result == NULL) {
        diagnose(diagnostics, SEVERITY_ERROR, "witness", "no method that was run found a schedule");
        return WB_ERR_DECLINED;
    }
    const struct makespan_problem *problem = &makespan->problem;
    struct text out = {0};
    if ((uint64_t)problem->warp_count * result->witness.makespan > WITNESS_CELLS_MAX) {
        diagnose(diagnostics, SEVERITY_ERROR, "witness", "the schedule is too large to be drawn");
        return WB_ERR_LIMIT;
    }
    switch (format) {
    case WB_WITNESS_TEXT: witness_text(&out, problem, &result->witness); break;
    case WB_WITNESS_SVG: witness_svg(&out, problem, &result->witness); break;
    }
    return report_take_text(&out, diagnostics, text);
}
