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
