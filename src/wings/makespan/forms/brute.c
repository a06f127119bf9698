/* Every schedule, by memoised enumeration: the longest time that remains of a state, found from those of its
 * successors. It is written to be plain, not fast: the tests hold the other methods against it. */
#include <assert.h>
#include <string.h>

#include "base/containers.h"
#include "wings/makespan/forms/methods.h"

/* The enumeration recurses: once for every position of every cycle. */
#define BRUTE_DEPTH_MAX 20000u

/* "all" includes the method where a warp has few states together with the others, by a rough count. */
#define BRUTE_STATES_MAX 2e5

/* A state: counts[p] warps stand at position p, the others have finished. */
struct brute {
    const struct makespan_run *run;
    const struct makespan_problem *problem;
    struct key_table remaining; /* of each state seen: the cycles of the longest schedule from there */
    uint16_t *rows;             /* two states for each cycle of the schedule that is being enumerated */
    uint64_t visited;
};

/* A cycle in the making: `next` is what becomes of `counts` when all positions before the one that is being
 * decided have served what they serve. */
struct cycle_choice {
    uint32_t cycle; /* from 0 */
    const uint16_t *counts;
    uint16_t *next;
    uint16_t *served; /* per position; NULL: not wanted */
    uint32_t unit_left[UNIT_TYPES];
    uint32_t issue_left;
    uint32_t best;   /* longest remaining time of a successor so far */
    uint32_t wanted; /* stop at a successor with this remaining time; UINT32_MAX: try all */
};

static wb_status longest_from(struct brute *brute, uint32_t cycle, const uint16_t *counts, uint32_t *cycles);

/* How many warps execute in a cycle: work-conserving, so as many as units and issue limit let. */
static void open_choice(const struct makespan_problem *problem, struct cycle_choice *choice) {
    uint32_t ready[UNIT_TYPES] = {0};
    for (uint32_t p = 0; p < problem->position_count; p++)
        ready[problem->unit[p]] += choice->counts[p];
    for (uint32_t unit = 0; unit < UNIT_TYPES; unit++) {
        uint32_t room = problem->capacity[unit];
        choice->unit_left[unit] = ready[unit] < room ? ready[unit] : room;
        choice->issue_left += choice->unit_left[unit];
    }
    if (choice->issue_left > problem->issue_limit) choice->issue_left = problem->issue_limit;
}

/* Decides how many warps execute position p and those behind it, in every way. Returns WB_OK with
 * choice->best == choice->wanted as soon as a wanted successor is found; choice->next is then that. */
static wb_status decide(struct brute *brute, struct cycle_choice *choice, uint32_t p) {
    const struct makespan_problem *problem = brute->problem;
    if (choice->issue_left == 0) {
        uint32_t cycles;
        WB_TRY(longest_from(brute, choice->cycle + 1, choice->next, &cycles));
        if (cycles > choice->best || cycles == choice->wanted) choice->best = cycles;
        return WB_OK;
    }
    if (p == problem->position_count) return WB_OK;
    uint32_t *left = &choice->unit_left[problem->unit[p]];
    uint32_t most = choice->counts[p] < *left ? choice->counts[p] : *left;
    if (most > choice->issue_left) most = choice->issue_left;
    for (uint32_t serve = 0; serve <= most; serve++) {
        choice->next[p] = (uint16_t)(choice->next[p] - serve);
        if (!problem->last[p]) choice->next[p + 1] = (uint16_t)(choice->next[p + 1] + serve);
        if (choice->served != NULL) choice->served[p] = (uint16_t)serve;
        *left -= serve;
        choice->issue_left -= serve;
        WB_TRY(decide(brute, choice, p + 1));
        if (choice->best == choice->wanted) return WB_OK;
        *left += serve;
        choice->issue_left += serve;
        choice->next[p] = (uint16_t)(choice->next[p] + serve);
        if (!problem->last[p]) choice->next[p + 1] = (uint16_t)(choice->next[p + 1] - serve);
    }
    if (choice->served != NULL) choice->served[p] = 0;
    return WB_OK;
}

static bool finished(const struct makespan_problem *problem, const uint16_t *counts) {
    for (uint32_t p = 0; p < problem->position_count; p++)
        if (counts[p] > 0) return false;
    return true;
}

/* The cycles of the longest schedule from a state that is not in the table, in the rows of its cycle: the key
 * may change meanwhile, as it is another cycle's `next`. */
