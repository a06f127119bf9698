#include "kernel_check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bound/grid/block_classes.h"
#include "bound/kernel/kernel_bounds.h"
#include "bound/search/grid_search.h"
#include "naive_grid_explorer.h"

/* States and steps after which a search is given up. */
#define SEARCH_STATES 4000
#define NAIVE_STEPS 10000

static const uint32_t every_depth[] = {0, 1, 2, DEPTH_UNLIMITED};
static const uint32_t unlimited[] = {DEPTH_UNLIMITED};
static const uint32_t proven_depths[] = {0, DEPTH_UNLIMITED};

const struct kernel_family kernel_families[KERNEL_FAMILIES] = {
    {"one SM",
     {.block = {SHAPE_BLOCK(2, 4, 3, 2, 3), SHAPE_SM(1, 1, 1)},
      SHAPE_GRID(every_depth, 1, 10, 1, 3),
      .dynamic = true,
      .free_percent = 100}},
    {"two SMs",
     {.block = {SHAPE_BLOCK(2, 4, 3, 1, 3), SHAPE_SM(1, 1, 1)},
      SHAPE_GRID(every_depth, 1, 8, 2, 2),
      .free_percent = 100}},
    {"two SMs and kinds",
     {.block = {SHAPE_BLOCK(2, 4, 4, 2, 2), SHAPE_SM(1, 1, 1)},
      SHAPE_GRID(every_depth, 2, 6, 2, 2),
      .free_percent = 100}},
    {"three SMs",
     {.block = {SHAPE_BLOCK(2, 4, 2, 1, 2), SHAPE_SM(1, 1, 1)},
      SHAPE_GRID(proven_depths, 2, 8, 3, 2),
      .free_percent = 100}},
    {"barriers and wide SMs",
     {.block = {SHAPE_BLOCK(3, 4, 4, 2, 3), .barrier_percent = 20, .real_percent = 10, .alias_percent = 40,
                SHAPE_SM(2, 1, 3), .release = 3},
      SHAPE_GRID(every_depth, 2, 6, 2, 2),
      .free_percent = 100}},
    {"barriers and queues that never fill",
     {.block = {SHAPE_BLOCK(2, 4, 3, 2, 4), SHAPE_SM(1, 1, 1), .barrier_percent = 35, .real_percent = 15,
                .alias_percent = 30},
      SHAPE_GRID(unlimited, 2, 4, 1, 3),
      .free_percent = 100}},
    {"copies and fences",
     {.block = {SHAPE_BLOCK(2, 3, 6, 2, 4), SHAPE_SM(1, 1, 1), .barrier_percent = 8, .copy_percent = 65,
                .fence_percent = 15},
      SHAPE_GRID(every_depth, 2, 5, 2, 2),
      .free_percent = 100}},
    {"a dispatcher that takes time",
     {.block = {SHAPE_BLOCK(2, 3, 3, 1, 3), SHAPE_SM(1, 1, 1)},
      SHAPE_GRID(every_depth, 2, 5, 2, 2),
      .dispatch_latency = 4,
      .dispatch_service = 3,
      .free_percent = 0}},
    {"one room",
     {.block = {SHAPE_BLOCK(3, 5, 5, 3, 3), SHAPE_SM(1, 1, 1), .barrier_percent = 15, .release = 2},
      SHAPE_GRID(every_depth, 3, 6, 2, 1),
      .dispatch_latency = 3,
      .free_percent = 50}},
    {"sub-cores",
     {.block = {SHAPE_BLOCK(2, 4, 3, 2, 2), .alias_percent = 20, SHAPE_SM(1, 2, 1)},
      SHAPE_GRID(every_depth, 2, 4, 2, 2),
      .free_percent = 100}},
    {"two instructions of a warp",
     {.block = {SHAPE_BLOCK(3, 4, 3, 2, 3), .barrier_percent = 15, .real_percent = 10, .alias_percent = 30,
                SHAPE_SM(2, 1, 2), .per_warp = 2, .release = 2},
      SHAPE_GRID(every_depth, 2, 4, 2, 2),
      .dispatch_latency = 2,
      .free_percent = 60}},
    {"sub-cores with barriers, wide, and a dispatcher that takes time",
     {.block = {SHAPE_BLOCK(2, 3, 3, 3, 2), .barrier_percent = 20, .real_percent = 10, SHAPE_SM(2, 3, 2),
                .release = 2},
      SHAPE_GRID(every_depth, 2, 3, 2, 2),
      .dispatch_latency = 3,
      .dispatch_service = 2,
      .free_percent = 60}},
};

