#include "wings/makespan/strings/schedule.h"

#include <assert.h>
#include <inttypes.h>

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

/* ---- The check, from the definition alone ----------------------------------------------------------------
 */

/* What is checked, and what executes in each cycle: index 0 is unused, the makespan the last. */
struct check {
    const struct makespan_problem *problem;
    const struct schedule *schedule;
    const char *where;
    wb_diagnostics *diagnostics;
    uint32_t *used[UNIT_TYPES]; /* warps that use the unit type */
    uint32_t *room[UNIT_TYPES]; /* the first cycle from this one on with room for one more of them */
    struct arena arena;
    wb_status status;
};

/* Warps that execute in a cycle. */
static uint64_t issued(const struct check *check, uint32_t cycle) {
    uint64_t sum = 0;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        sum += check->used[unit][cycle];
    return sum;
}

/* Every instruction is in a cycle of the schedule, behind the one before it; counts what each cycle uses. */
static wb_status check_order(struct check *check, const struct string_group *group, uint32_t warp,
                             const uint32_t *cycle) {
    for (uint32_t i = 0; i < group->length; i++) {
        if (cycle[i] <= (i == 0 ? 0 : cycle[i - 1]) || cycle[i] > check->schedule->makespan) {
            diagnose(check->diagnostics, SEVERITY_ERROR, check->where,
                     "warp %u: instruction %u in cycle %u is out of order or beyond the makespan", warp + 1,
                     i + 1, cycle[i]);
            return WB_ERR_INPUT;
        }
        check->used[check->problem->unit[group->first + i]][cycle[i]]++;
    }
    return WB_OK;
}

/* No unit type and no cycle has more than there is room for. */
static wb_status check_room(const struct check *check) {
    for (uint32_t t = 1; t <= check->schedule->makespan; t++) {
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
            if (check->used[unit][t] <= check->problem->capacity[unit]) continue;
            diagnose(check->diagnostics, SEVERITY_ERROR, check->where,
                     "cycle %u: %u warps use unit type %c, which has room for %u", t, check->used[unit][t],
                     UNIT_LETTERS[unit], check->problem->capacity[unit]);
            return WB_ERR_INPUT;
        }
        if (issued(check, t) <= check->problem->issue_limit) continue;
        diagnose(check->diagnostics, SEVERITY_ERROR, check->where,
                 "cycle %u: %" PRIu64 " instructions issue, the limit is %u", t, issued(check, t),
                 check->problem->issue_limit);
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

/* Finds the next room of each cycle, so that a long wait costs no more than a short one. */
static void find_room(const struct check *check) {
    const struct makespan_problem *problem = check->problem;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        uint32_t next = check->schedule->makespan + 1;
        for (uint32_t t = check->schedule->makespan; t >= 1; t--) {
            if (check->used[unit][t] != problem->capacity[unit] && issued(check, t) != problem->issue_limit)
                next = t;
            check->room[unit][t] = next;
        }
    }
}

/* A warp waits only while its unit type is full or all instructions of the cycle are issued. */
static wb_status check_waiting(const struct check *check, const struct string_group *group, uint32_t warp,
                               const uint32_t *cycle) {
    for (uint32_t i = 0; i < group->length; i++) {
        uint32_t unit = check->problem->unit[group->first + i];
        uint32_t room = check->room[unit][i == 0 ? 1 : cycle[i - 1] + 1];
        if (room >= cycle[i]) continue;
        diagnose(check->diagnostics, SEVERITY_ERROR, check->where,
                 "not work-conserving: in cycle %u warp %u waits to execute instruction %u while unit "
                 "type %c has room",
                 room, warp + 1, i + 1, UNIT_LETTERS[unit]);
        return WB_ERR_INPUT;
    }
    return WB_OK;
}

/* Applies one of the two checks of warps to all of them. */
static wb_status check_warps(struct check *check, bool waiting) {
    const uint32_t *cycle = check->schedule->cycle;
    uint32_t warp = 0;
    for (uint32_t g = 0; g < check->problem->group_count; g++) {
        const struct string_group *group = &check->problem->groups[g];
        for (uint32_t w = 0; w < group->warps; w++, warp++, cycle += group->length)
            WB_TRY(waiting ? check_waiting(check, group, warp, cycle)
                           : check_order(check, group, warp, cycle));
    }
    return WB_OK;
}

static wb_status check_all(struct check *check) {
    if (check->schedule->makespan == 0) {
        diagnose(check->diagnostics, SEVERITY_ERROR, check->where, "the makespan is 0");
        return WB_ERR_INPUT;
    }
    WB_TRY(check_warps(check, false));
    if (issued(check, check->schedule->makespan) == 0) {
        diagnose(check->diagnostics, SEVERITY_ERROR, check->where,
                 "nothing executes in cycle %u, which the makespan claims to be the last",
                 check->schedule->makespan);
        return WB_ERR_INPUT;
    }
    WB_TRY(check_room(check));
    find_room(check);
    return check_warps(check, true);
}

static void check_in_arena(void *context) {
    struct check *check = context;
    const size_t cycles = (size_t)check->schedule->makespan + 1;
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        check->used[unit] = arena_array(&check->arena, cycles, sizeof *check->used[unit]);
        check->room[unit] = arena_array(&check->arena, cycles, sizeof *check->room[unit]);
    }
    check->status = check_all(check);
}

wb_status schedule_check(const struct makespan_problem *problem, const struct schedule *schedule,
                         const char *where, wb_diagnostics *diagnostics) {
    struct check check = {
        .problem = problem, .schedule = schedule, .where = where, .diagnostics = diagnostics};
    if (schedule->makespan > problem->instruction_count) {
        diagnose(diagnostics, SEVERITY_ERROR, where,
                 "the makespan has more cycles than there are instructions");
        return WB_ERR_INPUT;
    }
    if (arena_protect(&check.arena, check_in_arena, &check) != WB_OK)
        check.status = diagnose_out_of_memory(diagnostics, where);
    arena_free(&check.arena);
    return check.status;
}
