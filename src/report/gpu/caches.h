/* Reports of the first-level caches: one function a format. */
#ifndef WB_REPORT_GPU_CACHES_H
#define WB_REPORT_GPU_CACHES_H

#include "report/write/source_lines.h"
#include "sim/gpu/cache_summary.h"

struct cache_report {
    const struct timed_grid *timed;
    const struct cache_summary *summary;
    struct source_lines lines;
};

/* The instruction behind an index, and where it stands. */
const struct ptx_inst *cache_report_inst(const struct cache_report *report, uint32_t index,
                                         struct inst_place *place);

wb_status report_cache_text(const struct cache_report *report, wb_diagnostics *diagnostics, char **text);
wb_status report_cache_json(const struct cache_report *report, wb_diagnostics *diagnostics, char **text);

#endif
