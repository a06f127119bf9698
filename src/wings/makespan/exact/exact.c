/* The worst case by an upper bound and a schedule that meet, or the interval between them
 * (docs/makespan-proofs.md, T1 to T6). Steps are taken in the order of what they cost, until the interval is
 * closed: the closed form; the exact tail; the run table, or segment abstractions where it is too large; then
 * rounds of a beam search and a complete search, each with more states, in one of them with a larger tail. */
#include "wings/makespan/exact/exact.h"

#include <assert.h>

#include "base/cycles.h"
#include "wings/makespan/exact/layer_search.h"
#include "wings/makespan/method/closed.h"
#include "wings/makespan/segment/bound.h"
#include "wings/makespan/states/exact_tail.h"

/* A beam so narrow finds a schedule to begin with. */
#define BEAM_WIDTH_FIRST 8u

/* States of the first round: of each layer of the beam, and of the complete search. Every further round has
 * so many times as many; the larger tail is made at the beginning of a round that costs about as much. */
#define BEAM_WIDTH 64u
#define SEARCH_WORK UINT64_C(2000000)
#define ROUND_FACTOR 8u
#define ROUND_OF_TAIL 2u

/* Successors of one kind that a complete search looks at; with more it would not come to an end. */
#define SEARCH_SUCCESSORS 20000u

/* States that a beam may expand in all layers, and steps of warps in which a schedule may be made. */
#define BEAM_STATES UINT64_C(4000000)
#define WITNESS_STEPS UINT64_C(4000000000)

/* A table of more cells takes longer than a bound by segments. */
#define TABLE_CELLS_LONG UINT64_C(1000000000)

/* The part of the time limit that segments may take before such a table. */
#define SEGMENTS_TIME_SHARE 0.1

/* Parts of the memory for tables: the rest is for searches. */
#define TABLE_MEMORY_PARTS 3u
#define MEMORY_PARTS 4u

struct exact {
    const struct makespan_run *run;
    const struct makespan_problem *problem;
    const struct exact_limits *limits;
    struct makespan_result *result;
    uint64_t memory;
    struct run_list runs;
    struct arena tail_arena;
    struct exact_tail tail;
    struct arena table_arena;
    struct run_table table;
    bool has_table; /* full, or an estimate of all states but the initial one */
    bool stopped;   /* makespan_goes_on said no */
    bool short_of_memory;
};

static bool is_open(const struct exact *exact) {
    return exact->result->bound.lower < exact->result->bound.cycles && !exact->stopped;
}

static void lower_upper(struct exact *exact, uint64_t upper) {
    wb_bound *bound = &exact->result->bound;
    makespan_set_interval(bound, bound->lower, cycles_min(bound->cycles, upper));
}

/* Takes a schedule through these states, which is longer than the one there is. */
static void take_schedule(struct exact *exact, const uint16_t *states, uint32_t state_count) {
    struct makespan_result *result = exact->result;
    assert(state_count > 0);
    exact_witness(&exact->tail, states, state_count, &result->arena, &result->witness);
    makespan_set_interval(&result->bound, result->witness.makespan, result->bound.cycles);
}

/* No schedule is shorter than its longest string, or than its instructions need on full units. */
static uint64_t least_makespan(const struct makespan_problem *problem) {
    uint64_t least = 0;
    uint64_t total[UNIT_TYPES] = {0};
    for (uint32_t g = 0; g < problem->group_count; g++) {
        least = cycles_max(least, problem->groups[g].length);
        for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
            total[unit] += problem->groups[g].warps * problem_unit_count(problem, g, unit);
    }
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++)
        least = cycles_max(least, (total[unit] + problem->capacity[unit] - 1) / problem->capacity[unit]);
    uint64_t issue = problem->issue_limit;
    return cycles_max(least, (problem->instruction_count + issue - 1) / issue);
}

/* The most warps, up to `most`, of an exact tail within the limits; 0 where there is none. */
static uint32_t tail_warps(const struct exact *exact, uint32_t most) {
    return exact_tail_warps(exact->problem, most, exact->limits->tail_states, exact->memory / MEMORY_PARTS);
}

/* Empties an arena of the method for something new. */
static struct arena *renew(const struct exact *exact, struct arena *arena) {
    if (arena->bound_to != NULL) arena_free(arena);
    arena_bind(arena, exact->run->arena);
    return arena;
}

