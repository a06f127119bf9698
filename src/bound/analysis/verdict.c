#include "bound/analysis/verdict.h"

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
    case WB_MODEL_ONLY: return "model-only";
    case WB_CONTRADICTION: return "contradiction";
    case WB_UNPROVEN: break;
    }
    return "unproven";
}

/* ---- What a verdict is about --------------------------------------------------------------------------- */

/* Whether all blocks of the launch are in the grid, not only one of them. */
static bool grid_is_whole(const struct wb_grid *grid) {
    const uint64_t blocks = (uint64_t)grid->dimensions[0] * grid->dimensions[1] * grid->dimensions[2];
    return grid_block_count(grid) == blocks;
}

wb_scope wb_analysis_scope(const wb_analysis *analysis) {
    if (analysis->longest != NULL) return WB_SCOPE_KERNEL;
    if (analysis->timed != NULL || analysis->kind == SUBJECT_OF_WING) return WB_SCOPE_BLOCK;
    return grid_is_whole(analysis->grid_times.grid) ? WB_SCOPE_KERNEL : WB_SCOPE_BLOCK;
}

/* Whether there is no kernel: what is analysed was written by hand. */
static bool is_block_of_its_own(const struct wb_analysis *analysis) {
    return analysis->kind == SUBJECT_OF_WING || (analysis->timed != NULL && analysis->block == NULL);
}

wb_scope verdict_scope(const struct wb_analysis *analysis, wb_scope scope) {
    return is_block_of_its_own(analysis) ? WB_SCOPE_BLOCK : scope;
}

/* ---- The slowest execution ----------------------------------------------------------------------------- */

wb_slowest analysis_slowest(const struct wb_analysis *analysis) {
    const wb_slowest own = analysis_found(analysis, false);
    if (analysis->given == NULL) return own;
    wb_slowest given = analysis_found(analysis->given, false);
    given.with_data = given.cycles > 0;
    return given.cycles > own.cycles ? given : own;
}

/* The slowest execution of the machine code that PTX was compared with, of the same scope; none where only a
 * block of that could be analysed. */
static wb_slowest slowest_of_code(const struct wb_analysis *analysis, wb_scope scope) {
    const struct wb_analysis *code = analysis->owned.code;
    if (code == NULL) return (wb_slowest){0};
    if (scope == WB_SCOPE_BLOCK && code->longest != NULL) code = code->longest;
    if (wb_analysis_scope(code) != scope) return (wb_slowest){0};
    wb_slowest slowest = analysis_slowest(code);
    slowest.of_code = slowest.cycles > 0;
    slowest.machine = slowest.of_code ? code->machine->name : NULL;
    return slowest;
}

/* The bound that stall counts of the longest lane prove. */
static void keep_stalls(wb_slowest *slowest, const struct wb_analysis *analysis) {
    if (analysis->stalls.cycles <= slowest->cycles) return;
    *slowest = (wb_slowest){.cycles = analysis->stalls.cycles,
                            .kind = WB_LOWER,
                            .name = "stalls",
                            .of_lane = true,
                            .of_code = analysis_model(analysis) != WB_MODEL_NONE};
}

wb_slowest analysis_slowest_with_code(const struct wb_analysis *analysis) {
    wb_slowest slowest = analysis_slowest(analysis), code = slowest_of_code(analysis, WB_SCOPE_KERNEL);
    if (code.cycles > slowest.cycles) slowest = code;
    keep_stalls(&slowest, analysis);
    return slowest;
}

/* What of that is in no doubt: what was written by hand takes the times that are written; machine code the
 * shortest ones. No GPU executes PTX. */
static wb_slowest slowest_for_sure(const struct wb_analysis *analysis) {
    if (analysis_sources(analysis).kernel == NULL) return analysis_slowest(analysis);
    return analysis->shortest;
}

wb_slowest analysis_sure(const struct wb_analysis *analysis) {
    wb_slowest sure = slowest_for_sure(analysis);
    keep_stalls(&sure, analysis);
    return sure;
}

/* ---- Verdicts ------------------------------------------------------------------------------------------ */

static int64_t margin_of(uint64_t deadline, uint64_t time) {
    const uint64_t apart = deadline > time ? deadline - time : time - deadline;
    const int64_t size = apart > INT64_MAX ? INT64_MAX : (int64_t)apart;
    return deadline > time ? size : -size;
}

uint64_t verdict_time(const wb_verdict *verdict) {
    return cycles_add(verdict->cycles, verdict->scope == WB_SCOPE_STREAM ? 0 : verdict->overhead);
}

/* The state where nothing contradicts what is proven. */
static wb_state state_of(const wb_verdict *verdict, const uint64_t *deadline) {
    if (deadline == NULL) return verdict->is_bounded ? WB_BOUNDED : WB_UNPROVEN;
    if (verdict->sure.cycles > *deadline) return WB_MISSED;
    if (!verdict->is_bounded) return verdict->slowest.cycles > *deadline ? WB_OPEN : WB_UNPROVEN;
    if (verdict_time(verdict) > *deadline) return WB_OPEN;
    return verdict->model == WB_MODEL_NONE || verdict->accepted ? WB_MET : WB_MODEL_ONLY;
}

