#include "bound/analysis/verdict.h"

const char *wb_scope_name(wb_scope scope) {
    return scope == WB_SCOPE_KERNEL ? "kernel" : "block";
}

/* Whether all blocks of the launch are in the grid, not only one of them. */
static bool grid_is_whole(const struct wb_grid *grid) {
    const uint64_t blocks = (uint64_t)grid->dimensions[0] * grid->dimensions[1] * grid->dimensions[2];
    return grid->blocks.count == blocks;
}

wb_scope wb_analysis_scope(const wb_analysis *analysis) {
    if (analysis->longest != NULL) return WB_SCOPE_KERNEL;
    if (analysis->timed != NULL || analysis->kind == SUBJECT_ABSTRACT_WARPS) return WB_SCOPE_BLOCK;
    return grid_is_whole(analysis->grid_times.grid) ? WB_SCOPE_KERNEL : WB_SCOPE_BLOCK;
}

/* Whether there is no kernel: a block or abstract warps written by hand. */
static bool is_block_of_its_own(const struct wb_analysis *analysis) {
    return analysis->kind == SUBJECT_ABSTRACT_WARPS || (analysis->timed != NULL && analysis->block == NULL);
}

wb_scope verdict_scope(const struct wb_analysis *analysis, wb_scope scope) {
    return is_block_of_its_own(analysis) ? WB_SCOPE_BLOCK : scope;
}

struct verdict verdict_of(const struct wb_analysis *analysis, wb_scope scope, uint64_t deadline) {
    struct verdict verdict = {.scope = verdict_scope(analysis, scope), .judged = analysis};
    if (verdict.scope == WB_SCOPE_BLOCK && analysis->longest != NULL) verdict.judged = analysis->longest;
    const wb_scope judged = wb_analysis_scope(verdict.judged);
    const bool is_kernel_alone = verdict.scope == WB_SCOPE_BLOCK && judged == WB_SCOPE_KERNEL;
    if (is_kernel_alone || !wb_analysis_proven(verdict.judged, &verdict.proven)) {
        verdict.answer = WB_UNDECIDED;
        return verdict;
    }
    verdict.best = wb_analysis_best(verdict.judged);
    if (judged != verdict.scope)
        verdict.answer = WB_NOT_ANALYSED;
    else
        verdict.answer = verdict.proven <= deadline ? WB_MET : WB_NOT_MET;
    return verdict;
}

wb_verdict wb_analysis_judge(const wb_analysis *analysis, wb_scope scope, uint64_t deadline) {
    return verdict_of(analysis, scope, deadline).answer;
}
