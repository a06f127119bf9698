#include "exact_check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bound/search/grid_search.h"
#include "counts.h"
#include "faster_grid.h"
#include "naive_grid_explorer.h"
#include "random_policy.h"

/* States and steps after which a search is given up, and how many faster grids are searched. */
#define SEARCH_STATES 20000
#define NAIVE_STEPS 20000
#define FASTER 3

static const uint32_t depths[] = {0, 0, 1, 2, 3, DEPTH_UNLIMITED};
static const uint32_t queues[] = {1, 2, 3, DEPTH_UNLIMITED};

/* Blocks of few instructions, on up to so many sub-cores, and one SM or two. */
const struct exact_family exact_families[EXACT_FAMILIES] = {
    {"chains on two sub-cores",
     {.block = {SHAPE_BLOCK(2, 3, 5, 2, 3), SHAPE_SM(1, 2, 1)},
      SHAPE_GRID(depths, 1, 7, 1, 2),
      .free_percent = 100}},
    {"kinds of blocks on three sub-cores",
     {.block = {SHAPE_BLOCK(2, 3, 4, 3, 2), SHAPE_SM(1, 3, 1)},
      SHAPE_GRID(depths, 3, 6, 1, 3),
      .free_percent = 100}},
    {"barriers on two sub-cores",
     {.block = {SHAPE_BLOCK(2, 3, 4, 2, 4), SHAPE_SM(1, 2, 1), .barrier_percent = 35, .real_percent = 10,
                .release = 2},
      SHAPE_GRID(depths, 2, 6, 1, 2),
      .free_percent = 100}},
    {"barriers and queues",
     {.block = {SHAPE_BLOCK(2, 4, 4, 2, 4), SHAPE_SM(1, 2, 1), .barrier_percent = 30, .alias_percent = 30},
      SHAPE_GRID(queues, 2, 5, 1, 2),
      .free_percent = 100}},
    {"two SMs",
     {.block = {SHAPE_BLOCK(2, 3, 4, 2, 2), SHAPE_SM(1, 2, 1), .barrier_percent = 15},
      SHAPE_GRID(depths, 2, 6, 2, 2),
      .free_percent = 100}},
    {"wide, with several instances",
     {.block = {SHAPE_BLOCK(2, 4, 4, 4, 2), .barrier_percent = 15, .real_percent = 10, .alias_percent = 30,
                SHAPE_SM(2, 2, 2), .release = 2},
      SHAPE_GRID(depths, 2, 5, 1, 2),
      .free_percent = 100}},
    {"two instructions of a warp",
     {.block = {SHAPE_BLOCK(3, 3, 4, 2, 3), SHAPE_SM(1, 2, 1), .barrier_percent = 15, .alias_percent = 30,
                .per_warp = 2},
      SHAPE_GRID(depths, 2, 5, 1, 2),
      .free_percent = 100}},
    {"a dispatcher that takes time",
     {.block = {SHAPE_BLOCK(2, 3, 3, 2, 2), SHAPE_SM(1, 3, 1), .barrier_percent = 20, .release = 2},
      SHAPE_GRID(depths, 2, 5, 2, 2),
      .dispatch_latency = 3,
      .dispatch_service = 2,
      .free_percent = 20}},
};

/* A grid as stated with its bounds, and what was seen of it. */
struct checked {
    const struct random_grid *stated;
    const struct proven_bounds *proven;
    cycles longest; /* of all its executions that were searched */
    struct exact_census *census;
    struct text *violation;
};

/* Ends a message: what was stated, and what of it was executed. */
static bool violated(const struct checked *checked, const struct random_grid *grid) {
    text_printf(checked->violation, "\n%s", checked->stated->label);
    if (grid != checked->stated) text_printf(checked->violation, "\n%s", grid->label);
    return false;
}

/* Policies that issue whenever they can, on the grid as its dispatcher has it. */
static bool simulations_hold(const struct checked *checked, const struct random_grid *grid, uint64_t seed,
                             cycles exact) {
    const struct random_policy by_chance = random_policy_seeded(seed);
    const struct sim_policy *policy = &by_chance.policy;
    for (size_t p = 0; policy != NULL; policy = policy_at(p++)) {
        if (!policy->work_conserving || policy_misfit(policy, grid->block.timed.machine) != NULL) continue;
        const cycles time = random_grid_simulate(grid, policy, NULL);
        if (time <= exact) continue;
        text_printf(checked->violation, "%s takes %" PRIu64 ", but exact is %" PRIu64, policy->name, time,
                    exact);
        return violated(checked, grid);
    }
    return true;
}

