/* An exact method that shares nothing with the search over states: whether there is a schedule of at least so
 * many cycles is a question to a SAT solver, and its answers close in on the makespan from both sides. */
#include <assert.h>
#include <inttypes.h>

#include "base/cycles.h"
#include "wings/makespan/forms/methods.h"
#include "wings/makespan/forms/sat_cadical.h"
#include "wings/makespan/forms/sat_encoding.h"
#include "wings/makespan/method/closed.h"

/* "all" includes the method where it takes a second or two, by variables of the problem itself. */
#define SAT_VARIABLES_FIT 800

struct sat_search {
    const struct makespan_run *run;
    struct makespan_result *result; /* its bound is the interval so far */
    struct sat_encoding encoding;
    struct sat_solver *solver;
};

/* No schedule is shorter: as long as its longest string, and as the work of a unit type or of all needs. */
static uint64_t shortest_possible(const struct makespan_problem *problem) {
    uint64_t shortest = problem->instruction_count / problem->issue_limit;
    for (uint32_t g = 0; g < problem->group_count; g++)
        shortest = cycles_max(shortest, problem->groups[g].length);
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        uint64_t work = 0;
        for (uint32_t g = 0; g < problem->group_count; g++)
            work += problem_unit_count(problem, g, unit) * problem->groups[g].warps;
        shortest = cycles_max(shortest, work / problem->capacity[unit]);
    }
    return shortest;
}

/* What the solver asks while it works. */
static bool search_goes_on(void *user) {
    const struct sat_search *search = user;
    const wb_bound *bound = &search->result->bound;
    if (makespan_solver_spent(search->run, sat_solver_seconds(search->solver))) return false;
    return makespan_goes_on(search->run, "sat: longest schedule, proven bound", bound->lower, bound->cycles);
}

/* Warps that have executed the position by the end of the cycle, in the model: ranks are in order. */
static uint32_t done_count(const struct sat_search *search, uint32_t position, uint32_t cycle) {
    uint32_t count = 0;
    uint32_t beyond = done_ranks(&search->encoding.done, position) + 1;
    while (beyond - count > 1) {
        uint32_t middle = count + (beyond - count) / 2;
        literal done = done_literal(&search->encoding.done, position, middle, cycle);
        if (sat_solver_true(search->solver, done))
            count = middle;
        else
            beyond = middle;
    }
    return count;
}

/* The cycle in which all warps have finished, in the model. */
static uint32_t model_makespan(const struct sat_search *search) {
    const struct done_variables *done = &search->encoding.done;
    uint32_t cycle = 1;
    for (uint32_t g = 0; g < done->problem->group_count; g++)
        while (sat_solver_true(search->solver, unfinished_literal(done, g, cycle)))
            cycle++;
    return cycle;
}

/* Keeps the model's schedule as the witness; its makespan is the new lower end. */
static void keep_model(struct sat_search *search) {
    const struct makespan_problem *problem = search->run->problem;
    struct makespan_result *result = search->result;
    uint32_t positions = problem->position_count;
    uint32_t makespan = model_makespan(search);
    struct arena scratch = {0};
    arena_bind(&scratch, &result->arena);
    uint16_t *served = arena_array(&scratch, (size_t)makespan * positions, sizeof *served);
    for (uint32_t p = 0; p < positions; p++) {
        uint32_t before = 0;
        for (uint32_t t = 1; t <= makespan; t++) {
            uint32_t after = done_count(search, p, t);
            assert(after >= before);
            served[(size_t)(t - 1) * positions + p] = (uint16_t)(after - before);
            before = after;
        }
    }
    schedule_from_counts(problem, served, makespan, &result->arena, &result->witness);
    arena_free(&scratch);
    makespan_set_interval(&result->bound, makespan, result->bound.cycles);
}

static wb_status solver_failed(const struct sat_search *search) {
    diagnose(search->run->diagnostics, SEVERITY_WARNING, "sat",
             "CaDiCaL ended without an answer: it has no memory left; the worst case is from %" PRIu64
             " to %" PRIu64 " cycles",
             search->result->bound.lower, search->result->bound.cycles);
    return WB_ERR_LIMIT;
}