/* Makes the exact tail of so many warps; false when it was stopped. */
static bool make_tail(struct exact *exact, uint32_t warps) {
    bool made = exact_tail_make(exact->run, warps, renew(exact, &exact->tail_arena), &exact->tail);
    if (!made) exact->stopped = true;
    return made;
}

/* The whole problem where the tail has all warps. */
static void take_tail(struct exact *exact) {
    uint16_t *initial = arena_array(exact->run->arena, exact->problem->position_count, sizeof *initial);
    state_initial(exact->problem, initial);
    lower_upper(exact, exact_tail_cycles(&exact->tail, initial));
    take_schedule(exact, initial, 1);
}

/* What takes the place of a table that is too large. */
static void bound_by_segments(struct exact *exact) {
    lower_upper(exact, segment_bound(exact->run, exact->result->bound.lower));
    exact->stopped = !makespan_goes_on(exact->run, "exact: segments", 1, 1);
}

/* Before a long table under a time limit: the limit may end the table, and this bound remains. */
static void bound_in_case(struct exact *exact) {
    struct makespan_run quick = *exact->run;
    double now = clock_elapsed();
    quick.end = now + (exact->run->end - now) * SEGMENTS_TIME_SHARE;
    lower_upper(exact, segment_bound(&quick, exact->result->bound.lower));
}

/* Makes the run table, the whole of it if that fits, and takes its bound. */
static void make_table(struct exact *exact) {
    const struct run_table_size size = run_table_measure(&exact->runs, exact->run->arena);
    struct arena *arena = renew(exact, &exact->table_arena);
    exact->has_table = false;
    uint64_t memory = exact->memory / MEMORY_PARTS * TABLE_MEMORY_PARTS;
    if (size.cells > exact->limits->table_cells) return;
    if (size.layout_bytes > memory) {
        exact->short_of_memory = true;
        return;
    }
    memory -= size.layout_bytes;
    bool full = size.cells <= memory / sizeof(int16_t);
    if (exact->run->end != 0 && size.cells > TABLE_CELLS_LONG && exact->limits->segments)
        bound_in_case(exact);
    switch (run_table_make(exact->run, &exact->runs, &exact->tail, full, memory, arena, &exact->table)) {
    case RUN_TABLE_STOPPED: exact->stopped = true; break;
    case RUN_TABLE_TOO_LARGE: exact->short_of_memory = true; break;
    case RUN_TABLE_MADE:
        lower_upper(exact, exact->table.initial);
        exact->has_table = true;
        return;
    }
    (void)renew(exact, arena);
}

/* Searches for schedules that are longer than the target, with what the plan has set beside it. */
static struct layer_search_result search(struct exact *exact, struct layer_search_plan *plan) {
    struct arena scratch = {0};
    plan->runs = &exact->runs;
    plan->tail = &exact->tail;
    plan->table = exact->has_table ? &exact->table : NULL;
    plan->memory = exact->memory / MEMORY_PARTS;
    arena_bind(&scratch, exact->run->arena);
    struct layer_search_result found = layer_search(exact->run, plan, &scratch);
    if (found.stopped) exact->stopped = true;
    if (found.state_count > 0) take_schedule(exact, found.states, found.state_count);
    if (found.complete) lower_upper(exact, found.makespan);
    arena_free(&scratch);
    found.states = NULL;
    return found;
}

/* A beam search for a schedule that is longer than the longest known one. If it left nothing out, it closes
 * the interval. */
static void search_beam(struct exact *exact, uint32_t width) {
    uint64_t lower = exact->result->bound.lower;
    struct layer_search_plan plan = {.target =
                                         (uint32_t)(exact->result->witness.cycle == NULL ? lower - 1 : lower),
                                     .width = width,
                                     .most = width,
                                     .successors = UINT64_MAX};
    (void)search(exact, &plan);
}

/* The widest beam whose states, as many in every layer, fit the memory and the work that is worth it. */
static uint32_t widest_beam(const struct exact *exact) {
    const struct makespan_problem *problem = exact->problem;
    if (cycles_mul(exact->result->bound.cycles, problem->warp_count) > WITNESS_STEPS) return 0;
    uint64_t state = problem->position_count * sizeof(uint16_t) + sizeof(uint32_t);
    uint64_t widest =
        cycles_min(exact->memory / MEMORY_PARTS / 2 / state, BEAM_STATES) / problem->instruction_count;
    return (uint32_t)cycles_min(widest, exact->limits->width);
}

