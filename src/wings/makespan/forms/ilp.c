#include "wings/makespan/forms/ilp.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/cycles.h"
#include "wings/makespan/forms/ilp_cbc.h"
#include "wings/makespan/forms/methods.h"

/* "all" includes a method for problems of so many instructions of all warps: most take a fraction of a second
 * then, while a few more instructions can make it several seconds, and soon minutes. */
#define PAPER_INSTRUCTIONS 12u
#define CUMULATIVE_INSTRUCTIONS 16u

/* The model may take this part of the memory: CBC keeps several copies of it. */
#define MODEL_MEMORY_SHARE 8u

/* By how much CBC's bound can be off: its tolerance, and far from the next cycle. */
#define BOUND_TOLERANCE 1e-6

static const struct ilp_form *const forms[] = {&ilp_form_short, &ilp_form_long, &ilp_form_cumulative};

const struct ilp_form *ilp_form_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strlen(forms[i]->name) == length && memcmp(forms[i]->name, name, length) == 0) return forms[i];
    return NULL;
}

wb_status ilp_make(const struct makespan_run *run, const struct ilp_form *form, struct ilp_instance *instance,
                   struct ilp_model *model) {
    uint64_t memory = makespan_memory(run->settings) / MODEL_MEMORY_SHARE;
    *model = (struct ilp_model){.arena = run->arena};
    wb_status status = ilp_instance_make(run->problem, run->arena, instance);
    if (status == WB_OK) status = form->build(instance, memory, model);
    if (status == WB_OK) return WB_OK;
    diagnose(run->diagnostics, SEVERITY_ERROR, form->name,
             "the integer linear program of %" PRIu64 " instructions is too large for the memory allowed",
             run->problem->instruction_count);
    return status;
}

wb_status ilp_write(const struct makespan_run *run, const struct ilp_form *form, ilp_writer *write,
                    struct text *out) {
    char title[100];
    struct ilp_instance instance;
    struct ilp_model model;
    WB_TRY(ilp_make(run, form, &instance, &model));
    (void)text_format(title, sizeof title, "%s, schedules of at most %" PRIu32 " cycles", form->name,
                      instance.horizon);
    write(&model, title, out);
    return out->failed ? diagnose_out_of_memory(run->diagnostics, form->name) : WB_OK;
}

/* The work-conserving schedule in which warps with small numbers go first, so that the last ones are late: a
 * first lower bound. `done` has a zero for every warp. */
static void schedule_by_priority(const struct ilp_instance *instance, uint32_t *done,
                                 struct schedule *schedule) {
    const struct makespan_problem *problem = instance->problem;
    uint64_t left = problem->instruction_count;
    for (uint32_t t = 1; left > 0; t++) {
        uint32_t used[ILP_RESOURCES] = {0};
        for (uint32_t w = 0; w < problem->warp_count; w++) {
            const struct ilp_warp *warp = &instance->warps[w];
            if (done[w] == warp->length || used[ILP_ISSUE] == problem->issue_limit) continue;
            uint32_t unit = warp->unit[done[w]];
            if (used[unit] == problem->capacity[unit]) continue;
            used[unit]++;
            used[ILP_ISSUE]++;
            schedule->cycle[warp->start + done[w]++] = t;
            left--;
        }
        schedule->makespan = t;
    }
}

void ilp_decode(const struct ilp_instance *instance, const struct ilp_form *form, const bool *one,
                struct schedule *schedule) {
    form->decode(instance, one, schedule);
    schedule->makespan = 0;
    for (uint64_t i = 0; i < instance->problem->instruction_count; i++)
        if (schedule->cycle[i] > schedule->makespan) schedule->makespan = schedule->cycle[i];
}

/* Puts CBC's schedule in the place of the first one if it is no shorter. */
static void take_schedule(const struct ilp_instance *instance, const struct ilp_form *form, const bool *one,
                          struct arena *arena, struct schedule *witness) {
    struct schedule found;
    schedule_make(instance->problem, arena, &found);
    ilp_decode(instance, form, one, &found);
    if (found.makespan < witness->makespan) return;
    memcpy(witness->cycle, found.cycle, instance->problem->instruction_count * sizeof *found.cycle);
    witness->makespan = found.makespan;
}

/* The upper end: CBC's bound, if it is better than the horizon and not refuted by the witness. */
static uint64_t upper_end(const struct ilp_instance *instance, const struct ilp_solution *solution,
                          uint64_t lower) {
    if (solution->bound >= instance->horizon) return instance->horizon;
    uint64_t upper = (uint64_t)floor(fmax(solution->bound, 0) + BOUND_TOLERANCE);
    return upper < lower ? instance->horizon : upper;
}

static wb_status run_form(const struct makespan_run *run, const struct ilp_form *form,
                          struct makespan_result *result) {
    struct ilp_instance instance;
    struct ilp_model model;
    struct ilp_solution solution;
    makespan_assume_model(&result->bound);
    assume(&result->bound, WB_ASSUME_SOLVER_ARITHMETIC);
    WB_TRY(ilp_make(run, form, &instance, &model));
    schedule_make(run->problem, &result->arena, &result->witness);
    schedule_by_priority(&instance, arena_array(run->arena, run->problem->warp_count, sizeof(uint32_t)),
                         &result->witness);
    wb_status status = ilp_cbc_solve(&model, run, form->name, &solution);
    if (status == WB_OK && solution.one != NULL)
        take_schedule(&instance, form, solution.one, run->arena, &result->witness);
    uint64_t lower = result->witness.makespan;
    makespan_set_interval(&result->bound, lower, upper_end(&instance, &solution, lower));
    if (status != WB_OK) return makespan_no_memory(run);
    if (solution.end == ILP_STOPPED) return makespan_stopped(run, result);
    if (solution.end == ILP_OPTIMAL) return WB_OK;
    diagnose(run->diagnostics, SEVERITY_ERROR, form->name,
             "CBC ended without an answer: it has no memory left, or its arithmetic failed");
    return WB_ERR_LIMIT;
}

static wb_status run_short(const struct makespan_run *run, struct makespan_result *result) {
    return run_form(run, &ilp_form_short, result);
}

static wb_status run_long(const struct makespan_run *run, struct makespan_result *result) {
    return run_form(run, &ilp_form_long, result);
}

static wb_status run_cumulative(const struct makespan_run *run, struct makespan_result *result) {
    return run_form(run, &ilp_form_cumulative, result);
}

static bool fits_paper(const struct makespan_problem *problem, wb_diagnostics *diagnostics) {
    (void)diagnostics;
    return problem->instruction_count <= PAPER_INSTRUCTIONS;
}

static bool fits_cumulative(const struct makespan_problem *problem, wb_diagnostics *diagnostics) {
    (void)diagnostics;
    return problem->instruction_count <= CUMULATIVE_INSTRUCTIONS;
}

const struct makespan_method makespan_ilp_short = {
    .name = "ilp-short",
    .summary = "integer linear program with short work-conserving rows (ECRTS 2012, corrected), by CBC",
    .run = run_short,
    .missing = ilp_cbc_missing,
    .fits = fits_paper,
};

const struct makespan_method makespan_ilp_long = {
    .name = "ilp-long",
    .summary = "the same with long rows, one per warp, unit type and cycle",
    .run = run_long,
    .missing = ilp_cbc_missing,
    .fits = fits_paper,
};

const struct makespan_method makespan_ilp_cumulative = {
    .name = "ilp-cumulative",
    .summary = "an equivalent program in variables that are easier for solvers, by CBC",
    .run = run_cumulative,
    .missing = ilp_cbc_missing,
    .fits = fits_cumulative,
};
