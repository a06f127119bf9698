/* The closed form that replaces eq. (5) of ECRTS'12 (docs/makespan-proofs.md, T1), and that equation. */
#include "wings/makespan/method/closed.h"

#include <assert.h>
#include <string.h>

#include "base/cycles.h"

/* Sets what waiting costs: where there is an issue limit, an instruction of another warp at unit type u
 * accounts for at most 1 / min(capacity, limit) of a cycle of waiting. The common denominator fits 64 bits
 * because CAPACITY_MAX is 16 bits. */
static struct remaining_bound waiting_costs(const struct makespan_problem *problem) {
    struct remaining_bound bound = {.problem = problem, .parts = 1};
    uint64_t room[UNIT_TYPES];
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        room[unit] = cycles_min(problem->capacity[unit], problem->issue_limit);
        assert(room[unit] >= 1 && room[unit] <= CAPACITY_MAX);
        bound.parts *= room[unit];
    }
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        bound.weight[unit] = bound.parts / room[unit];
    return bound;
}

/* The cycles until a warp finishes that finishes last: those of its own instructions, and those in which it
 * can wait for others. In each of these all places of its unit type are taken by others, so it never waits
 * for a type that it does not use; or, with an issue limit, as many issue as may. `total` are all
 * instructions left. */
static uint64_t cycles_of_last(const struct remaining_bound *bound, const uint32_t left[UNIT_TYPES],
                               const uint64_t total[UNIT_TYPES]) {
    const struct makespan_problem *problem = bound->problem;
    unsigned __int128 parts = 0;
    uint64_t own = 0;
    uint64_t waits = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        assert(total[unit] >= left[unit]);
        own += left[unit];
        parts += (unsigned __int128)(total[unit] - left[unit]) * bound->weight[unit];
        if (left[unit] > 0) waits += (total[unit] - left[unit]) / problem->capacity[unit];
    }
    if (problem->issue_limit != ISSUE_UNLIMITED) waits = (uint64_t)(parts / bound->parts);
    return own + waits;
}

uint64_t closed_bound(const struct makespan_problem *problem) {
    const struct remaining_bound bound = waiting_costs(problem);
    uint64_t total[UNIT_TYPES] = {0};
    for (uint32_t g = 0; g < problem->group_count; g++)
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
            total[unit] += problem_unit_count(problem, g, unit) * problem->groups[g].warps;
    uint64_t longest = 0;
    for (uint32_t g = 0; g < problem->group_count; g++) {
        uint32_t own[UNIT_TYPES];
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
            own[unit] = (uint32_t)problem_unit_count(problem, g, unit);
        longest = cycles_max(longest, cycles_of_last(&bound, own, total));
    }
    return longest;
}

static wb_status run_closed(const struct makespan_run *run, struct makespan_result *result) {
    result->bound.cycles = closed_bound(run->problem);
    result->bound.kind = WB_UPPER;
    makespan_assume_model(&result->bound);
    return WB_OK;
}

const struct makespan_method makespan_closed = {
    .name = "closed",
    .summary = "the last warp's instructions plus all cycles in which the others can make it wait",
    .run = run_closed,
};

void remaining_bound_make(const struct makespan_problem *problem, struct arena *arena,
                          struct remaining_bound *bound) {
    *bound = waiting_costs(problem);
    bound->left = arena_array(arena, problem->position_count, sizeof *bound->left);
    for (uint32_t p = problem->position_count; p-- > 0;) {
        if (!problem->last[p]) memcpy(bound->left[p], bound->left[p + 1], sizeof *bound->left);
        bound->left[p][problem->unit[p]]++;
    }
}

uint64_t remaining_cycles(const struct remaining_bound *bound, const uint16_t *counts) {
    uint64_t total[UNIT_TYPES] = {0};
    for (uint32_t p = 0; p < bound->problem->position_count; p++)
        for (uint32_t unit = 0; unit < UNIT_TYPES && counts[p] > 0; unit++)
            total[unit] += (uint64_t)counts[p] * bound->left[p][unit];
    uint64_t most = 0;
    for (uint32_t p = 0; p < bound->problem->position_count; p++)
        if (counts[p] > 0) most = cycles_max(most, cycles_of_last(bound, bound->left[p], total));
    return most;
}

/* The pessimistic makespan of ECRTS'12, section 4. */

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
        bound->reason = "eq. (5) of ECRTS 2012 has no limit of instructions issued per cycle";
    }
    return WB_OK;
}

const struct makespan_method makespan_pessimistic = {
    .name = "pessimistic",
    .summary = "sum over unit types of rounds of warps times instructions (ECRTS 2012, eq. 5)",
    .run = run_pessimistic,
};