/* Asks whether there is a schedule of at least so many cycles, and moves an end of the interval. */
static wb_status ask(struct sat_search *search, uint64_t makespan) {
    literal at_least = sat_makespan_at_least(&search->encoding, makespan);
    switch (sat_solver_solve(search->solver, at_least)) {
    case SAT_SATISFIABLE: keep_model(search); return WB_OK;
    case SAT_UNSATISFIABLE: break;
    case SAT_STOPPED: return makespan_stopped(search->run, search->result);
    case SAT_FAILED: return solver_failed(search);
    }
    if (makespan <= search->result->bound.lower) {
        diagnose(search->run->diagnostics, SEVERITY_ERROR, "sat", "the clauses allow no schedule at all");
        return WB_ERR_INPUT;
    }
    sat_solver_fix(search->solver, -at_least);
    makespan_set_interval(&search->result->bound, search->result->bound.lower, makespan - 1);
    return WB_OK;
}

/* Asks until the ends meet. The first question has any schedule for an answer. */
static wb_status close_interval(void *context) {
    struct sat_search *search = context;
    const wb_bound *bound = &search->result->bound;
    WB_TRY(ask(search, bound->lower));
    while (bound->lower < bound->cycles)
        WB_TRY(ask(search, bound->lower + (bound->cycles - bound->lower + 1) / 2));
    return WB_OK;
}

/* Makes the clauses and a solver that has them. */
static wb_status prepare(struct sat_search *search) {
    const struct makespan_run *run = search->run;
    uint32_t horizon = (uint32_t)search->result->bound.cycles;
    wb_status status = sat_encode(run, horizon, SAT_COUNTING_CLAUSES, &search->encoding);
    if (status == WB_OK)
        search->solver =
            sat_solver_new(&search->encoding.cnf, makespan_memory(run->settings), search_goes_on, search);
    const bool too_large = search->encoding.cnf.failed;
    cnf_free(&search->encoding.cnf); /* the solver has its own */
    if (too_large) {
        diagnose(run->diagnostics, SEVERITY_WARNING, "sat",
                 "the clauses do not fit the memory limit; the worst case is from %" PRIu64 " to %" PRIu64
                 " cycles",
                 search->result->bound.lower, search->result->bound.cycles);
        return WB_ERR_LIMIT;
    }
    if (status != WB_OK) return makespan_stopped(run, search->result);
    return search->solver == NULL ? makespan_no_memory(run) : WB_OK;
}

static wb_status run_sat(const struct makespan_run *run, struct makespan_result *result) {
    makespan_set_interval(&result->bound, shortest_possible(run->problem), closed_bound(run->problem));
    makespan_assume_model(&result->bound);
    struct sat_search search = {.run = run, .result = result};
    WB_TRY(prepare(&search));
    /* A pass of its own: whatever ends it, the solver is ended. */
    wb_status status = makespan_with_memory(run, &result->arena, close_interval, &search);
    sat_solver_free(search.solver);
    return status;
}

/* Counts the variables of a problem, its arena protected. */
struct counting {
    const struct makespan_problem *problem;
    struct arena arena;
    bool few;
};

static void count_variables(void *context) {
    struct counting *counting = context;
    struct done_variables done;
    uint32_t horizon = (uint32_t)closed_bound(counting->problem);
    counting->few = done_variables_make(counting->problem, horizon, UINT64_MAX, &counting->arena, &done) &&
                    done.count <= SAT_VARIABLES_FIT;
}

static bool sat_fits(const struct makespan_problem *problem, wb_diagnostics *diagnostics) {
    struct counting counting = {.problem = problem};
    if (problem->instruction_count > SAT_VARIABLES_FIT) return false;
    if (arena_protect(&counting.arena, count_variables, &counting) != WB_OK)
        (void)diagnose_out_of_memory(diagnostics, "sat");
    arena_free(&counting.arena);
    return counting.few;
}

const struct makespan_method makespan_sat = {
    .name = "sat",
    .summary = "the cumulative form of the ILP as clauses, bisected with a SAT solver (small problems)",
    .run = run_sat,
    .missing = sat_cadical_missing,
    .fits = sat_fits,
};
