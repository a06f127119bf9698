/* The kernel instruction strings of the makespan methods are the simulator's machine with latency 0 and
 * initiation 1: what the simulator does under its policies is a schedule of the problem, and none takes
 * longer than the worst case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "makespan_cases.h"
#include "sim/gpu/gpu.h"
#include "warp/synthetic/synthetic.h"

/* The problem as a block of the other machine model. */
static void make_block(const struct makespan_problem *problem, struct synthetic_block *block) {
    struct text units = {0};
    struct text warps = {0};
    uint32_t room = 0;
    for (uint32_t u = 0; u < UNIT_TYPES; u++) {
        text_printf(&units, "%s%c*%u(1,0)", u == 0 ? "" : " ", UNIT_LETTERS[u], problem->capacity[u]);
        room += problem->capacity[u];
    }
    for (uint32_t g = 0; g < problem->group_count; g++) {
        const struct string_group *group = &problem->groups[g];
        text_printf(&warps, "%s%ux", g == 0 ? "" : "; ", group->warps);
        for (uint32_t i = 0; i < group->length; i++)
            text_printf(&warps, " %c", UNIT_LETTERS[problem->unit[group->first + i]]);
    }
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (synthetic_block_parse(units.data, warps.data, diagnostics, block) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    block->machine.dispatch_depth = 0;
    block->machine.issue_width = problem->issue_limit < room ? problem->issue_limit : room;
    wb_diagnostics_free(diagnostics);
    text_free(&units);
    text_free(&warps);
}

/* Writes issues into a schedule: cycle 0 of the simulator is cycle 1. */
struct recorder {
    const struct makespan_problem *problem;
    struct schedule schedule;
};

static wb_status record(void *user, const struct sim_event *event) {
    struct recorder *recorder = user;
    uint64_t at = schedule_start(recorder->problem, event->warp) + event->step;
    recorder->schedule.cycle[at] = (uint32_t)event->issue + 1;
    recorder->schedule.makespan = (uint32_t)event->issue + 1;
    return WB_OK;
}

/* Simulates the problem under a policy; the schedule must be one, and no longer than `worst`. */
static void check_policy(const struct makespan_problem *problem, const struct synthetic_block *block,
                         const struct sim_policy *policy, uint64_t worst) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct recorder recorder = {.problem = problem};
    struct sim_sink sink = {.event = record, .user = &recorder};
    wb_simulation simulation;
    struct arena arena = {0};
    schedule_make(problem, &arena, &recorder.schedule);
    wb_status status = simulate(&block->timed, policy, &sink, NULL, diagnostics, &simulation);
    if (status == WB_OK) status = schedule_check(problem, &recorder.schedule, policy->name, diagnostics);
    if (status != WB_OK || simulation.cycles != recorder.schedule.makespan || simulation.cycles > worst) {
        makespan_case_print(problem);
        fail_msg("%s takes %llu cycles, the worst case is %llu\n%s", policy->name,
                 (unsigned long long)simulation.cycles, (unsigned long long)worst,
                 wb_diagnostics_text(diagnostics));
    }
    arena_free(&arena);
    wb_diagnostics_free(diagnostics);
}

static void test_simulations_are_schedules(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct random_state random = random_seeded(seed);
        struct makespan_problem problem = makespan_random_problem(&random, 4, 7, 5);
        struct makespan_result brute = makespan_case_solve(&makespan_brute, &problem, NULL, WB_OK);
        struct synthetic_block block;
        make_block(&problem, &block);
        for (size_t i = 0; policy_at(i) != NULL; i++)
            if (policy_at(i)->work_conserving && policy_misfit(policy_at(i), block.timed.machine) == NULL)
                check_policy(&problem, &block, policy_at(i), brute.bound.cycles);
        synthetic_block_free(&block);
        makespan_result_free(&brute);
        problem_free(&problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_simulations_are_schedules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
