#include "strings/schedule.h"

#include <assert.h>

void schedule_make(const struct makespan_problem *problem, struct arena *arena, struct schedule *schedule) {
    *schedule =
        (struct schedule){.cycle = arena_array(arena, problem->instruction_count, sizeof *schedule->cycle)};
}

uint32_t schedule_group(const struct makespan_problem *problem, uint32_t warp) {
    uint32_t group = 0;
    while (warp >= problem->groups[group].warps)
        warp -= problem->groups[group++].warps;
    return group;
}

uint64_t schedule_start(const struct makespan_problem *problem, uint32_t warp) {
    uint64_t start = 0;
    uint32_t group = 0;
    for (; warp >= problem->groups[group].warps; group++) {
        warp -= problem->groups[group].warps;
        start += (uint64_t)problem->groups[group].warps * problem->groups[group].length;
    }
    return start + (uint64_t)warp * problem->groups[group].length;
}

/* Lets the warps of one group execute what one cycle serves of it; `left` has room for its positions. */
static void serve_group(const struct string_group *group, const uint16_t *served, uint32_t time,
                        uint32_t *done, uint32_t *left, uint32_t *cycle) {
    for (uint32_t i = 0; i < group->length; i++)
        left[i] = served[group->first + i];
    for (uint32_t w = 0; w < group->warps; w++) {
        uint32_t at = done[w];
        if (at == group->length || left[at] == 0) continue;
        left[at]--;
        cycle[(uint64_t)w * group->length + at] = time;
        done[w]++;
    }
}

void schedule_from_counts(const struct makespan_problem *problem, const uint16_t *served,
                          uint32_t cycle_count, struct arena *arena, struct schedule *schedule) {
    struct arena scratch = {0};
    arena_bind(&scratch, arena);
    uint32_t *done = arena_array(&scratch, problem->warp_count, sizeof *done);
    uint32_t *left = arena_array(&scratch, problem->position_count, sizeof *left);
    if (schedule->cycle == NULL) schedule_make(problem, arena, schedule);
    for (uint32_t t = 1; t <= cycle_count; t++, served += problem->position_count) {
        uint32_t warp = 0;
        uint64_t start = 0;
        for (uint32_t g = 0; g < problem->group_count; g++) {
            const struct string_group *group = &problem->groups[g];
            serve_group(group, served, t, done + warp, left, schedule->cycle + start);
            warp += group->warps;
            start += (uint64_t)group->warps * group->length;
        }
        assert(warp == problem->warp_count && start == problem->instruction_count);
    }
    schedule->makespan = cycle_count;
    arena_free(&scratch);
}
