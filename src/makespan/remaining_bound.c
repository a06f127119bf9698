#include "makespan/remaining_bound.h"

#include <stdlib.h>
#include <string.h>

wb_status remaining_bound_make(const struct makespan_problem *problem, struct remaining_bound *bound) {
    *bound = (struct remaining_bound){.problem = problem, .parts = 1};
    bound->left = calloc(problem->position_count, sizeof *bound->left);
    if (bound->left == NULL) return WB_ERR_LIMIT;
    for (uint32_t p = problem->position_count; p-- > 0;) {
        if (!problem->last[p]) memcpy(bound->left[p], bound->left[p + 1], sizeof *bound->left);
        bound->left[p][problem->unit[p]]++;
    }
    uint64_t room[UNIT_TYPES];
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        room[unit] =
            problem->capacity[unit] < problem->issue_limit ? problem->capacity[unit] : problem->issue_limit;
        bound->parts *= room[unit]; /* at most 65535 each */
    }
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        bound->weight[unit] = bound->parts / room[unit];
    return WB_OK;
}

void remaining_bound_free(struct remaining_bound *bound) {
    free(bound->left);
    *bound = (struct remaining_bound){0};
}

/* The cycles until a warp at a position finishes if it finishes last; `total` are all instructions left. */
static uint64_t cycles_of_last(const struct remaining_bound *bound, const uint32_t left[UNIT_TYPES],
                               const uint64_t total[UNIT_TYPES]) {
    const struct makespan_problem *problem = bound->problem;
    unsigned __int128 parts = 0;
    uint64_t own = 0;
    uint64_t waits = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        own += left[unit];
        parts += (unsigned __int128)(total[unit] - left[unit]) * bound->weight[unit];
        if (left[unit] > 0) waits += (total[unit] - left[unit]) / problem->capacity[unit];
    }
    if (problem->issue_limit != ISSUE_UNLIMITED) waits = (uint64_t)(parts / bound->parts);
    return own + waits;
}

uint64_t remaining_cycles(const struct remaining_bound *bound, const uint16_t *counts) {
    uint64_t total[UNIT_TYPES] = {0};
    for (uint32_t p = 0; p < bound->problem->position_count; p++)
        for (uint32_t unit = 0; unit < UNIT_TYPES && counts[p] > 0; unit++)
            total[unit] += (uint64_t)counts[p] * bound->left[p][unit];
    uint64_t most = 0;
    for (uint32_t p = 0; p < bound->problem->position_count; p++) {
        if (counts[p] == 0) continue;
        uint64_t of_last = cycles_of_last(bound, bound->left[p], total);
        if (of_last > most) most = of_last;
    }
    return most;
}