void verdict_decide(wb_verdict *verdict, const uint64_t *deadline) {
    if (verdict->contradiction.found.cycles > 0) {
        verdict->bound = NULL;
        verdict->is_bounded = false;
        verdict->cycles = 0;
    }
    verdict->has_deadline = deadline != NULL;
    if (deadline != NULL) verdict->deadline = *deadline;
    if (deadline != NULL && verdict->is_bounded)
        verdict->margin = margin_of(*deadline, verdict_time(verdict));
    verdict->state = verdict->contradiction.found.cycles > 0 ? WB_CONTRADICTION : state_of(verdict, deadline);
}

/* An execution on a GPU is one, whatever is proven. */
static void take_measured(wb_verdict *verdict, const struct wb_analysis *analysis) {
    const wb_slowest measured = measured_cycles(analysis), sure = measured_for_deadline(analysis);
    if (measured.cycles > verdict->slowest.cycles) verdict->slowest = measured;
    if (sure.cycles > verdict->sure.cycles) verdict->sure = sure;
}

/* Takes machine code into account: a bound of PTX that it takes longer than is none. */
static void take_code(wb_verdict *verdict, const struct wb_analysis *analysis) {
    const bool is_about_kernel = verdict->scope == WB_SCOPE_KERNEL;
    verdict->stalls = analysis->stalls.cycles > 0 ? &analysis->stalls : NULL;
    verdict->code = slowest_of_code(analysis, verdict->scope);
    if (is_about_kernel && analysis->owned.code != NULL)
        verdict->code_bound = wb_analysis_best(analysis->owned.code);
    verdict->refuted = stalls_refute(analysis, verdict);
    if (verdict->bound != NULL && verdict->code.cycles > verdict->bound->cycles)
        verdict->refuted = verdict->bound;
    if (verdict->code.cycles > verdict->slowest.cycles) verdict->slowest = verdict->code;
    if (is_about_kernel || verdict->judged == analysis) {
        keep_stalls(&verdict->slowest, analysis);
        keep_stalls(&verdict->sure, analysis);
    }
    if (verdict->refuted == NULL) return;
    verdict->bound = NULL;
    verdict->is_bounded = false;
    verdict->cycles = 0;
}

wb_model analysis_model(const struct wb_analysis *analysis) {
    const struct wb_kernel *kernel = analysis_sources(analysis).kernel;
    if (kernel == NULL || !wb_machine_takes_ptx(analysis->machine)) return WB_MODEL_NONE;
    return kernel->module->code == NULL ? WB_MODEL_PTX : WB_MODEL_CLASSES;
}

bool analysis_accepts_model(const struct wb_analysis *analysis) {
    return (analysis->asked.accept & WB_ACCEPT_PTX_MODEL) != 0;
}

/* Takes what is known of `judged`. */
static void take_times(wb_verdict *verdict, const struct wb_analysis *judged) {
    verdict->overhead = analysis_overhead(judged);
    verdict->bound = wb_analysis_best(judged);
    verdict->is_bounded = wb_analysis_proven(judged, &verdict->cycles);
    verdict->slowest = analysis_slowest(judged);
    verdict->sure = slowest_for_sure(judged);
    if (verdict->slowest.cycles == 0) verdict->first_blocks = judged->first_blocks;
}

wb_verdict wb_analysis_judge(const wb_analysis *analysis, wb_scope scope, const uint64_t *deadline) {
    wb_verdict verdict = {.scope = verdict_scope(analysis, scope), .judged = analysis};
    uint64_t of_block;
    if (verdict.scope == WB_SCOPE_BLOCK && analysis->longest != NULL) {
        verdict.judged = analysis->longest;
        verdict.every_block = analysis->blocks.count > 0;
    }
    const bool is_of_scope = wb_analysis_scope(verdict.judged) == verdict.scope;
    verdict.model = analysis_model(analysis);
    verdict.accepted = analysis_accepts_model(analysis);
    if (is_of_scope) take_times(&verdict, verdict.judged);
    if (is_of_scope) take_code(&verdict, analysis);
    if (is_of_scope && verdict.judged == analysis) take_measured(&verdict, analysis);
    verdict.contradiction = analysis_contradiction(analysis);
    verdict_decide(&verdict, deadline);
    if (verdict.state != WB_CONTRADICTION && !is_of_scope && verdict.scope == WB_SCOPE_KERNEL &&
        wb_analysis_proven(verdict.judged, &of_block) &&
        slowest_of_code(analysis, WB_SCOPE_BLOCK).cycles <= of_block)
        verdict.state = WB_BLOCK_ONLY;
    return verdict;
}

wb_verdict verdict_of(const struct wb_analysis *analysis, const wb_report_options *options) {
    wb_scope scope = options->scope;
    if (!options->has_deadline && scope != WB_SCOPE_BLOCK) scope = wb_analysis_scope(analysis);
    return wb_analysis_judge(analysis, scope, options->has_deadline ? &options->deadline : NULL);
}
