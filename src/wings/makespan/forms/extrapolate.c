/* The extrapolation of ECRTS'12, eq. (42) and (43): the least ceil(W / y) * T(y) for y = 1 .. x, where T(y)
 * is the exact worst case of y warps. The paper calls it safe; docs/makespan-proofs.md, section 7, refutes
 * it. */
#include "base/cycles.h"
#include "wings/makespan/exact/exact.h"
#include "wings/makespan/forms/methods.h"

/* Without a choice of x, as many warps as have at most so many states. */
#define EXTRAPOLATE_STATES 2e5

/* "all" includes strings up to this length. */
#define EXTRAPOLATE_LENGTH 100u

/* States of `warps` warps with a string of `length` instructions, roughly. */
static double state_count(uint32_t warps, uint32_t length) {
    double states = 1;
    for (uint32_t i = 1; i <= warps && states <= EXTRAPOLATE_STATES; i++)
        states = states * (double)(length + i) / (double)i;
    return states;
}

/* The x that the user chose, else one that is quick and leaves something to extrapolate. */
static uint32_t choose_x(const struct makespan_run *run) {
    const struct makespan_problem *problem = run->problem;
    uint32_t x = run->settings->extrapolate_from;
    if (x != 0) return x < problem->warp_count ? x : problem->warp_count;
    uint32_t most = problem->warp_count / 2 > 0 ? problem->warp_count / 2 : 1;
    for (x = 1; x < most && state_count(x + 1, problem->groups[0].length) <= EXTRAPOLATE_STATES; x++)
        ;
    return x;
}

/* T(y), exactly; WB_ERR_LIMIT where that cannot be had. */
static wb_status solve_few(const struct makespan_run *run, uint32_t warps, cycles *worst) {
    const struct makespan_problem *all = run->problem;
    const struct string_use use = {warps, all->unit, all->groups[0].length};
    struct makespan_problem few;
    wb_status status = problem_make(&use, 1, all->capacity, all->issue_limit, &few);
    struct makespan_run inner = *run;
    struct makespan_result result = {0};
    struct makespan_settings left = *run->settings;
    inner.problem = &few;
    inner.settings = &left;
    if (run->end != 0) left.time_limit = run->end - clock_elapsed();
    if (run->processor_end != 0) left.processor_limit = run->processor_end - clock_processor();
    if (status == WB_OK && (left.time_limit < 0 || left.processor_limit < 0)) status = WB_ERR_LIMIT;
    if (status == WB_OK) status = makespan_solve(&makespan_exact, &inner, &result);
    if (status == WB_OK && result.bound.kind != WB_EXACT) status = WB_ERR_LIMIT;
    *worst = result.bound.cycles;
    makespan_result_free(&result);
    problem_free(&few);
    return status;
}

static wb_status run_extrapolate(const struct makespan_run *run, struct makespan_result *result) {
    const struct makespan_problem *problem = run->problem;
    if (problem->group_count > 1) {
        diagnose(run->diagnostics, SEVERITY_ERROR, "extrapolate",
                 "eq. (42) of ECRTS 2012 is for identical warps");
        return WB_ERR_DECLINED;
    }
    uint32_t x = choose_x(run);
    cycles least = CYCLES_SATURATED;
    uint32_t least_y = 0;
    wb_status cut = WB_OK;
    for (uint32_t y = 1; y <= x; y++) {
        cycles worst;
        wb_status status = solve_few(run, y, &worst);
        if (status == WB_ERR_LIMIT && y > 1) {
            diagnose(run->diagnostics, SEVERITY_WARNING, "extrapolate",
                     "the exact worst case of %u warps was not found within the limits; x is %u", y, y - 1);
            x = y - 1;
            cut = status;
            break;
        }
        WB_TRY(status);
        cycles estimate = cycles_mul((problem->warp_count + y - 1) / y, worst);
        if (estimate < least) {
            least = estimate;
            least_y = y;
        }
    }
    wb_bound *bound = &result->bound;
    bound->kind = WB_ESTIMATE;
    bound->cycles = least;
    bound->reason =
        makespan_text(result,
                      "eq. (42) of ECRTS 2012, here from T(%u) with x = %u, is no bound: LCL with one "
                      "unit of each type takes 4 cycles for 2 warps, 9 for 4",
                      least_y, x);
    makespan_assume_model(bound);
    return cut;
}

static bool extrapolate_fits(const struct makespan_problem *problem, wb_diagnostics *diagnostics) {
    (void)diagnostics;
    return problem->group_count == 1 && problem->warp_count > 1 &&
           problem->groups[0].length <= EXTRAPOLATE_LENGTH;
}

const struct makespan_method makespan_extrapolate = {
    .name = "extrapolate",
    .summary = "least ceil(W / y) * T(y) for y up to x warps (ECRTS 2012, eq. 42 and 43)",
    .run = run_extrapolate,
    .fits = extrapolate_fits,
};