static wb_status explore(struct brute *brute, uint32_t cycle, const uint16_t *key, uint32_t *cycles) {
    const size_t positions = brute->problem->position_count;
    if (!makespan_goes_on(brute->run, "brute: states", ++brute->visited, 0)) {
        diagnose(brute->run->diagnostics, SEVERITY_ERROR, "brute",
                 "stopped at a limit of time or by the user before all schedules were enumerated");
        return WB_ERR_LIMIT;
    }
    assert(cycle < brute->problem->instruction_count);
    uint16_t *counts = brute->rows + 2 * cycle * positions;
    struct cycle_choice choice = {
        .cycle = cycle, .counts = counts, .next = counts + positions, .wanted = UINT32_MAX};
    memcpy(counts, key, positions * sizeof *counts);
    memcpy(choice.next, key, positions * sizeof *counts);
    open_choice(brute->problem, &choice);
    WB_TRY(decide(brute, &choice, 0));
    *cycles = choice.best + 1;
    return WB_OK;
}

/* Of a state that is reached behind so many cycles. */
static wb_status longest_from(struct brute *brute, uint32_t cycle, const uint16_t *counts, uint32_t *cycles) {
    if (finished(brute->problem, counts)) {
        *cycles = 0;
        return WB_OK;
    }
    const uint8_t *key = (const uint8_t *)counts;
    size_t length = brute->problem->position_count * sizeof *counts;
    uint32_t hash;
    if (key_table_find(&brute->remaining, key, length, &hash, cycles)) return WB_OK;
    const uint8_t *kept = key_table_keep(&brute->remaining, key, length);
    if (kept == NULL) return makespan_no_memory(brute->run);
    WB_TRY(explore(brute, cycle, counts, cycles));
    if (key_table_insert(&brute->remaining, kept, hash, *cycles) != WB_OK)
        return makespan_no_memory(brute->run);
    return WB_OK;
}

/* The longest schedule: walks along successors that keep the longest remaining time, from `counts`, which is
 * used up. */
static wb_status make_witness(struct brute *brute, uint16_t *counts, uint32_t cycles,
                              struct makespan_result *result) {
    const size_t positions = brute->problem->position_count;
    uint16_t *served = arena_array(brute->run->arena, cycles * positions, sizeof *served);
    uint16_t *next = arena_array(brute->run->arena, positions, sizeof *next);
    for (uint32_t t = 0; t < cycles; t++) {
        struct cycle_choice choice = {.cycle = t, .counts = counts, .next = next, .wanted = cycles - t - 1};
        choice.served = served + t * positions;
        choice.best = UINT32_MAX; /* no successor yet */
        memcpy(next, counts, positions * sizeof *next);
        open_choice(brute->problem, &choice);
        WB_TRY(decide(brute, &choice, 0));
        memcpy(counts, next, positions * sizeof *counts);
    }
    schedule_from_counts(brute->problem, served, cycles, &result->arena, &result->witness);
    return WB_OK;
}

static wb_status run_brute(const struct makespan_run *run, struct makespan_result *result) {
    const struct makespan_problem *problem = run->problem;
    struct brute brute = {.run = run, .problem = problem};
    if (problem->instruction_count * problem->position_count > BRUTE_DEPTH_MAX) {
        diagnose(run->diagnostics, SEVERITY_ERROR, "brute", "too many warps or instructions to enumerate");
        return WB_ERR_LIMIT;
    }
    const size_t states = 2 * problem->instruction_count;
    brute.rows = arena_array(run->arena, states * problem->position_count, sizeof *brute.rows);
    uint16_t *counts = arena_array(run->arena, problem->position_count, sizeof *counts);
    for (uint32_t g = 0; g < problem->group_count; g++)
        counts[problem->groups[g].first] = (uint16_t)problem->groups[g].warps;
    brute.remaining.arena.limit = makespan_memory(run->settings);
    arena_bind(&brute.remaining.arena, run->arena);
    uint32_t cycles = 0;
    wb_status status = longest_from(&brute, 0, counts, &cycles);
    if (status == WB_OK) status = make_witness(&brute, counts, cycles, result);
    key_table_free(&brute.remaining);
    WB_TRY(status);
    makespan_set_interval(&result->bound, cycles, cycles);
    makespan_assume_model(&result->bound);
    return WB_OK;
}

/* Multisets of warps of each group over its positions and "finished". */
static bool brute_fits(const struct makespan_problem *problem, wb_diagnostics *diagnostics) {
    (void)diagnostics;
    if (problem->instruction_count * problem->position_count > BRUTE_DEPTH_MAX) return false;
    double states = 1;
    for (uint32_t g = 0; g < problem->group_count && states <= BRUTE_STATES_MAX; g++) {
        const struct string_group *group = &problem->groups[g];
        for (uint32_t i = 1; i <= group->length && states <= BRUTE_STATES_MAX; i++)
            states = states * (double)(group->warps + i) / (double)i;
    }
    return states <= BRUTE_STATES_MAX;
}

const struct makespan_method makespan_brute = {
    .name = "brute",
    .summary = "every schedule, by plain enumeration of states (small problems)",
    .run = run_brute,
    .fits = brute_fits,
};
