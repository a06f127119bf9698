/* Bounds of kernels on SMs with several sub-cores, held against searches that know nothing of the library's
 * code: sub_core_explorer.h, naive_chain_bounds.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "bound/kernel/chain_times.h"
#include "bound/kernel/kernel_bounds.h"
#include "grid_bounds.h"
#include "naive_chain_bounds.h"
#include "naive_grid_explorer.h"
#include "naive_kernel_bounds.h"
#include "random_grid.h"
#include "sub_core_explorer.h"

static const uint32_t every_depth[] = {0, 1, 2, DEPTH_UNLIMITED};

static const struct random_grid_shape tiny = {
    .block = {SHAPE_BLOCK(3, 4, 4, 3, 3), .barrier_percent = 20, .real_percent = 10, .alias_percent = 30,
              SHAPE_SM(2, 3, 2), .release = 2},
    SHAPE_GRID(every_depth, 2, 5, 2, 3),
    .dispatch_latency = 2,
    .dispatch_service = 2,
    .free_percent = 60,
};

/* Two searches that share no code find the same worst case. */
static void test_explorers_agree(void **state) {
    (void)state;
    static struct sub_core_grid grid;
    uint32_t compared = 0, sub_cores = 0;
    const uint32_t rounds = random_rounds(6000);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_grid made;
        random_grid_make(seed, &tiny, &made);
        if (memory_dispatch_is_dynamic(&made.block.machine.memory))
            made.block.machine.memory.dispatch = DISPATCH_ANY;
        assert_true(sub_core_grid_from(&made.block, &grid));
        const cycles known = naive_grid_explore(&made.block, 3000);
        const uint32_t found = sub_core_explore(&grid, 1500);
        if (known > 0 && found > 0 && known != found)
            fail_msg("one search finds %" PRIu64 ", the other %" PRIu32 "\n%s", known, found, made.label);
        compared += known > 0 && found > 0;
        sub_cores += known > 0 && found > 0 && grid.sub_cores > 1;
        random_grid_free(&made);
    }
    print_message("%u grids compared, %u of them with several sub-cores\n", compared, sub_cores);
    assert_true(compared * 3 > rounds && sub_cores * 5 > rounds);
}

/* ---- The library's terms ---- */

/* What the library makes of blocks as long as its sigma is one for all sections. */
static const struct chain_view built = {.largest_sigma = true, .larger_last = true};

static const struct random_grid_shape small = {
    .block = {SHAPE_BLOCK(4, 6, 9, 6, 8), .barrier_percent = 20, .real_percent = 10, .alias_percent = 30,
              SHAPE_SM(2, 4, 2), .release = 2},
    SHAPE_GRID(every_depth, 3, 30, 3, 5),
    .dispatch_latency = 3,
    .dispatch_service = 2,
    .free_percent = 50,
};

static void expect_term(const struct random_grid *made, const struct sub_core_grid *grid,
                        enum chain_term term, uint64_t n, struct kernel_time time) {
    const uint64_t expected = naive_chain_term(grid, &built, term, n);
    const cycles sum = kernel_time_sum(&time);
    if (sum != expected)
        fail_msg("term %d of %" PRIu64 " is %" PRIu64 ", not %" PRIu64 "\n%s", (int)term, n, sum, expected,
                 made->label);
}

static void expect_terms(const struct random_grid *made, const struct sub_core_grid *grid,
                         const struct grid_work *work) {
    const uint64_t blocks = work->block_count, rooms = grid->rooms;
    const cycles delay = grid->delay;
    if (rooms == 0) return;
    for (uint64_t n = 1; n <= blocks && n <= rooms; n++)
        expect_term(made, grid, CHAIN_TOGETHER, n, chain_time_together(work, n));
    for (uint64_t n = rooms + 1; n <= blocks; n++) {
        struct kernel_time time = chain_time_of_sm(work, rooms, n);
        time.dispatch += delay * ((n + rooms - 1) / rooms - 1);
        expect_term(made, grid, CHAIN_OF_SM, n, time);
    }
    for (uint64_t q = rooms; q <= blocks; q++) {
        struct kernel_time time = chain_time_of_other(work, rooms, q, q / rooms);
        time.dispatch += delay * (q / rooms - 1);
        expect_term(made, grid, CHAIN_OF_OTHER, q, time);
    }
    if (blocks <= rooms * grid->sms) return;
    const cycles tail = naive_chain_term(grid, &built, CHAIN_TOGETHER, rooms);
    struct kernel_time time = chain_time_of_area(work, grid->sms, rooms, tail, delay);
    const uint64_t expected = naive_chain_term(grid, &built, CHAIN_OF_AREA, tail);
    assert_true(kernel_time_sum(&time) == (expected > tail + delay ? expected : tail + delay));
}

