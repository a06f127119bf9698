#include "report/analysis_report.h"

bool report_covers(const struct wb_analysis *analysis, const wb_simulation *simulation) {
    bool conserving = !analysis->has_memory || analysis->memory.scheme->policy->work_conserving;
    return simulation->work_conserving == conserving;
}

uint64_t report_slowest(const struct wb_analysis *analysis) {
    size_t count;
    const struct wb_analysis *run = analysis->given != NULL ? analysis->given : analysis;
    const wb_simulation *simulations = wb_analysis_simulations(run, &count);
    uint64_t slowest = 0;
    for (size_t i = 0; i < count; i++)
        if (report_covers(run, &simulations[i])) slowest = cycles_max(slowest, simulations[i].cycles);
    return slowest;
}

bool report_overestimation(const struct wb_analysis *analysis, const wb_bound *bound, double *percent) {
    uint64_t slowest = report_slowest(analysis);
    if (slowest == 0) return false;
    *percent = 100.0 * ((double)bound->cycles / (double)slowest - 1.0);
    return true;
}

bool report_certified(const struct wb_analysis *analysis, struct report_interval *interval) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    struct report_interval found = {report_slowest(analysis), UINT64_MAX};
    for (size_t i = 0; i < count; i++) {
        const wb_bound *bound = &bounds[i];
        if (bound->kind == WB_LOWER || bound->kind == WB_EXACT)
            found.lower = cycles_max(found.lower, bound->cycles);
        if (bound->kind == WB_UPPER || bound->kind == WB_EXACT)
            found.upper = cycles_min(found.upper, bound->cycles);
    }
    if (found.lower == 0 || found.upper == UINT64_MAX) return false;
    *interval = found;
    return true;
}

const char *report_declined_name(wb_status status) {
    if (status == WB_OK) return "left out";
    return status == WB_ERR_LIMIT ? "limit" : "declined";
}

uint64_t report_instructions(const struct wb_block *block) {
    uint64_t instructions = 0;
    for (uint32_t warp = 0; warp < block->warp_count; warp++)
        instructions = cycles_add(instructions, wb_block_warp_instructions(block, warp));
    return instructions;
}
