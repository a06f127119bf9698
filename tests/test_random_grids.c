/* Bounds of whole kernels on random grids: nothing that is simulated takes longer, whoever dispatches and
 * issues, also when blocks are faster than stated, and a search for long executions finds none; more work
 * never lowers a bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "grid_bounds.h"
#include "random_policy.h"
#include "sim/gpu.h"

#define BLOCKS_MAX 64

static const uint32_t depths[] = {0, 0, 1, 2, DEPTH_UNLIMITED};

/* Blocks like those of kernels, and blocks of any kind. */
static const struct random_grid_shape shapes[] = {
    {.block = {.warps = 4, .insts = 10, .barrier_percent = 8, .sub_cores = 2, .width = 2},
     .depths = depths,
     .depth_count = 5,
     .kinds = 3,
     .blocks = BLOCKS_MAX,
     .sms = 4,
     .resident = 4,
     .dispatch_latency = 20,
     .dispatch_service = 5,
     .kernel_like = true,
     .free_percent = 60},
    {.block = {.units = 3,
               .init = 5,
               .latency = 8,
               .warps = 4,
               .insts = 6,
               .barrier_percent = 15,
               .alias_percent = 30,
               .instances = 2,
               .sub_cores = 2,
               .width = 2,
               .release = 3},
     .depths = depths,
     .depth_count = 5,
     .kinds = 3,
     .blocks = BLOCKS_MAX,
     .sms = 4,
     .resident = 4,
     .dispatch_latency = 6,
     .dispatch_service = 3,
     .free_percent = 60},
};

#define SHAPES (sizeof shapes / sizeof *shapes)

/* Most methods that bound kernels. */
#define FORMULAS_MAX 8

/* The proven bounds of a grid, CYCLES_SATURATED where a method does not apply. */
static size_t proven_bounds(const struct random_grid *grid, cycles proven[FORMULAS_MAX]) {
    struct grid_bounds bounds;
    size_t count = 0, applied = 0;
    grid_bounds_begin(&bounds, grid);
    for (const struct bound_method *method; (method = grid_formula_at(count)) != NULL; count++) {
        wb_bound bound;
        assert_true(count < FORMULAS_MAX);
        bool is_proven = grid_bounds_of(&bounds, method, NULL, &bound) && bound.kind == WB_UPPER;
        proven[count] = is_proven ? bound.cycles : CYCLES_SATURATED;
        applied += is_proven;
    }
    grid_bounds_end(&bounds);
    assert_true(applied > 0);
    return count;
}

static void hold(const struct random_grid *grid, const char *what, cycles time,
                 const cycles proven[FORMULAS_MAX], size_t count) {
    for (size_t i = 0; i < count; i++)
        if (time > proven[i])
            fail_msg("%s is %" PRIu64 ", but %s takes %" PRIu64 "\n%s", grid_formula_at(i)->name, proven[i],
                     what, time, grid->label);
}

/* A simulation under a policy, with random choices of blocks and SMs if `plan` says so. */
static cycles simulated(const struct random_grid *grid, const struct sim_policy *policy, bool planned,
                        struct random_state *random) {
    uint32_t blocks[BLOCKS_MAX], choices[BLOCKS_MAX];
    const uint32_t count = (uint32_t)grid->grid.blocks.count;
    for (uint32_t b = 0; b < count; b++) {
        uint32_t other = (uint32_t)random_below(random, b + 1);
        blocks[b] = blocks[other];
        blocks[other] = b;
        choices[b] = (uint32_t)random_below(random, 64);
    }
    const struct dispatch_plan plan = {blocks, choices};
    const struct gpu_scheme scheme = {.name = "default", .policy = policy};
    const struct gpu_options options = {.plan = planned ? &plan : NULL};
    struct arena arena = {0};
    wb_gpu_simulation result;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(gpu_simulate(&grid->timed, &scheme, &options, diagnostics, &arena, &result), WB_OK);
    wb_diagnostics_free(diagnostics);
    arena_free(&arena);
    return result.cycles;
}

/* The grid as the dispatcher has it, and by chance. */
static void hold_simulations(const struct random_grid *grid, uint64_t seed, const cycles proven[FORMULAS_MAX],
                             size_t count) {
    struct random_state random = random_seeded(~seed);
    const struct random_policy by_chance = random_policy_seeded(seed);
    const struct sim_policy *const policies[] = {&policy_lrr, &policy_gto, &policy_oldest, &by_chance.policy};
    const struct sim_policy *policy = policies[seed % 4];
    hold(grid, policy->name, simulated(grid, policy, false, &random), proven, count);
    hold(grid, "a plan", simulated(grid, &by_chance.policy, true, &random), proven, count);
}

static void test_simulations(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(3000);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_grid grid;
        cycles proven[FORMULAS_MAX];
        random_grid_make(seed, &shapes[seed / 4 % SHAPES], &grid);
        size_t count = proven_bounds(&grid, proven);
        hold_simulations(&grid, seed, proven, count);
        random_grid_free(&grid);
    }
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
    random_grid_remake(grid);
}

static void test_shorter(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(1500);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_state random = random_seeded(seed);
        struct random_grid grid;
        cycles proven[FORMULAS_MAX];
        random_grid_make(seed, &shapes[seed / 4 % SHAPES], &grid);
        size_t count = proven_bounds(&grid, proven);
        shrink_grid(&grid, &random);
        hold_simulations(&grid, seed, proven, count);
        random_grid_free(&grid);
    }
}

