/* K-OLDEST (docs/policy-bounds.md, oldest first): random grids whose SMs issue of the oldest block first, as
 * stated and faster, against the bound; without one of its terms, and under other policies, some exceed it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>

#include "faster_grid.h"
#include "grid_bounds.h"
#include "random_grid.h"
#include "sim/sm/host.h"
#include "warp/synthetic/synthetic.h"

#define FASTER 6

static const uint32_t depths[] = {0, 0, 0, 1}; /* with queues the bound declines */

/* Few instructions and many blocks: then turns of slots count. */
static const struct random_grid_shape shape = {
    .block = {SHAPE_BLOCK(2, 8, 12, 4, 4), .barrier_percent = 10, .real_percent = 10, .alias_percent = 30,
              SHAPE_SM(2, 4, 2), .release = 2},
    SHAPE_GRID(depths, 2, 30, 2, 4),
    .dispatch_latency = 2,
    .free_percent = 70,
};

enum claim { AS_PROVEN, NO_BLOCKING, NO_LATENCIES, OTHER_POLICIES, CLAIMS };

static cycles k_oldest(struct grid_bounds *bounds) {
    wb_bound bound;
    return grid_bounds_of(bounds, grid_formula_named("oldest"), NULL, &bound) ? bound.cycles
                                                                              : CYCLES_SATURATED;
}

/* What the bound would be if younger blocks never delayed an instruction. */
static cycles without_blocking(struct grid_bounds *bounds) {
    const struct oldest_work kept = bounds->work.oldest;
    bounds->work.oldest.chain_most = 0;
    bounds->work.oldest.by_time = bounds->work.by_serial;
    for (size_t k = 0; k < bounds->work.classes.count; k++) {
        struct block_profile profile;
        struct serial_sums sums;
        const struct timed_block *timed = bounds->work.classes.items[k].timed;
        if (block_profile_make(timed, NULL, bounds->diagnostics, &profile) != WB_OK ||
            serial_sums_of(&profile, NULL, &sums) != WB_OK)
            abort();
        bounds->work.oldest.chain_most = cycles_max(bounds->work.oldest.chain_most, sums.chain);
        block_profile_free(&profile);
    }
    const cycles claimed = k_oldest(bounds);
    bounds->work.oldest = kept;
    return claimed;
}

static cycles without_latencies(struct grid_bounds *bounds) {
    const struct oldest_work kept = bounds->work.oldest;
    bounds->work.oldest.chain_most = 0;
    const cycles claimed = k_oldest(bounds);
    bounds->work.oldest = kept;
    return claimed;
}

/* What has been seen. */
struct oldest_census {
    uint64_t executed, attained, exceeded[CLAIMS];
};

static void look_at(const struct random_grid *stated, const struct random_grid *grid,
                    const cycles claimed[CLAIMS], struct oldest_census *census) {
    const cycles time = random_grid_simulate(grid, &policy_oldest, NULL);
    if (time > claimed[AS_PROVEN])
        fail_msg("oldest takes %" PRIu64 " > k-oldest %" PRIu64 "\n%s\n%s", time, claimed[AS_PROVEN],
                 stated->label, grid->label);
    census->executed++;
    census->attained += time == claimed[AS_PROVEN];
    for (enum claim c = AS_PROVEN + 1; c < OTHER_POLICIES; c++)
        census->exceeded[c] += time > claimed[c];
    census->exceeded[OTHER_POLICIES] += random_grid_simulate(grid, &policy_gto, NULL) > claimed[AS_PROVEN] ||
                                        random_grid_simulate(grid, &policy_lrr, NULL) > claimed[AS_PROVEN];
}

static void check_seed(uint64_t seed, struct oldest_census *census) {
    struct random_grid stated, faster;
    struct grid_bounds bounds;
    random_grid_make(seed, &shape, &stated);
    stated.block.machine.policy = MACHINE_POLICY_OLDEST;
    grid_bounds_begin(&bounds, &stated);
    const cycles proven = k_oldest(&bounds);
    if (proven != CYCLES_SATURATED) {
        const cycles claimed[CLAIMS] = {proven, without_blocking(&bounds), without_latencies(&bounds),
                                        proven};
        look_at(&stated, &stated, claimed, census);
        for (uint64_t f = 0; f < FASTER; f++) {
            faster_grid_make(FASTER * seed + f, &stated, &faster);
            look_at(&stated, &faster, claimed, census);
            random_grid_free(&faster);
        }
    }
    grid_bounds_end(&bounds);
    random_grid_free(&stated);
}

static void test_oldest_first(void **state) {
    (void)state;
    struct oldest_census census = {0};
    const uint32_t rounds = random_rounds(12000);
    for (uint64_t seed = 1; seed <= rounds; seed++)
        check_seed(seed, &census);
    print_message("%" PRIu64 " executions, %" PRIu64 " attain the bound; %" PRIu64
                  " exceed it without blocking, %" PRIu64 " without latencies, %" PRIu64
                  " under other policies\n",
                  census.executed, census.attained, census.exceeded[NO_BLOCKING],
                  census.exceeded[NO_LATENCIES], census.exceeded[OTHER_POLICIES]);
    assert_true(census.executed > rounds / 4);
    assert_true(census.exceeded[NO_LATENCIES] > 0);
}

/* Two sub-cores, two slots, eight blocks without barriers: under any policy they can take longer than the
 * bound of those that issue oldest first. */
static void test_the_policy_is_needed(void **state) {
    (void)state;
    struct random_grid grid = {0};
    struct grid_bounds bounds;
    wb_bound bound;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(
        synthetic_file_read("docs/refutations/busiest-no-barriers.yaml", diagnostics, &grid.block), WB_OK);
    random_grid_make_times(&grid);
    grid_bounds_begin(&bounds, &grid);
    assert_false(grid_bounds_of(&bounds, grid_formula_named("oldest"), NULL, &bound));
    const cycles any = grid_bounds_exact(&bounds, 1000000);
    grid_bounds_end(&bounds);
    grid.block.machine.policy = MACHINE_POLICY_OLDEST;
    grid_bounds_begin(&bounds, &grid);
    assert_true(grid_bounds_of(&bounds, grid_formula_named("oldest"), NULL, &bound));
    assert_int_equal(bound.kind, WB_UPPER);
    assert_int_equal(bound.cycles, 48);
    assert_int_equal(any, 49);
    assert_true(random_grid_simulate(&grid, &policy_oldest, NULL) <= bound.cycles);
    assert_false(grid_bounds_of(&bounds, &bound_k_exhaustive, NULL, &bound));
    assert_false(grid_bounds_of(&bounds, &bound_k_adversary, NULL, &bound));
    grid_bounds_end(&bounds);
    random_grid_free(&grid);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oldest_first),
        cmocka_unit_test(test_the_policy_is_needed),
    };
    return cmocka_run_group_tests_name("oldest first", tests, NULL, NULL);
}
