/* Schedules of what is analysed: under a policy, or the longest that is known. */
#include <string.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "sim/schedule/schedule.h"

/* The simulation of a policy. */
static struct schedule_subject subject_of(const struct wb_analysis *asked, const struct sim_policy *policy) {
    const struct wb_analysis *analysis = analysis_executed(asked);
    struct schedule_subject subject = {.policy = policy, .traced = analysis->block};
    if (analysis->kind == SUBJECT_BLOCK) {
        subject.block = analysis->timed;
        return subject;
    }
    subject.grid = &analysis->grid_times;
    subject.scheme = analysis->scheme;
    return subject;
}

static wb_status decline(const struct wb_analysis *analysis, const char *why, wb_diagnostics *diagnostics) {
    diagnose(diagnostics, SEVERITY_ERROR, analysis->name, "%s", why);
    return WB_ERR_DECLINED;
}

/* The schedule of a simulation. */
static wb_status record_policy(const wb_analysis *analysis, const struct sim_policy *policy,
                               const wb_schedule_options *options, wb_diagnostics *diagnostics,
                               wb_schedule **schedule) {
    const struct schedule_subject subject = subject_of(analysis, policy);
    const wb_schedule_info info = {.scope = wb_analysis_scope(analysis), .kind = WB_SIMULATED};
    return schedule_record(&subject, &info, options, diagnostics, schedule);
}

wb_status wb_schedule_simulate(const wb_analysis *analysis, const char *policy,
                               const wb_schedule_options *options, wb_diagnostics *diagnostics,
                               wb_schedule **schedule) {
    size_t chosen;
    const char *objection = analysis_unsimulated(analysis);
    WB_TRY(schedule_choose("policy", policy, wb_policy_name, diagnostics, &chosen));
    if (objection != NULL) return decline(analysis, objection, diagnostics);
    return record_policy(analysis, policy_at(chosen), options, diagnostics, schedule);
}

/* The schedule that a search found. */
static wb_status record_witness(const wb_analysis *analysis, const struct schedule_witness *witness,
                                wb_kind kind, const wb_schedule_options *options, wb_diagnostics *diagnostics,
                                wb_schedule **schedule) {
    const struct wb_analysis *executed = analysis_executed(analysis);
    struct wb_machine machine = *executed->machine;
    struct timed_grid grid = executed->grid_times;
    struct schedule_subject subject = subject_of(analysis, witness->policy);
    const wb_schedule_info info = {
        .scope = wb_analysis_scope(analysis), .kind = kind, .method = witness->method};
    if (subject.block == NULL) {
        machine.memory.dispatch = witness->dispatch;
        grid.machine = &machine;
        subject.grid = &grid;
        subject.plan = witness->plan;
    }
    WB_TRY(schedule_record(&subject, &info, options, diagnostics, schedule));
    (*schedule)->machine = analysis->machine;
    return WB_OK;
}

/* The kind of the bound of a method. */
static wb_kind kind_of(const wb_analysis *analysis, const char *method) {
    for (size_t b = 0; b < analysis->bounds.count; b++)
        if (strcmp(analysis->bounds.items[b].method, method) == 0) return analysis->bounds.items[b].kind;
    return WB_LOWER;
}

/* Says whether a search has found what takes longer without keeping how. */
static void note_longest(const wb_analysis *analysis, wb_schedule_info *info) {
    info->longest = info->cycles;
    for (size_t b = 0; b < analysis->bounds.count; b++) {
        const wb_bound *bound = &analysis->bounds.items[b];
        if ((bound->kind != WB_LOWER && bound->kind != WB_EXACT) || bound->cycles <= info->longest) continue;
        info->longest = bound->cycles;
        info->longest_by = bound->method;
    }
}

/* The longest schedule that can be seen again: what a search kept, or the slowest simulation, of those that
 * rules R1 to R7 of docs/proofs.md allow where `by_rules`. None: *schedule is NULL. */
static wb_status record_longest(const wb_analysis *analysis, bool by_rules,
                                const wb_schedule_options *options, wb_diagnostics *diagnostics,
                                wb_schedule **schedule) {
    const struct schedule_witness *found = NULL;
    const wb_simulation *slowest = NULL;
    *schedule = NULL;
    for (size_t w = 0; w < analysis->witnesses.count; w++)
        if (found == NULL || analysis->witnesses.items[w].cycles > found->cycles)
            found = &analysis->witnesses.items[w];
    for (size_t s = 0; s < analysis->simulations.count; s++)
        if (by_rules && !analysis->simulations.items[s].work_conserving)
            continue;
        else if (slowest == NULL || analysis->simulations.items[s].cycles > slowest->cycles)
            slowest = &analysis->simulations.items[s];
    if (found == NULL && slowest == NULL) return WB_OK;
    if (found != NULL && (slowest == NULL || found->cycles >= slowest->cycles))
        return record_witness(analysis, found, kind_of(analysis, found->method), options, diagnostics,
                              schedule);
    const struct sim_policy *policy = policy_at(choose_index(slowest->policy, wb_policy_name));
    return record_policy(analysis, policy, options, diagnostics, schedule);
}

wb_status wb_schedule_worst(const wb_analysis *analysis, const wb_schedule_options *options,
                            wb_diagnostics *diagnostics, wb_schedule **schedule) {
    const char *objection = analysis_unsimulated(analysis);
    if (objection != NULL) return decline(analysis, objection, diagnostics);
    WB_TRY(record_longest(analysis, false, options, diagnostics, schedule));
    if (*schedule == NULL)
        return decline(analysis, "no execution is known: neither was anything simulated nor searched",
                       diagnostics);
    note_longest(analysis, &(*schedule)->info);
    return WB_OK;
}

wb_status analysis_longest_by_rules(const wb_analysis *analysis, wb_diagnostics *diagnostics,
                                    wb_schedule **schedule) {
    return record_longest(analysis, true, NULL, diagnostics, schedule);
}