/* Ends a search after so many candidates. */
struct patience {
    uint32_t candidates;
};

static bool has_patience(void *user, const char *stage, uint64_t done, uint64_t total) {
    struct patience *patience = user;
    (void)stage, (void)done, (void)total;
    return patience->candidates-- > 1;
}

/* A short search; its result. */
static cycles searched(const struct random_grid *grid, uint32_t candidates) {
    struct patience patience = {candidates};
    const wb_watch watch = {.poll = has_patience, .user = &patience};
    struct grid_bounds bounds;
    wb_bound found;
    grid_bounds_begin(&bounds, grid);
    assert_true(grid_bounds_of(&bounds, &bound_k_adversary, &watch, &found));
    assert_int_equal(found.kind, WB_LOWER);
    assert_int_equal(found.cycles, found.lower);
    grid_bounds_end(&bounds);
    return found.cycles;
}

/* Whatever is found is an execution: it is within the bounds, and it takes as long as what is shipped. */
static void test_searches(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(400);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_state random = random_seeded(seed);
        struct random_grid grid;
        cycles proven[FORMULAS_MAX];
        random_grid_make(seed, &shapes[seed / 4 % SHAPES], &grid);
        size_t count = proven_bounds(&grid, proven);
        cycles found = searched(&grid, 80);
        hold(&grid, "k-adversary", found, proven, count);
        assert_true(found >= simulated(&grid, &policy_lrr, false, &random));
        assert_true(found >= simulated(&grid, &policy_gto, false, &random));
        random_grid_free(&grid);
    }
}

/* The bounds of a grid that has been changed are not below those it had. */
static void expect_more(const struct random_grid *grid, const char *what, const cycles before[FORMULAS_MAX],
                        size_t count) {
    cycles after[FORMULAS_MAX];
    assert_int_equal(proven_bounds(grid, after), count);
    for (size_t i = 0; i < count; i++)
        if (after[i] < before[i])
            fail_msg("%s more lowers %s from %" PRIu64 " to %" PRIu64 "\n%s", what, grid_formula_at(i)->name,
                     before[i], after[i], grid->label);
}

/* One more block of each kind. Where block b runs on SM b modulo their number, only one behind all others:
 * else those behind it move to other SMs. An SM holds no more blocks than there are, and k-area falls when it
 * holds more: that number is to stay. */
static void add_block(struct random_grid *grid, const cycles before[FORMULAS_MAX], size_t count) {
    if (grid->block.block_count < grid->block.machine.limits.blocks) return;
    const bool is_static = grid->block.machine.memory.dispatch == DISPATCH_STATIC;
    for (size_t k = is_static ? grid->block.kinds.count - 1 : 0; k < grid->block.kinds.count; k++) {
        grid->block.kinds.items[k].count++;
        grid->block.block_count++;
        expect_more(grid, "a block", before, count);
        grid->block.kinds.items[k].count--;
        grid->block.block_count--;
    }
}

/* One more warp in the blocks of each kind: another one of the last program. */
static void add_warp(struct random_grid *grid, const cycles before[FORMULAS_MAX], size_t count) {
    for (size_t k = 0; k < grid->block.kinds.count; k++) {
        struct timed_block *timed = &grid->block.kinds.items[k].timed;
        const struct timed_block unchanged = *timed;
        uint32_t paths[16];
        assert_true(timed->warp_count < 16);
        memcpy(paths, timed->warp_path, timed->warp_count * sizeof *paths);
        paths[timed->warp_count] = paths[timed->warp_count - 1];
        timed->warp_path = paths;
        timed->warp_count++;
        expect_more(grid, "a warp", before, count);
        *timed = unchanged;
    }
}

/* A cycle more of one time. */
static void add_cycle(struct random_grid *grid, uint32_t *time, const char *what,
                      const cycles before[FORMULAS_MAX], size_t count) {
    ++*time;
    expect_more(grid, what, before, count);
    --*time;
}

static void add_cycles(struct random_grid *grid, const cycles before[FORMULAS_MAX], size_t count) {
    struct timed_code *code = &grid->block.timed.code;
    struct machine_memory *memory = &grid->block.machine.memory;
    for (uint32_t i = 0; i < code->inst_count; i++) {
        if (code->insts[i].unit == UNIT_NONE) continue;
        add_cycle(grid, &code->insts[i].init, "a cycle of initiation", before, count);
        add_cycle(grid, &code->insts[i].latency, "a cycle of latency", before, count);
    }
    add_cycle(grid, &memory->dispatch_latency, "a cycle of dispatch", before, count);
    add_cycle(grid, &memory->dispatch_service, "a cycle of the dispatcher", before, count);
}

static void test_more_work(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(1500);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_grid grid;
        cycles before[FORMULAS_MAX];
        random_grid_make(seed, &shapes[seed / 4 % SHAPES], &grid);
        size_t count = proven_bounds(&grid, before);
        add_block(&grid, before, count);
        add_warp(&grid, before, count);
        add_cycles(&grid, before, count);
        random_grid_free(&grid);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulations),
        cmocka_unit_test(test_shorter),
        cmocka_unit_test(test_searches),
        cmocka_unit_test(test_more_work),
    };
    return cmocka_run_group_tests_name("bounds of random grids", tests, NULL, NULL);
}