static bool naive_agrees(const struct checked *checked, const struct random_grid *grid, cycles exact) {
    const cycles again = naive_grid_explore(&grid->block, NAIVE_STEPS);
    checked->census->again += again != 0;
    if (again == 0 || again == exact) return true;
    text_printf(checked->violation, "exact is %" PRIu64 ", but %" PRIu64 " by the naive search", exact,
                again);
    return violated(checked, grid);
}

static bool bounds_hold(const struct checked *checked, const struct random_grid *grid, cycles exact) {
    for (size_t i = 0; i < checked->proven->count; i++) {
        if (checked->proven->cycles[i] >= exact) continue;
        text_printf(checked->violation, "%s is %" PRIu64 ", but exact is %" PRIu64, grid_formula_at(i)->name,
                    checked->proven->cycles[i], exact);
        return violated(checked, grid);
    }
    return true;
}

/* An execution of what is stated: itself, or one that is faster. */
static bool execution_holds(struct checked *checked, const struct random_grid *grid, uint64_t seed,
                            bool naive) {
    struct grid_bounds bounds;
    grid_bounds_begin(&bounds, grid);
    const cycles exact = grid_bounds_exact(&bounds, SEARCH_STATES);
    grid_bounds_end(&bounds);
    checked->census->unsearched += exact == 0;
    if (exact == 0) return true;
    checked->census->searched++;
    checked->longest = cycles_max(checked->longest, exact);
    return (!naive || naive_agrees(checked, grid, exact)) && simulations_hold(checked, grid, seed, exact) &&
           bounds_hold(checked, grid, exact);
}

static bool faster_holds(struct checked *checked, uint64_t seed, bool naive) {
    struct random_grid *grid = malloc(sizeof *grid);
    if (grid == NULL) abort();
    faster_grid_make(seed, checked->stated, grid);
    const bool holds = execution_holds(checked, grid, seed, naive);
    random_grid_free(grid);
    free(grid);
    return holds;
}

static void count(const struct checked *checked) {
    const struct proven_bounds *proven = checked->proven;
    cycles least = CYCLES_SATURATED, most = 0;
    for (size_t i = 0; i < proven->count; i++) {
        if (proven->cycles[i] == CYCLES_SATURATED) continue;
        least = cycles_min(least, proven->cycles[i]);
        most = cycles_max(most, proven->cycles[i]);
    }
    for (size_t i = 0; i < proven->count; i++) {
        if (proven->cycles[i] == CYCLES_SATURATED) continue;
        checked->census->bounded[i]++;
        checked->census->attained[i] += proven->cycles[i] == checked->longest;
        checked->census->least[i] += proven->cycles[i] == least && least < most;
    }
}

bool exact_check(const struct exact_family *family, uint64_t seed, bool naive, struct exact_census *census,
                 struct text *violation) {
    struct random_grid *grid = malloc(sizeof *grid);
    struct proven_bounds proven;
    if (grid == NULL) abort();
    random_grid_make(seed, &family->shape, grid);
    proven_bounds_make(grid, &proven);
    struct checked checked = {.stated = grid, .proven = &proven, .census = census, .violation = violation};
    bool holds = execution_holds(&checked, grid, seed, naive);
    for (uint64_t f = 0; f < FASTER && holds && checked.longest > 0; f++)
        holds = faster_holds(&checked, FASTER * seed + f, naive);
    if (checked.longest > 0) count(&checked);
    random_grid_free(grid);
    free(grid);
    return holds;
}

void exact_census_print(const struct exact_census *census, struct text *out) {
    text_printf(out, "%" PRIu64 " executions searched, %" PRIu64 " not, %" PRIu64 " twice;", census->searched,
                census->unsearched, census->again);
    for (size_t i = 0; grid_formula_at(i) != NULL && i < FORMULAS_MAX; i++)
        if (census->bounded[i] > 0)
            text_printf(out, " %s attained in %.0f %%, least in %.0f %%;", grid_formula_at(i)->name,
                        100.0 * (double)census->attained[i] / (double)census->bounded[i],
                        100.0 * (double)census->least[i] / (double)census->bounded[i]);
}

void exact_census_count(const struct exact_census *census, const char *family, FILE *counts) {
    char what[64];
    counts_add(counts, family, "executions searched", census->searched);
    counts_add(counts, family, "executions not searched", census->unsearched);
    for (size_t i = 0; grid_formula_at(i) != NULL && i < FORMULAS_MAX; i++) {
        if (census->bounded[i] == 0) continue;
        (void)snprintf(what, sizeof what, "%s is for", grid_formula_at(i)->name);
        counts_add(counts, family, what, census->bounded[i]);
        (void)snprintf(what, sizeof what, "%s attained", grid_formula_at(i)->name);
        counts_add(counts, family, what, census->attained[i]);
    }
}
