#include "bound/analysis/verdict.h"

bool found_is_covered(const struct wb_analysis *analysis, const wb_simulation *simulation) {
    return simulation->work_conserving == analysis->scheme->policy->work_conserving;
}

static void keep_slower(wb_slowest *slowest, cycles time, wb_kind kind, const char *name, bool any_order) {
    if (time > slowest->cycles)
        *slowest = (wb_slowest){.cycles = time, .kind = kind, .name = name, .any_order = any_order};
}

static bool assumes(const wb_bound *bound, wb_assumption what) {
    for (size_t a = 0; a < bound->assumption_count; a++)
        if (bound->assumptions[a] == what) return true;
    return false;
}

/* Whether an execution was found in which latencies are shorter than stated: it says how far bounds can be
 * lowered, and not that a machine on which they are as stated misses a deadline. */
static bool is_of_shorter_times(const wb_bound *bound) {
    return assumes(bound, WB_ASSUME_TIMES_OR_SHORTER);
}

wb_slowest analysis_found(const struct wb_analysis *analysis, bool with_shorter_times) {
    wb_slowest slowest = {0};
    for (size_t i = 0; i < analysis->bounds.count; i++) {
        const wb_bound *bound = &analysis->bounds.items[i];
        const bool is_execution = bound->kind == WB_LOWER || bound->kind == WB_EXACT;
        if (!is_execution || (is_of_shorter_times(bound) && !with_shorter_times)) continue;
        keep_slower(&slowest, bound->cycles, bound->kind, bound->method,
                    assumes(bound, WB_ASSUME_DISPATCH_IN_ANY_ORDER));
    }
    for (size_t i = 0; i < analysis->simulations.count; i++) {
        const wb_simulation *simulation = &analysis->simulations.items[i];
        if (found_is_covered(analysis, simulation))
            keep_slower(&slowest, simulation->cycles, WB_SIMULATED, simulation->policy, false);
    }
    slowest.with_zeros = slowest.cycles > 0 && analysis_has_zeros(analysis);
    return slowest;
}
