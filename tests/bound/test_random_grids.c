/* Bounds of whole kernels on random grids of the size of kernels: simulations and searches for long
 * executions stay below them, and more work never lowers one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "large_grid.h"

/* Grids of seeds from `first` on. */
static void check_grids(uint64_t first, uint32_t rounds, uint32_t candidates) {
    struct text violation = {0};
    for (uint64_t seed = first; seed < first + rounds; seed++)
        if (!large_grid_check(seed, candidates, &violation))
            fail_msg("%s", violation.failed ? "out of memory" : violation.data);
    text_free(&violation);
}

static void test_simulations(void **state) {
    (void)state;
    check_grids(1, random_rounds(3000), 0);
}

static void test_searches(void **state) {
    (void)state;
    check_grids(3001, random_rounds(400), 80);
}

static const uint32_t depths[] = {0, 1, DEPTH_UNLIMITED};

/* Grids that are searched in no time. */
static const struct random_grid_shape tiny = {
    .block = {SHAPE_BLOCK(2, 3, 3, 2, 2), .barrier_percent = 10, .sub_cores = 1, .width = 1, .instances = 1},
    SHAPE_GRID(depths, 2, 5, 2, 2),
    .dispatch_latency = 2,
    .free_percent = 60,
};

/* What the annealing finds is never more than there is, and mostly all of it. */
static void test_search_of_tiny_grids(void **state) {
    (void)state;
    uint32_t searched = 0, found_all = 0;
    for (uint64_t seed = 1; seed <= random_rounds(300); seed++) {
        struct random_grid grid;
        struct grid_bounds bounds;
        wb_bound exact, found;
        random_grid_make(seed, &tiny, &grid);
        grid_bounds_begin(&bounds, &grid);
        assert_true(grid_bounds_of(&bounds, &bound_k_exhaustive, NULL, &exact));
        uint32_t candidates = 150;
        const wb_watch watch = {.poll = large_grid_patience, .user = &candidates};
        assert_true(grid_bounds_of(&bounds, &bound_k_adversary, &watch, &found));
        if (exact.kind == WB_EXACT && found.cycles > exact.cycles)
            fail_msg("k-adversary finds %" PRIu64 ", the worst case is %" PRIu64 "\n%s", found.cycles,
                     exact.cycles, grid.label);
        searched += exact.kind == WB_EXACT;
        found_all += exact.kind == WB_EXACT && found.cycles == exact.cycles;
        grid_bounds_end(&bounds);
        random_grid_free(&grid);
    }
    print_message("%u tiny grids: the worst case is found of %u\n", searched, found_all);
    assert_true(found_all >= searched * 9 / 10);
}

/* Whether a formula grows with what blocks do. Those on chains count, of some blocks, what they take beside
 * the work of their busiest sub-cores: a difference, that falls when these get more of it. They bound what
 * blocks with less work take all the same (docs/sub-core-bounds.md). Where one block more does not fit beside
 * the others at once, `serial` goes over to a formula whose end is that of the least of several forms. */
static bool is_monotone(const struct bound_method *method, const struct random_grid *more) {
    const struct synthetic_block *block = &more->block;
    const bool is_first_behind =
        block->block_count == (uint64_t)block->machine.memory.sms * block->machine.limits.blocks + 1;
    return strncmp(method->name, "chain", strlen("chain")) != 0 &&
           !(is_first_behind && strcmp(method->name, "serial") == 0);
}

/* The bounds of a grid that has been changed are not below those it had. */
static void expect_more(const struct random_grid *grid, const char *what,
                        const struct proven_bounds *before) {
    struct proven_bounds after;
    proven_bounds_make(grid, &after);
    assert_int_equal(after.count, before->count);
    for (size_t i = 0; i < after.count; i++)
        if (after.cycles[i] < before->cycles[i] && is_monotone(grid_formula_at(i), grid))
            fail_msg("%s more lowers %s from %" PRIu64 " to %" PRIu64 "\n%s", what, grid_formula_at(i)->name,
                     before->cycles[i], after.cycles[i], grid->label);
}

/* One more block of each kind. Where block b runs on SM b modulo the number of SMs, only one behind all
 * others: else those behind it move to other SMs. */
static void add_block(struct random_grid *grid, const struct proven_bounds *before) {
    const bool is_static = grid->block.machine.memory.dispatch == DISPATCH_STATIC;
    for (size_t k = is_static ? grid->block.classes.count - 1 : 0; k < grid->block.classes.count; k++) {
        grid->block.classes.items[k].count++;
        grid->block.block_count++;
        expect_more(grid, "a block", before);
        grid->block.classes.items[k].count--;
        grid->block.block_count--;
    }
}

/* One more warp in the blocks of each kind: another one of the last program. */
static void add_warp(struct random_grid *grid, const struct proven_bounds *before) {
    for (size_t k = 0; k < grid->block.classes.count; k++) {
        struct timed_block *timed = &grid->block.classes.items[k].timed;
        const struct timed_block unchanged = *timed;
        uint32_t paths[16];
        assert_true(timed->warp_count < 16);
        memcpy(paths, timed->warp_path, timed->warp_count * sizeof *paths);
        paths[timed->warp_count] = paths[timed->warp_count - 1];
        timed->warp_path = paths;
        timed->warp_count++;
        expect_more(grid, "a warp", before);
        *timed = unchanged;
    }
}

/* A cycle more of one time. */
static void add_cycle(struct random_grid *grid, uint32_t *time, const char *what,
                      const struct proven_bounds *before) {
    ++*time;
    expect_more(grid, what, before);
    --*time;
}

static void add_cycles(struct random_grid *grid, const struct proven_bounds *before) {
    struct timed_code *code = &grid->block.timed.code;
    struct machine_memory *memory = &grid->block.machine.memory;
    for (uint32_t i = 0; i < code->inst_count; i++) {
        if (code->insts[i].unit == UNIT_NONE) continue;
        add_cycle(grid, &code->insts[i].init, "a cycle of initiation", before);
        add_cycle(grid, &code->insts[i].latency, "a cycle of latency", before);
    }
    add_cycle(grid, &memory->dispatch_latency, "a cycle of dispatch", before);
    add_cycle(grid, &memory->dispatch_service, "a cycle of the dispatcher", before);
}

static void test_more_work(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(1500);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_grid grid;
        struct proven_bounds before;
        large_grid_make(seed, &grid);
        proven_bounds_make(&grid, &before);
        add_block(&grid, &before);
        add_warp(&grid, &before);
        add_cycles(&grid, &before);
        random_grid_free(&grid);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulations),
        cmocka_unit_test(test_searches),
        cmocka_unit_test(test_search_of_tiny_grids),
        cmocka_unit_test(test_more_work),
    };
    return cmocka_run_group_tests_name("bounds of random grids", tests, NULL, NULL);
}
