#include "bound/analysis/verdict.h"

#include "bound/analysis/stalls.h"

#include <assert.h>

const char *wb_scope_name(wb_scope scope) {
    switch (scope) {
    case WB_SCOPE_BLOCK: return "block";
    case WB_SCOPE_STREAM: return "stream";
    case WB_SCOPE_KERNEL: break;
    }
    return "kernel";
}

const char *wb_state_name(wb_state state) {
    switch (state) {
    case WB_BOUNDED: return "bounded";
    case WB_MET: return "met";
    case WB_MISSED: return "missed";
    case WB_OPEN: return "open";
    case WB_BLOCK_ONLY: return "block-only";
    case WB_UNPROVEN: break;
    }
    return "unproven";
}

/* ---- What a verdict is about --------------------------------------------------------------------------- */

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

/* ---- The slowest execution ----------------------------------------------------------------------------- */

bool verdict_covers(const struct wb_analysis *analysis, const wb_simulation *simulation) {
    bool conserving = !analysis_has_caches(analysis) || analysis->memory.scheme->policy->work_conserving;
    return simulation->work_conserving == conserving;
}

static void keep_slower(wb_slowest *slowest, cycles time, wb_kind kind, const char *name) {
    if (time > slowest->cycles) *slowest = (wb_slowest){.cycles = time, .kind = kind, .name = name};
}

/* Whether an execution was found in which latencies are shorter than stated: it says how far bounds can be
 * lowered, and not that a machine on which they are as stated misses a deadline. */
static bool is_of_shorter_times(const wb_bound *bound) {
    for (size_t a = 0; a < bound->assumption_count; a++)
        if (bound->assumptions[a] == WB_ASSUME_TIMES_OR_SHORTER) return true;
    return false;
}

/* The slowest of an analysis by itself. An exact worst case is an execution, too. */
static wb_slowest slowest_of(const struct wb_analysis *analysis) {
    wb_slowest slowest = {0};
    for (size_t i = 0; i < analysis->bounds.count; i++) {
        const wb_bound *bound = &analysis->bounds.items[i];
        if ((bound->kind == WB_LOWER && !is_of_shorter_times(bound)) || bound->kind == WB_EXACT)
            keep_slower(&slowest, bound->cycles, bound->kind, bound->method);
    }
    for (size_t i = 0; i < analysis->simulations.count; i++) {
        const wb_simulation *simulation = &analysis->simulations.items[i];
        if (verdict_covers(analysis, simulation))
            keep_slower(&slowest, simulation->cycles, WB_SIMULATED, simulation->policy);
    }
    return slowest;
}

wb_slowest analysis_slowest(const struct wb_analysis *analysis) {
    const wb_slowest own = slowest_of(analysis);
    if (analysis->given == NULL) return own;
    wb_slowest given = slowest_of(analysis->given);
    given.with_data = given.cycles > 0;
    return given.cycles > own.cycles ? given : own;
}

wb_slowest analysis_slowest_with_stalls(const struct wb_analysis *analysis) {
    wb_slowest slowest = analysis_slowest(analysis);
    keep_slower(&slowest, analysis->stalls.cycles, WB_LOWER, "stalls");
    return slowest;
}

/* ---- Verdicts ------------------------------------------------------------------------------------------ */

static int64_t margin_of(uint64_t deadline, uint64_t time) {
    const uint64_t apart = deadline > time ? deadline - time : time - deadline;
    const int64_t size = apart > INT64_MAX ? INT64_MAX : (int64_t)apart;
    return deadline > time ? size : -size;
}

void verdict_decide(wb_verdict *verdict, const uint64_t *deadline) {
    verdict->state = verdict->is_bounded ? WB_BOUNDED : WB_UNPROVEN;
    verdict->has_deadline = deadline != NULL;
    if (deadline == NULL) return;
    verdict->deadline = *deadline;
    if (verdict->is_bounded) verdict->margin = margin_of(*deadline, verdict->cycles);
    if (verdict->is_bounded && verdict->cycles <= *deadline)
        verdict->state = WB_MET;
    else if (verdict->slowest.cycles > *deadline)
        verdict->state = WB_MISSED;
    else if (verdict->is_bounded)
        verdict->state = WB_OPEN;
    assert(verdict->state != WB_MET || verdict->slowest.cycles <= *deadline);
}

/* Takes stall counts of machine code into account: a bound below them is none. */
static void take_stalls(wb_verdict *verdict, const struct wb_analysis *analysis) {
    verdict->stalls = wb_analysis_stalls(analysis);
    if (verdict->stalls == NULL) return;
    verdict->refuted = stalls_refute(analysis, verdict);
    if (verdict->scope == WB_SCOPE_KERNEL || verdict->judged == analysis)
        keep_slower(&verdict->slowest, cycles_add(verdict->stalls->cycles, verdict->overhead), WB_LOWER,
                    "stalls");
    if (verdict->refuted == NULL) return;
    verdict->bound = NULL;
    verdict->is_bounded = verdict->of_ptx = false;
    verdict->cycles = 0;
}

bool bound_is_of_ptx(const wb_bound *bound) {
    for (size_t i = 0; bound != NULL && i < bound->assumption_count; i++)
        if (bound->assumptions[i] == WB_ASSUME_PTX_FOR_MACHINE_CODE) return true;
    return false;
}

/* Takes what is known of `judged`, with its launch overhead. */
static void take_times(wb_verdict *verdict, const struct wb_analysis *judged) {
    verdict->overhead = analysis_overhead(judged);
    verdict->bound = wb_analysis_best(judged);
    verdict->is_bounded = wb_analysis_proven(judged, &verdict->cycles);
    verdict->of_ptx = verdict->is_bounded && bound_is_of_ptx(verdict->bound);
    verdict->slowest = analysis_slowest(judged);
    if (verdict->slowest.cycles > 0)
        verdict->slowest.cycles = cycles_add(verdict->slowest.cycles, verdict->overhead);
}

wb_verdict wb_analysis_judge(const wb_analysis *analysis, wb_scope scope, const uint64_t *deadline) {
    wb_verdict verdict = {.scope = verdict_scope(analysis, scope), .judged = analysis};
    uint64_t of_block;
    if (verdict.scope == WB_SCOPE_BLOCK && analysis->longest != NULL) {
        verdict.judged = analysis->longest;
        verdict.every_block = analysis->blocks.count > 0;
    }
    const bool is_of_scope = wb_analysis_scope(verdict.judged) == verdict.scope;
    if (is_of_scope) take_times(&verdict, verdict.judged);
    if (is_of_scope) take_stalls(&verdict, analysis);
    verdict_decide(&verdict, deadline);
    if (!is_of_scope && verdict.scope == WB_SCOPE_KERNEL && wb_analysis_proven(verdict.judged, &of_block))
        verdict.state = WB_BLOCK_ONLY;
    return verdict;
}

wb_verdict verdict_of(const struct wb_analysis *analysis, const wb_report_options *options) {
    wb_scope scope = options->scope;
    if (!options->has_deadline && scope != WB_SCOPE_BLOCK) scope = wb_analysis_scope(analysis);
    return wb_analysis_judge(analysis, scope, options->has_deadline ? &options->deadline : NULL);
}
