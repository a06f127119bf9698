/* The reports of the public interface: each asks the writer of its format. */
#include "report/analysis_report.h"
#include "report/analyzer_report.h"
#include "report/cache_report.h"
#include "report/gpu_report.h"
#include "report/occupancy_report.h"
#include "report/order_report.h"
#include "report/path_report.h"
#include "report/stream_report.h"

wb_status wb_report(const wb_analysis *analysis, wb_report_format format, const wb_report_options *options,
                    wb_diagnostics *diagnostics, char **text) {
    switch (format) {
    case WB_REPORT_TEXT: return report_analysis_text(analysis, options, diagnostics, text);
    case WB_REPORT_JSON: return report_analysis_json(analysis, options, diagnostics, text);
    }
    diagnose(diagnostics, SEVERITY_ERROR, "report", "unknown format %d", (int)format);
    return WB_ERR_INPUT;
}

wb_status wb_block_report(const wb_block *block, wb_report_format format, wb_diagnostics *diagnostics,
                          char **text) {
    struct path_report report;
    wb_status status = path_report_open(block, &report);
    if (status != WB_OK)
        status = diagnose_out_of_memory(diagnostics, "report");
    else
        status = format == WB_REPORT_JSON ? path_report_json(&report, diagnostics, text)
                                          : path_report_text(&report, diagnostics, text);
    path_report_close(&report);
    return status;
}

wb_status wb_grid_report(const wb_grid *grid, wb_report_format format, const wb_writer *writer,
                         wb_diagnostics *diagnostics) {
    struct analyzer_report report;
    if (grid->cover.covers) WB_TRY(grid_decline_steered(grid, diagnostics));
    wb_status status = analyzer_report_open(grid, writer, &report);
    if (status == WB_OK)
        status = format == WB_REPORT_JSON ? analyzer_report_json(&report) : analyzer_report_text(&report);
    analyzer_report_close(&report);
    return report_written(status, diagnostics);
}

wb_status wb_order_report(const wb_gpu *gpu, wb_order_format format, const wb_order_options *options,
                          const wb_writer *writer, wb_diagnostics *diagnostics) {
    struct order_report report;
    if (format == WB_ORDER_SVG) WB_TRY(order_svg_check(options, diagnostics));
    wb_status status = order_report_open(&gpu->timed, options, writer, diagnostics, &report);
    if (status == WB_OK) {
        switch (format) {
        case WB_ORDER_TEXT: status = order_report_text(&report); break;
        case WB_ORDER_JSON: status = order_report_json(&report); break;
        case WB_ORDER_SVG: status = order_report_svg(&report); break;
        }
        status = report_written(status, diagnostics);
    } else if (status == WB_ERR_LIMIT) {
        status = diagnose_out_of_memory(diagnostics, "report");
    }
    order_report_close(&report);
    return status;
}

wb_status wb_gpu_report(const wb_gpu *gpu, wb_report_format format, const wb_report_options *options,
                        wb_diagnostics *diagnostics, char **text) {
    return format == WB_REPORT_JSON ? report_gpu_json(gpu, options, diagnostics, text)
                                    : report_gpu_text(gpu, options, diagnostics, text);
}

wb_status wb_stream_report(const wb_stream *stream, wb_report_format format, const wb_report_options *options,
                           wb_diagnostics *diagnostics, char **text) {
    return format == WB_REPORT_JSON ? report_stream_json(stream, options, diagnostics, text)
                                    : report_stream_text(stream, options, diagnostics, text);
}

wb_status wb_occupancy_report(const wb_occupancy *occupancy, wb_report_format format,
                              wb_diagnostics *diagnostics, char **text) {
    return format == WB_REPORT_JSON ? report_occupancy_json(occupancy, diagnostics, text)
                                    : report_occupancy_text(occupancy, diagnostics, text);
}

wb_status wb_cache_report(wb_gpu *gpu, wb_report_format format, const wb_watch *watch,
                          wb_diagnostics *diagnostics, char **text) {
    struct cache_summary summary;
    struct cache_report report = {.timed = &gpu->timed, .summary = &summary};
    wb_status status = cache_summary_make(gpu, watch, diagnostics, &summary);
    if (status == WB_OK && source_lines_open(gpu->timed.grid->kernel->module, &report.lines) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, "report");
    if (status == WB_OK)
        status = format == WB_REPORT_JSON ? report_cache_json(&report, diagnostics, text)
                                          : report_cache_text(&report, diagnostics, text);
    source_lines_close(&report.lines);
    cache_summary_free(&summary);
    return status;
}
