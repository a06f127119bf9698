/* The pessimistic makespan of ECRTS'12, section 4. */
#include "base/cycles.h"
#include "makespan/method.h"

/* Warps of all groups, weighted by nothing: eq. (6) and (7) for one unit type. With groups, the warps that
 * use the type take turns in rounds of capacity, each as long as the longest of their strings. */
static cycles rounds(const struct makespan_problem *problem, uint32_t unit) {
    uint64_t warps = 0;
    uint64_t longest = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        uint64_t count = problem_unit_count(problem, g, unit);
        if (count > 0) warps += problem->groups[g].warps;
        if (count > longest) longest = count;
    }
    uint64_t capacity = problem->capacity[unit];
    return cycles_mul((warps + capacity - 1) / capacity, longest);
}

static wb_status run_pessimistic(const struct makespan_run *run, struct makespan_result *result) {
    const struct makespan_problem *problem = run->problem;
    wb_bound *bound = &result->bound;
    bool single = true;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        bound->cycles = cycles_add(bound->cycles, rounds(problem, unit));
        if (problem->capacity[unit] > 1 && problem_uses(problem, unit)) single = false;
    }
    makespan_assume_model(bound);
    bound->kind = WB_UPPER;
    if (!single) {
        bound->kind = WB_ESTIMATE;
        bound->reason =
            "eq. (5) of ECRTS 2012 is no bound where a unit type serves several warps a cycle: CCCC "
            "with room for 4 and 16 warps takes 19 cycles, eq. (5) says 16";
    } else if (problem->issue_limit != ISSUE_UNLIMITED) {
        bound->kind = WB_ESTIMATE;
        bound->reason = "eq. (5) of ECRTS 2012 knows no limit of instructions issued per cycle";
    }
    return WB_OK;
}

const struct makespan_method makespan_pessimistic = {
    .name = "pessimistic",
    .summary = "sum over unit types of rounds of warps times instructions (ECRTS 2012, eq. 5)",
    .run = run_pessimistic,
};
