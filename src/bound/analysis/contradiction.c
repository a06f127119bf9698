#include "bound/analysis/verdict.h"

/* The least proven upper bound of an analysis: no execution that it covers takes longer. An exact worst case
 * counts only with latencies exactly as stated. */
struct ceiling {
    cycles proven;
    const char *method;
};

static struct ceiling ceiling_of(const struct wb_analysis *analysis, wb_kind kind) {
    struct ceiling least = {CYCLES_SATURATED, NULL};
    for (size_t i = 0; i < analysis->bounds.count; i++) {
        const wb_bound *bound = &analysis->bounds.items[i];
        if (bound->kind == kind && bound->cycles < least.proven)
            least = (struct ceiling){bound->cycles, bound->method};
    }
    return least;
}

static void keep_furthest(wb_contradiction *furthest, wb_scope scope, struct ceiling ceiling,
                          wb_slowest found) {
    if (ceiling.method == NULL || found.cycles <= ceiling.proven) return;
    if (found.cycles - ceiling.proven <= furthest->found.cycles - furthest->proven) return;
    *furthest = (wb_contradiction){scope, ceiling.proven, ceiling.method, found};
}

/* Holds what was found of `found` against what is proven of `proven`: the same, or covering paths of it. */
static void compare(wb_contradiction *furthest, const struct wb_analysis *proven,
                    const struct wb_analysis *found, bool with_data) {
    const wb_scope scope = wb_analysis_scope(proven);
    wb_slowest any = analysis_found(found, true), stated = analysis_found(found, false);
    any.with_data = stated.with_data = with_data;
    keep_furthest(furthest, scope, ceiling_of(proven, WB_UPPER), any);
    keep_furthest(furthest, scope, ceiling_of(proven, WB_EXACT), stated);
}

/* Stall counts of the code that is analysed, where the machine times that code: the longest lane of all,
 * which no bound of every block is below either. */
static void compare_stalls(wb_contradiction *furthest, const struct wb_analysis *analysis,
                           const struct wb_analysis *proven) {
    const wb_slowest lane = {
        .cycles = analysis->stalls.cycles, .kind = WB_LOWER, .name = "stalls", .of_lane = true};
    if (lane.cycles == 0 || analysis_model(analysis) != WB_MODEL_NONE) return;
    keep_furthest(furthest, wb_analysis_scope(proven), ceiling_of(proven, WB_UPPER), lane);
}

/* Bounds of every block against every execution of a block with the given data. */
static void compare_blocks(wb_contradiction *furthest, const struct wb_analysis *longest,
                           const struct wb_analysis *given) {
    for (size_t i = 0; i < given->blocks.count; i++)
        compare(furthest, longest, given->blocks.items[i].analysis, true);
    if (given->longest != NULL) compare(furthest, longest, given->longest, true);
}

/* What the kernel took on a GPU. */
static void compare_measured(wb_contradiction *furthest, const struct wb_analysis *analysis) {
    keep_furthest(furthest, wb_analysis_scope(analysis), ceiling_of(analysis, WB_UPPER),
                  measured_cycles(analysis));
}

static void compare_all(wb_contradiction *furthest, const struct wb_analysis *analysis) {
    const struct wb_analysis *longest = analysis->longest, *given = analysis->given;
    compare(furthest, analysis, analysis, false);
    compare_stalls(furthest, analysis, analysis);
    compare_measured(furthest, analysis);
    for (size_t i = 0; i < analysis->blocks.count; i++)
        compare(furthest, analysis->blocks.items[i].analysis, analysis->blocks.items[i].analysis, false);
    if (longest != NULL) compare(furthest, longest, longest, false);
    if (longest != NULL) compare_stalls(furthest, analysis, longest);
    if (longest != NULL && longest->given != NULL) compare(furthest, longest, longest->given, true);
    if (given == NULL) return;
    compare(furthest, analysis, given, true);
    if (longest != NULL) compare_blocks(furthest, longest, given);
    compare_all(furthest, given);
}

wb_contradiction analysis_contradiction(const struct wb_analysis *analysis) {
    wb_contradiction furthest = {0};
    compare_all(&furthest, analysis);
    return furthest;
}
