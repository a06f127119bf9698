#include "wings/sweep/report/show.h"

#include "report/write/output.h"

static const struct show_format *const formats[] = {
    [WB_RESULTS_MARKDOWN] = &show_markdown, [WB_RESULTS_CSV] = &show_csv,
    [WB_RESULTS_JSON] = &show_json,         [WB_RESULTS_JSON_LINES] = &show_json_lines,
    [WB_RESULTS_JUNIT] = &show_junit,
};

static wb_status show_units(const struct show *show, const struct show_format *format,
                            const wb_writer *writer) {
    wb_status status = WB_OK;
    format->begin(show);
    for (size_t i = 0; status == WB_OK && i < show->stored->units.count; i++) {
        status = format->unit(show, &show->stored->units.items[i], i == 0);
        if (status == WB_OK)
            status = report_written(report_flush(show->out, writer, false), show->diagnostics);
    }
    if (status != WB_OK) return status;
    format->end(show);
    return report_written(report_flush(show->out, writer, true), show->diagnostics);
}

wb_status wb_results_report(const wb_results *results, wb_results_format format, const wb_writer *writer,
                            wb_diagnostics *diagnostics) {
    struct arena arena = {0};
    struct stored_units stored;
    struct text out = {0};
    const struct show show = {results, &stored, diagnostics, &out};
    wb_status status = stored_read(results, &arena, diagnostics, &stored);
    if (status == WB_OK) status = show_units(&show, formats[format], writer);
    text_free(&out);
    arena_free(&arena);
    return status;
}