/* Lowers the upper end by proving that no schedule reaches it, or finds one that does; with so much work. */
static void search_all(struct exact *exact, uint64_t work) {
    while (work > 0 && is_open(exact)) {
        struct layer_search_plan plan = {.target = (uint32_t)(exact->result->bound.cycles - 1),
                                         .width = UINT32_MAX,
                                         .most = SEARCH_SUCCESSORS,
                                         .successors = work};
        const struct layer_search_result found = search(exact, &plan);
        if (!found.complete) return;
        work -= cycles_min(work, found.successors);
    }
}

/* A larger tail, and the run table on top of it: its bounds are lower. */
static void enlarge_tail(struct exact *exact) {
    const struct run_table_size size = run_table_measure(&exact->runs, exact->run->arena);
    uint32_t warps = tail_warps(exact, exact->limits->tail_warps_later);
    if (warps <= exact->tail.warps || size.cells > exact->limits->table_cells_anew) return;
    if (make_tail(exact, warps)) make_table(exact);
}

/* Closes the interval from both sides, with more and more work. Without a table as a guide much of it is not
 * worth its time. */
static void search_in_rounds(struct exact *exact) {
    const struct exact_limits *limits = exact->limits;
    uint64_t widest = exact->has_table ? widest_beam(exact) : cycles_min(widest_beam(exact), BEAM_WIDTH);
    uint64_t most = exact->has_table ? limits->search_work : limits->search_work_blind;
    uint64_t width = BEAM_WIDTH;
    uint64_t work = SEARCH_WORK;
    for (uint32_t round = 0; is_open(exact); round++) {
        if (round == ROUND_OF_TAIL) enlarge_tail(exact);
        if (width <= widest && is_open(exact)) search_beam(exact, (uint32_t)width);
        bool proves = !exact->has_table || exact->table.full;
        if (proves) search_all(exact, cycles_min(work, most));
        if (work >= most && width >= widest) return;
        width *= ROUND_FACTOR;
        work *= ROUND_FACTOR;
    }
}

static void narrow(struct exact *exact) {
    uint32_t warps = tail_warps(exact, exact->limits->tail_warps);
    exact->short_of_memory = warps == 0 && exact_tail_size(exact->problem, 1) != UINT64_MAX;
    if (warps == 0 || exact->problem->warp_count > UINT16_MAX) return;
    run_list_make(exact->problem, exact->run->arena, &exact->runs);
    bool made = make_tail(exact, warps);
    if (made && warps == exact->problem->warp_count) {
        take_tail(exact);
        return;
    }
    uint32_t width = (uint32_t)cycles_min(BEAM_WIDTH_FIRST, widest_beam(exact));
    if (made && width > 0) search_beam(exact, width);
    if (is_open(exact)) make_table(exact);
    if (is_open(exact) && !exact->has_table && exact->limits->segments) bound_by_segments(exact);
    search_in_rounds(exact);
}

wb_status exact_solve(const struct makespan_run *run, const struct exact_limits *limits,
                      struct makespan_result *result) {
    struct exact exact = {.run = run,
                          .problem = run->problem,
                          .limits = limits,
                          .result = result,
                          .memory = makespan_memory(run->settings)};
    makespan_assume_model(&result->bound);
    makespan_set_interval(&result->bound, least_makespan(run->problem), closed_bound(run->problem));
    narrow(&exact);
    arena_free(&exact.table_arena);
    arena_free(&exact.tail_arena);
    bool limited = exact.stopped || (exact.short_of_memory && run->settings->memory != 0);
    if (limited && result->bound.kind != WB_EXACT) return makespan_stopped(run, result);
    return WB_OK;
}

static wb_status run_exact(const struct makespan_run *run, struct makespan_result *result) {
    static const struct exact_limits limits = EXACT_LIMITS_DEFAULTS;
    return exact_solve(run, &limits, result);
}

const struct makespan_method makespan_exact = {
    .name = "exact",
    .summary = "upper bounds of states and a search for the schedule that takes as long",
    .run = run_exact,
};