/* A grid as both theories see it. */
struct both {
    const struct sub_core_grid *grid;
    const struct grid_work *work;
};

static uint64_t lesser(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t both_together(const struct both *both, uint64_t n) {
    return lesser(naive_kernel_term(both->work, both->grid->rooms, NAIVE_TOGETHER, n),
                  naive_chain_term(both->grid, &built, CHAIN_TOGETHER, n));
}

static uint64_t both_of_sm(const struct both *both, uint64_t n) {
    if (n <= both->grid->rooms) return both_together(both, n);
    return lesser(naive_kernel_term(both->work, both->grid->rooms, NAIVE_OF_SM, n),
                  naive_chain_term(both->grid, &built, CHAIN_OF_SM, n));
}

static uint64_t both_balance(const struct both *both) {
    const uint64_t rooms = both->grid->rooms, sms = both->grid->sms, blocks = both->work->block_count;
    uint64_t longest = 0;
    if (blocks <= rooms * sms) return both_of_sm(both, (blocks + sms - 1) / sms);
    if (sms == 1) return both_of_sm(both, blocks);
    for (uint64_t n = rooms; n <= blocks - (sms - 1) * rooms; n++) {
        const uint64_t q = (blocks - n) / (sms - 1);
        const uint64_t other =
            lesser(naive_kernel_term(both->work, rooms, NAIVE_OF_OTHER, q),
                   naive_chain_term(both->grid, &built, CHAIN_OF_OTHER, q) + both->grid->delay);
        const uint64_t time = lesser(both_of_sm(both, n), other + both_together(both, rooms));
        if (time > longest) longest = time;
    }
    return longest;
}

static uint64_t both_area(const struct both *both) {
    const uint64_t rooms = both->grid->rooms, sms = both->grid->sms, blocks = both->work->block_count;
    if (blocks <= rooms * sms) return both_of_sm(both, (blocks + sms - 1) / sms);
    const uint64_t tail = both_together(both, rooms), whole = tail + both->grid->delay;
    const uint64_t area = naive_chain_term(both->grid, &built, CHAIN_OF_AREA, tail);
    const uint64_t services = blocks * both->grid->service;
    return lesser(naive_kernel_bound(both->work, rooms, NAIVE_AREA, MISTAKE_NONE) - services,
                  area > whole ? area : whole);
}

/* The least of old and new, term by term. */
static void expect_bounds(const struct random_grid *made, const struct both *both) {
    const uint64_t rooms = both->grid->rooms, services = both->work->block_count * both->grid->service;
    const struct kernel_time balance = kernel_chain_balance(both->work, rooms),
                             area = kernel_chain_area(both->work, rooms);
    if (kernel_time_sum(&balance) != both_balance(both) + services)
        fail_msg("k-chain-bal is %" PRIu64 ", not %" PRIu64 "\n%s", kernel_time_sum(&balance),
                 both_balance(both) + services, made->label);
    if (kernel_time_sum(&area) != both_area(both) + services)
        fail_msg("k-chain-area is %" PRIu64 ", not %" PRIu64 "\n%s", kernel_time_sum(&area),
                 both_area(both) + services, made->label);
    const uint64_t slots = rooms * both->grid->sms, blocks = both->work->block_count;
    const uint64_t most =
        blocks > slots ? blocks - slots + rooms : (blocks + both->grid->sms - 1) / both->grid->sms;
    const struct kernel_time one = kernel_chain_one_sm(both->work, rooms);
    assert_true(kernel_time_sum(&one) == both_of_sm(both, most) + services);
}

static void test_library_terms(void **state) {
    (void)state;
    static struct sub_core_grid grid;
    const uint32_t rounds = random_rounds(4500);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_grid made;
        struct grid_bounds bounds;
        random_grid_make(seed, &small, &made);
        assert_true(sub_core_grid_from(&made.block, &grid));
        grid.is_static = false;
        grid_bounds_begin(&bounds, &made);
        expect_terms(&made, &grid, &bounds.work);
        made.block.machine.memory.dispatch = DISPATCH_ANY;
        expect_bounds(&made, &(struct both){&grid, &bounds.work});
        grid_bounds_end(&bounds);
        random_grid_free(&made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_explorers_agree),
        cmocka_unit_test(test_library_terms),
    };
    return cmocka_run_group_tests_name("kernels on several sub-cores", tests, NULL, NULL);
}
