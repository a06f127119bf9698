/* Costs in reports: the lines with most cycles, or the whole source with its costs in front. */
#include "base/base.h"
#include "report/costs/costs_shown.h"
#include "report/write/output.h"

/* The costs that are asked for; false where there are none, which is an error only of a number that was
 * named.
 */
static bool open_costs(const struct wb_analysis *analysis, const wb_report_options *options,
                       wb_diagnostics *diagnostics, struct costs_shown *shown, wb_status *status) {
    wb_diagnostics *messages = wb_diagnostics_new();
    *status = messages == NULL ? WB_ERR_LIMIT : costs_shown_open(analysis, options, messages, shown);
    if (*status == WB_OK) {
        wb_diagnostics_free(messages);
        return true;
    }
    costs_shown_close(shown);
    if (options->lines_of == NULL && *status == WB_ERR_DECLINED) {
        wb_diagnostics_warning(diagnostics, "lines",
                               "of nothing that was computed the cycles are attributed to lines");
        *status = WB_OK;
    } else if (messages != NULL) {
        wb_diagnostics_append(diagnostics, messages);
    }
    wb_diagnostics_free(messages);
    return false;
}

wb_status costs_report_text(struct text *out, const struct wb_analysis *analysis,
                            const wb_report_options *options, wb_diagnostics *diagnostics) {
    struct costs_shown shown = {0};
    wb_status status = WB_OK;
    if (options->lines == 0 || !open_costs(analysis, options, diagnostics, &shown, &status)) return status;
    costs_put_lines(out, &shown, options->lines);
    costs_shown_close(&shown);
    return WB_OK;
}

wb_status costs_report_json(struct json *json, const struct wb_analysis *analysis,
                            const wb_report_options *options, wb_diagnostics *diagnostics) {
    struct costs_shown shown = {0};
    wb_status status = WB_OK;
    if (options->lines == 0) return WB_OK;
    if (open_costs(analysis, options, diagnostics, &shown, &status)) {
        costs_json(json, &shown);
        costs_shown_close(&shown);
    } else {
        json_put_null(json, "costs");
    }
    return status;
}

wb_status wb_annotate(const wb_analysis *analysis, const wb_report_options *options,
                      wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    struct costs_shown shown = {0};
    struct text out = {0};
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    wb_status status = costs_shown_open(analysis, &asked, diagnostics, &shown);
    if (status == WB_OK) costs_put_annotated(&out, &shown);
    costs_shown_close(&shown);
    return report_take(status, &out, diagnostics, text);
}
