#include "report/cache_report.h"

#include "warp/grid.h"

const struct ptx_inst *cache_report_inst(const struct cache_report *report, uint32_t index,
                                         struct inst_place *place) {
    const struct ptx_inst *inst = grid_inst(report->timed->grid, index, NULL);
    *place = source_lines_place(&report->lines, inst);
    return inst;
}
