/* The closed form that replaces eq. (5) of ECRTS'12; docs/makespan-proofs.md, T1, has the proof. */
#include "makespan/closed.h"

#include <stdlib.h>

#include "base/cycles.h"
#include "makespan/method.h"

/* Instructions of each type: of one warp of each group, and of all warps together. */
struct demand {
    uint64_t (*of_warp)[UNIT_TYPES];
    uint64_t total[UNIT_TYPES];
};

static wb_status demand_make(const struct makespan_problem *problem, struct demand *demand) {
    *demand = (struct demand){.of_warp = calloc(problem->group_count, sizeof *demand->of_warp)};
    if (demand->of_warp == NULL) return WB_ERR_LIMIT;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t i = 0; i < group->length; i++)
            demand->of_warp[g][problem->unit[group->first + i]]++;
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
            demand->total[unit] += demand->of_warp[g][unit] * group->warps;
    }
    return WB_OK;
}

/* The cycles in which a warp of group g can wait for others: in each, all places of its unit type are taken
 * by others. */
static cycles waits_for_units(const struct makespan_problem *problem, const struct demand *demand,
                              uint32_t g) {
    cycles waits = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        if (demand->of_warp[g][unit] == 0) continue; /* it never waits there */
        waits += (demand->total[unit] - demand->of_warp[g][unit]) / problem->capacity[unit];
    }
    return waits;
}

/* The same with an issue limit: an instruction of another warp at unit type u accounts for at most
 * 1 / min(capacity, limit) of a cycle of waiting. The sum is taken over a common denominator, which fits 64
 * bits because CAPACITY_MAX is 16 bits. */
static cycles waits_for_issue(const struct makespan_problem *problem, const struct demand *demand,
                              uint32_t g) {
    unsigned __int128 numerator = 0;
    uint64_t denominator = 1;
    uint64_t room[UNIT_TYPES];
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        room[unit] = cycles_min(problem->capacity[unit], problem->issue_limit);
        if (demand->total[unit] > 0) denominator *= room[unit];
    }
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        uint64_t others = demand->total[unit] - demand->of_warp[g][unit];
        if (others > 0) numerator += (unsigned __int128)others * (denominator / room[unit]);
    }
    return (cycles)(numerator / denominator);
}

wb_status closed_bound(const struct makespan_problem *problem, cycles *bound) {
    struct demand demand;
    WB_TRY(demand_make(problem, &demand));
    cycles longest = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        cycles waits = problem->issue_limit == ISSUE_UNLIMITED ? waits_for_units(problem, &demand, g)
                                                               : waits_for_issue(problem, &demand, g);
        longest = cycles_max(longest, problem->groups[g].length + waits);
    }
    free(demand.of_warp);
    *bound = longest;
    return WB_OK;
}

static wb_status run_closed(const struct makespan_run *run, struct makespan_result *result) {
    if (closed_bound(run->problem, &result->bound.cycles) != WB_OK) return makespan_no_memory(run);
    result->bound.kind = WB_UPPER;
    makespan_assume_model(&result->bound);
    return WB_OK;
}

const struct makespan_method makespan_closed = {
    .name = "closed",
    .summary = "the last warp's instructions plus all cycles in which the others can make it wait",
    .run = run_closed,
};
