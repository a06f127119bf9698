#include "report/cache_report.h"

#include "warp/grid.h"

double cache_report_percent(uint64_t misses, uint64_t loads) {
    return loads == 0 ? 0 : 100.0 * (double)misses / (double)loads;
}

const struct ptx_inst *cache_report_inst(const struct cache_report *report, uint32_t index,
                                         struct inst_place *place) {
    const struct ptx_inst *inst = grid_inst(report->timed->grid, index, NULL);
    *place = source_lines_place(&report->lines, inst);
    return inst;
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
