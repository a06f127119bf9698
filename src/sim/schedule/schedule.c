#include "sim/schedule/schedule.h"

#include <stdlib.h>

#include "base/base.h"

void wb_schedule_free(wb_schedule *schedule) {
    if (schedule == NULL) return;
    vec_free(&schedule->issues);
    vec_free(&schedule->waits);
    vec_free(&schedule->blocks);
    free(schedule);
}

const wb_schedule_info *wb_schedule_describe(const wb_schedule *schedule) {
    return &schedule->info;
}

const wb_issue *wb_schedule_issues(const wb_schedule *schedule, size_t *count) {
    *count = schedule->issues.count;
    return schedule->issues.items;
}

const wb_wait *wb_schedule_waits(const wb_schedule *schedule, size_t *count) {
    *count = schedule->waits.count;
    return schedule->waits.items;
}

const wb_block_time *wb_schedule_blocks(const wb_schedule *schedule, size_t *count) {
    *count = schedule->blocks.count;
    return schedule->blocks.items;
}

uint32_t schedule_unit_count(const struct wb_machine *machine) {
    static const uint32_t more[] = {[ISA_SASS] = 1}; /* the stage of issue, which takes its time */
    return machine->unit_count + more[machine_isa(machine)];
}

const struct machine_unit *schedule_unit(const struct wb_machine *machine, uint32_t unit) {
    static const struct machine_unit issue_stage = {.name = "issue", .count = 1};
    assert(unit < schedule_unit_count(machine));
    return unit < machine->unit_count ? &machine->units[unit] : &issue_stage;
}

const char *wb_schedule_unit(const wb_schedule *schedule, uint32_t unit) {
    return schedule_unit(schedule->machine, unit)->name;
}

_Static_assert(WB_WAIT_BARRIER == (int)SIM_WAIT_BARRIER && WB_WAIT_RESULT == (int)SIM_WAIT_RESULT &&
                   WB_WAIT_FETCH == (int)SIM_WAIT_FETCH && WB_WAIT_CHANNEL == (int)SIM_WAIT_CHANNEL &&
                   WB_WAIT_UNIT == (int)SIM_WAIT_UNIT && WB_WAIT_TURN == (int)SIM_WAIT_TURN &&
                   WB_WAIT_END == (int)SIM_WAIT_KINDS,
               "a wait is the same in the simulator and outside");

const char *wb_wait_name(size_t reason) {
    if (reason < SIM_WAIT_KINDS) return sim_wait_name((enum sim_wait_kind)reason);
    return reason == WB_WAIT_END ? "end" : NULL;
}

wb_status schedule_choose(const char *what, const char *name, const char *(*name_at)(size_t),
                          wb_diagnostics *diagnostics, size_t *index) {
    uint64_t chosen;
    WB_TRY(choose_names(what, name, name_at, diagnostics, &chosen));
    *index = (size_t)__builtin_ctzll(chosen);
    if (__builtin_popcountll(chosen) == 1) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, what, "a schedule is for one %s, not for '%s'", what, name);
    return WB_ERR_INPUT;
}

/* The scheme under the policy that is asked for, or its own. */
static wb_status choose_scheme(const char *scheme, const char *policy, wb_diagnostics *diagnostics,
                               struct gpu_scheme *chosen) {
    size_t index;
    WB_TRY(schedule_choose("scheme", scheme, wb_scheme_name, diagnostics, &index));
    *chosen = *gpu_scheme_at(index);
    if (policy == NULL) return WB_OK;
    WB_TRY(schedule_choose("policy", policy, wb_policy_name, diagnostics, &index));
    if (chosen->policy->work_conserving) chosen->policy = policy_at(index);
    return WB_OK;
}

wb_status wb_schedule_of_gpu(const wb_gpu *gpu, const char *scheme, const char *policy,
                             const wb_schedule_options *options, wb_diagnostics *diagnostics,
                             wb_schedule **schedule) {
    struct gpu_scheme chosen;
    WB_TRY(choose_scheme(scheme, policy, diagnostics, &chosen));
    const struct schedule_subject subject = {
        .grid = &gpu->timed, .policy = chosen.policy, .scheme = &chosen, .threads = gpu->threads};
    const wb_schedule_info info = {.scope = WB_SCOPE_KERNEL, .kind = WB_SIMULATED};
    WB_TRY(schedule_record(&subject, &info, options, diagnostics, schedule));
    return WB_OK;
}
