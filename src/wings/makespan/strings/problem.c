#include "wings/makespan/strings/problem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

uint32_t unit_of_letter(char letter) {
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (letter == UNIT_LETTERS[unit] || letter == UNIT_LETTERS[unit] + ('a' - 'A')) return unit;
    return UNIT_TYPES;
}

uint64_t problem_unit_count(const struct makespan_problem *problem, uint32_t group, uint32_t unit) {
    const struct string_group *g = &problem->groups[group];
    uint64_t count = 0;
    for (uint32_t i = 0; i < g->length; i++)
        count += problem->unit[g->first + i] == unit;
    return count;
}

bool problem_uses(const struct makespan_problem *problem, uint32_t unit) {
    for (uint32_t p = 0; p < problem->position_count; p++)
        if (problem->unit[p] == unit) return true;
    return false;
}

/* Whether every warp, every string and all instructions together are within the limits. */
static bool uses_fit(const struct string_use *uses, uint32_t use_count) {
    uint64_t warps = 0;
    uint64_t instructions = 0;
    uint64_t positions = 0;
    for (uint32_t i = 0; i < use_count; i++) {
        if (uses[i].warps == 0 || uses[i].warps > MAKESPAN_WARPS_MAX) return false;
        if (uses[i].length == 0 || uses[i].length > MAKESPAN_LENGTH_MAX) return false;
        warps += uses[i].warps;
        positions += uses[i].length;
        instructions += (uint64_t)uses[i].warps * uses[i].length;
        if (warps > MAKESPAN_WARPS_MAX || instructions > MAKESPAN_INSTRUCTIONS_MAX ||
            positions > MAKESPAN_LENGTH_MAX)
            return false;
    }
    return true;
}

/* The group whose string equals that of `use`, or a new one behind the last. */
static struct string_group *find_group(struct makespan_problem *problem, const struct string_use *use) {
    for (uint32_t i = 0; i < problem->group_count; i++) {
        struct string_group *group = &problem->groups[i];
        if (group->length == use->length &&
            memcmp(problem->unit + group->first, use->units, use->length) == 0)
            return group;
    }
    struct string_group *group = &problem->groups[problem->group_count++];
    *group = (struct string_group){.first = problem->position_count, .length = use->length};
    memcpy(problem->unit + group->first, use->units, use->length);
    problem->position_count += use->length;
    problem->last[problem->position_count - 1] = true;
    return group;
}

/* Whether there can be more ready warps with room at their units than the issue limit lets through. */
static bool issue_limit_binds(const struct makespan_problem *problem) {
    uint64_t room = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        if (problem_uses(problem, unit)) room += problem->capacity[unit];
    return problem->issue_limit < room && problem->issue_limit < problem->warp_count;
}

wb_status problem_make(const struct string_use *uses, uint32_t use_count, const uint32_t capacity[UNIT_TYPES],
                       uint32_t issue_limit, struct makespan_problem *problem) {
    *problem = (struct makespan_problem){.issue_limit = issue_limit};
    if (issue_limit == 0 || use_count == 0 || !uses_fit(uses, use_count)) return WB_ERR_INPUT;
    uint64_t positions = 0;
    for (uint32_t i = 0; i < use_count; i++)
        positions += uses[i].length;
    problem->groups = calloc(use_count, sizeof *problem->groups);
    problem->unit = calloc(positions, sizeof *problem->unit);
    problem->last = calloc(positions, sizeof *problem->last);
    if (problem->groups == NULL || problem->unit == NULL || problem->last == NULL) return WB_ERR_LIMIT;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        if (capacity[unit] == 0 || capacity[unit] > CAPACITY_MAX) return WB_ERR_INPUT;
        problem->capacity[unit] = capacity[unit];
    }
    for (uint32_t i = 0; i < use_count; i++) {
        find_group(problem, &uses[i])->warps += uses[i].warps;
        problem->warp_count += uses[i].warps;
        problem->instruction_count += (uint64_t)uses[i].warps * uses[i].length;
    }
    if (!issue_limit_binds(problem)) problem->issue_limit = ISSUE_UNLIMITED;
    return WB_OK;
}

void problem_free(struct makespan_problem *problem) {
    free(problem->groups);
    free(problem->unit);
    free(problem->last);
    *problem = (struct makespan_problem){0};
}

/* Whether a new run begins at the position. */
static bool run_begins(const struct makespan_problem *problem, uint32_t position) {
    return position == 0 || problem->last[position - 1] ||
           problem->unit[position] != problem->unit[position - 1];
}

void run_list_make(const struct makespan_problem *problem, struct arena *arena, struct run_list *runs) {
    *runs = (struct run_list){.problem = problem};
    runs->items = arena_array(arena, problem->position_count, sizeof *runs->items);
    runs->of_position = arena_array(arena, problem->position_count, sizeof *runs->of_position);
    uint32_t group = 0;
    for (uint32_t p = 0; p < problem->position_count; p++) {
        if (run_begins(problem, p))
            runs->items[runs->count++] =
                (struct unit_run){.unit = problem->unit[p], .group = group, .first = p};
        struct unit_run *run = &runs->items[runs->count - 1];
        run->length++;
        runs->of_position[p] = runs->count - 1;
        if (problem->last[p]) {
            run->last = true;
            group++;
        }
    }
    assert(group == problem->group_count);
}