static const struct {
    const char *name;
    kernel_formula formula;
} bounds[NAIVE_BOUND_COUNT] = {{"k-area", kernel_area}, {"k-bal", kernel_balance}, {"k-sm", kernel_one_sm}};

void kernel_census_add(struct kernel_census *sum, const struct kernel_census *census) {
    sum->searched += census->searched;
    sum->unsearched += census->unsearched;
    sum->again += census->again;
    sum->attained_by_least += census->attained_by_least;
    sum->looseness += census->looseness;
    for (enum naive_bound b = 0; b < NAIVE_BOUND_COUNT; b++) {
        sum->bounded[b] += census->bounded[b];
        sum->attained[b] += census->attained[b];
        for (enum naive_mistake m = 0; m < MISTAKE_COUNT; m++) {
            sum->made[b][m] += census->made[b][m];
            sum->caught[b][m] += census->caught[b][m];
        }
    }
}

/* Whether a bound is for the grid's dispatcher. */
static bool is_for(const struct grid_work *work, enum naive_bound bound) {
    return bound == NAIVE_ONE_SM || grid_work_is_dynamic(work);
}

static cycles bound_of(const struct grid_work *work, enum naive_bound bound) {
    kernel_formula formula = grid_work_is_dynamic(work) ? bounds[bound].formula : kernel_static;
    const struct kernel_time time = formula(work, work->resident_most);
    return kernel_time_sum(&time);
}

static cycles least_bound(const struct grid_work *work) {
    cycles least = CYCLES_SATURATED;
    for (enum naive_bound b = 0; b < NAIVE_BOUND_COUNT; b++)
        if (is_for(work, b)) least = cycles_min(least, bound_of(work, b));
    return least;
}

static bool make_work(const struct synthetic_block *block, struct grid_work *work) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    *work = (struct grid_work){0};
    bool made = block_classes_by_hand(block, NULL, diagnostics, work) == WB_OK;
    wb_diagnostics_free(diagnostics);
    return made;
}

/* 0: not found. */
static cycles search(const struct grid_work *work) {
    struct search_budget budget = search_budget_of(SEARCH_STATES);
    struct schedule_search search = {.budget = &budget};
    if (grid_search_objection(work) != NULL || grid_search_run(work, &search) != WB_OK) return 0;
    return search.longest;
}

cycles kernel_exact(const struct synthetic_block *block, cycles *least) {
    struct grid_work work;
    if (!make_work(block, &work)) abort();
    const cycles exact = search(&work);
    *least = least_bound(&work);
    grid_work_free(&work);
    return exact;
}

static bool report(struct text *violation, const char *what, cycles value, const char *relation, cycles exact,
                   const char *label) {
    text_printf(violation, "%s %" PRIu64 " %s exact %" PRIu64 "\n%s", what, value, relation, exact, label);
    return false;
}

/* Whether the bounds are what the theorems say. */
static bool bounds_agree(const struct grid_work *work, const char *label, struct text *violation) {
    for (enum naive_bound b = 0; b < NAIVE_BOUND_COUNT; b++) {
        if (!is_for(work, b)) continue;
        cycles value = bound_of(work, b);
        cycles again = naive_kernel_bound(work, work->resident_most, b, MISTAKE_NONE);
        if (value == again) continue;
        text_printf(violation, "%s %" PRIu64 ", by its theorem %" PRIu64 "\n%s", bounds[b].name, value, again,
                    label);
        return false;
    }
    return true;
}

static bool bounds_hold(const struct grid_work *work, cycles exact, const char *label,
                        struct text *violation) {
    for (enum naive_bound b = 0; b < NAIVE_BOUND_COUNT; b++)
        if (is_for(work, b) && bound_of(work, b) < exact)
            return report(violation, bounds[b].name, bound_of(work, b), "<", exact, label);
    return true;
}

