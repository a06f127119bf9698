#include "large_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_policy.h"

#define BLOCKS_MAX 64

static const uint32_t depths[] = {0, 0, 1, 2, DEPTH_UNLIMITED};

/* Blocks like those of kernels, and blocks of any kind. */
static const struct random_grid_shape shapes[] = {
    {.block = {.warps = 4, .insts = 10, .barrier_percent = 8, .sub_cores = 2, .width = 2},
     SHAPE_GRID(depths, 3, BLOCKS_MAX, 4, 4),
     .dispatch_latency = 20,
     .dispatch_service = 5,
     .kernel_like = true,
     .free_percent = 60},
    {.block = {SHAPE_BLOCK(3, 5, 8, 4, 6), .barrier_percent = 15, .alias_percent = 30, SHAPE_SM(2, 2, 2),
               .release = 3},
     SHAPE_GRID(depths, 3, BLOCKS_MAX, 4, 4),
     .dispatch_latency = 6,
     .dispatch_service = 3,
     .free_percent = 60},
};

#define SHAPES (sizeof shapes / sizeof *shapes)

/* Gives the machine of a grid an instruction cache. */
static void add_fetch(uint64_t seed, struct random_grid *grid) {
    struct random_state random = random_seeded(~seed);
    struct text fetch = {0};
    const size_t length = strlen(grid->label);
    grid->block.machine.fetch = random_fetch(&random);
    random_fetch_print(&grid->block.machine.fetch, &fetch);
    (void)snprintf(grid->label + length, sizeof grid->label - length, "\n%s", fetch.data);
    text_free(&fetch);
    random_grid_remake(grid);
}

void large_grid_make(uint64_t seed, struct random_grid *grid) {
    random_grid_make(seed, &shapes[seed / 4 % SHAPES], grid);
    if (seed % 3 == 0) add_fetch(seed, grid);
}

void proven_bounds_make(const struct random_grid *grid, struct proven_bounds *proven) {
    struct grid_bounds bounds;
    size_t applied = 0;
    *proven = (struct proven_bounds){0};
    grid_bounds_begin(&bounds, grid);
    for (const struct bound_method *method; (method = grid_formula_at(proven->count)) != NULL;) {
        wb_bound bound;
        if (proven->count == FORMULAS_MAX) abort();
        bool is_proven = grid_bounds_of(&bounds, method, NULL, &bound) && bound.kind == WB_UPPER;
        proven->cycles[proven->count++] = is_proven ? bound.cycles : CYCLES_SATURATED;
        applied += is_proven;
    }
    grid_bounds_end(&bounds);
    if (applied == 0) abort();
}

/* A grid with its bounds, and where to write what exceeds them. */
struct holder {
    const struct random_grid *grid;
    const struct proven_bounds *proven;
    struct text *violation;
};

static bool hold(const struct holder *holder, const char *what, cycles time) {
    for (size_t i = 0; i < holder->proven->count; i++) {
        if (time <= holder->proven->cycles[i]) continue;
        text_printf(holder->violation, "%s is %" PRIu64 ", but %s takes %" PRIu64 "\n%s",
                    grid_formula_at(i)->name, holder->proven->cycles[i], what, time, holder->grid->label);
        return false;
    }
    return true;
}

/* As the dispatcher has it, and with blocks, SMs and warps chosen by chance. */
static bool hold_simulations(const struct holder *holder, uint64_t seed) {
    struct random_state random = random_seeded(~seed);
    const struct random_policy by_chance = random_policy_seeded(seed);
    const struct sim_policy *const policies[] = {&policy_lrr, &policy_gto, &policy_oldest, &by_chance.policy};
    const struct sim_policy *policy = policies[seed % 4];
    uint32_t blocks[BLOCKS_MAX], choices[BLOCKS_MAX];
    for (uint32_t b = 0; b < holder->grid->grid.blocks.count; b++) {
        uint32_t other = (uint32_t)random_below(&random, b + 1);
        blocks[b] = blocks[other];
        blocks[other] = b;
        choices[b] = (uint32_t)random_below(&random, BLOCKS_MAX);
    }
    const struct dispatch_plan plan = {blocks, choices};
    return hold(holder, policy->name, random_grid_simulate(holder->grid, policy, NULL)) &&
           hold(holder, "a plan", random_grid_simulate(holder->grid, &by_chance.policy, &plan));
}

/* Something between `least` and `value`. */
static uint32_t shrink(struct random_state *random, uint32_t value, uint32_t least) {
    return value <= least ? value : least + (uint32_t)random_below(random, value - least + 1);
}

/* The grid with initiations, latencies and the dispatcher's times at most as stated. */
static void shrink_grid(struct random_grid *grid, struct random_state *random) {
    struct timed_code *code = &grid->block.timed.code;
    struct machine_memory *memory = &grid->block.machine.memory;
    for (uint32_t i = 0; i < code->inst_count; i++) {
        code->insts[i].init = shrink(random, code->insts[i].init, 1);
        code->insts[i].latency = shrink(random, code->insts[i].latency, 0);
    }
    memory->dispatch_latency = shrink(random, memory->dispatch_latency, 0);
    memory->dispatch_service = shrink(random, memory->dispatch_service, 0);
    struct machine_fetch *fetch = &grid->block.machine.fetch;
    fetch->latency = shrink(random, fetch->latency, 0);
    fetch->miss_latency = shrink(random, fetch->miss_latency, 1);
    random_grid_remake(grid);
}

bool large_grid_patience(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    return --*(uint32_t *)user > 0;
}

/* Whatever a short search finds is an execution, and takes as long as what is shipped. */
static bool hold_search(const struct holder *holder, uint32_t candidates) {
    const wb_watch watch = {.poll = large_grid_patience, .user = &candidates};
    struct grid_bounds bounds;
    wb_bound found;
    grid_bounds_begin(&bounds, holder->grid);
    bool lower = grid_bounds_of(&bounds, &bound_k_adversary, &watch, &found) && found.kind == WB_LOWER &&
                 found.lower == found.cycles;
    grid_bounds_end(&bounds);
    const cycles lrr = random_grid_simulate(holder->grid, &policy_lrr, NULL),
                 gto = random_grid_simulate(holder->grid, &policy_gto, NULL);
    if (lower && found.cycles >= lrr && found.cycles >= gto) return hold(holder, "k-adversary", found.cycles);
    text_printf(holder->violation,
                "k-adversary finds %" PRIu64 ", lrr takes %" PRIu64 ", gto %" PRIu64 "\n%s", found.cycles,
                lrr, gto, holder->grid->label);
    return false;
}

bool large_grid_check(uint64_t seed, uint32_t candidates, struct text *violation) {
    struct random_state random = random_seeded(seed);
    struct random_grid grid;
    struct proven_bounds proven;
    large_grid_make(seed, &grid);
    proven_bounds_make(&grid, &proven);
    const struct holder holder = {&grid, &proven, violation};
    bool holds = hold_simulations(&holder, seed) && (candidates == 0 || hold_search(&holder, candidates));
    shrink_grid(&grid, &random);
    holds = holds && hold_simulations(&holder, seed);
    random_grid_free(&grid);
    return holds;
}