static bool simulations_hold(const struct random_grid *grid, cycles exact, struct text *violation) {
    const struct sim_policy *policy;
    for (size_t p = 0; (policy = policy_at(p)) != NULL; p++) {
        if (!policy->work_conserving || policy_misfit(policy, grid->block.timed.machine) != NULL) continue;
        const cycles time = random_grid_simulate(grid, policy, NULL);
        if (time > exact) return report(violation, policy->name, time, ">", exact, grid->label);
    }
    return true;
}

/* Counts the mistakes that the exact value convicts. */
static void count_mistakes(const struct grid_work *work, cycles exact, struct kernel_census *census) {
    for (enum naive_bound b = 0; b < NAIVE_BOUND_COUNT; b++) {
        if (!is_for(work, b)) continue;
        const cycles right = bound_of(work, b);
        for (enum naive_mistake m = 1; m < MISTAKE_COUNT; m++) {
            cycles wrong = naive_kernel_bound(work, work->resident_most, b, m);
            census->made[b][m] += wrong < right;
            census->caught[b][m] += wrong < exact;
        }
    }
}

static void count(const struct grid_work *work, cycles exact, struct kernel_census *census) {
    const cycles least = least_bound(work);
    census->searched++;
    census->attained_by_least += least == exact;
    census->looseness += exact > 0 ? (double)least / (double)exact : 1;
    for (enum naive_bound b = 0; b < NAIVE_BOUND_COUNT; b++) {
        if (!is_for(work, b)) continue;
        census->bounded[b]++;
        census->attained[b] += bound_of(work, b) == exact;
    }
    count_mistakes(work, exact, census);
}

/* Shortens some initiations and latencies, as a machine may that is faster than stated. */
static void shorten(struct timed_code *code, uint64_t seed) {
    struct random_state random = random_seeded(seed);
    for (uint32_t i = 0; i < code->inst_count; i++) {
        struct timed_inst *inst = &code->insts[i];
        if (inst->unit == UNIT_NONE || random_below(&random, 2) == 0) continue;
        inst->init -= (uint32_t)random_below(&random, inst->init);
        inst->latency -= (uint32_t)random_below(&random, inst->latency + 1);
    }
}

/* The bounds of the grid as stated hold for one that is faster. */
static bool faster_holds(struct random_grid *grid, const struct grid_work *work, uint64_t seed,
                         struct text *violation) {
    struct grid_work faster;
    shorten(&grid->block.timed.code, seed);
    if (!make_work(&grid->block, &faster)) abort();
    const bool holds = bounds_hold(work, search(&faster), grid->label, violation);
    grid_work_free(&faster);
    return holds;
}

/* How often grids are searched a second time with shorter times. */
#define FASTER_PERIOD 4

static bool check_work(struct random_grid *grid, const struct grid_work *work, uint64_t seed, bool naive,
                       struct kernel_census *census, struct text *violation) {
    const cycles exact = search(work);
    if (!bounds_agree(work, grid->label, violation)) return false;
    if (exact == 0) {
        census->unsearched++;
        return true;
    }
    count(work, exact, census);
    const cycles again = naive ? naive_grid_explore(&grid->block, NAIVE_STEPS) : 0;
    census->again += again != 0;
    if (again != 0 && again != exact)
        return report(violation, "naive search", again, "is not", exact, grid->label);
    return bounds_hold(work, exact, grid->label, violation) && simulations_hold(grid, exact, violation) &&
           (seed % FASTER_PERIOD != 0 || faster_holds(grid, work, seed, violation));
}

bool kernel_check(const struct kernel_family *family, uint64_t seed, bool naive, struct kernel_census *census,
                  struct text *violation) {
    struct random_grid *grid = malloc(sizeof *grid);
    struct grid_work work;
    if (grid == NULL) abort();
    random_grid_make(seed, &family->shape, grid);
    bool holds = make_work(&grid->block, &work);
    if (!holds) text_printf(violation, "no bounds\n%s", grid->label);
    holds = holds && check_work(grid, &work, seed, naive, census, violation);
    grid_work_free(&work);
    random_grid_free(grid);
    free(grid);
    return holds;
}
