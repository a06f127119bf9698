/* K-SERIAL (docs/sub-core-bounds.md, serial times): the library's against one that shares no code with it,
 * and that against every schedule of small grids, which its mutants do not survive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "grid_bounds.h"
#include "naive_serial_bound.h"
#include "random_grid.h"
#include "sub_core_climb.h"
#include "sub_core_explorer.h"

static const uint32_t every_depth[] = {0, 0, 1, 2, DEPTH_UNLIMITED};

static const struct random_grid_shape shape = {
    .block = {SHAPE_BLOCK(3, 6, 9, 6, 12), .barrier_percent = 25, .real_percent = 10, .alias_percent = 30,
              SHAPE_SM(2, 4, 2), .release = 3},
    SHAPE_GRID(every_depth, 3, 12, 2, 4),
    .dispatch_latency = 3,
    .dispatch_service = 2,
    .free_percent = 60,
};

static void test_same_as_the_definition(void **state) {
    (void)state;
    static struct sub_core_grid grid;
    uint32_t compared = 0;
    const uint32_t rounds = random_rounds(3000);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_grid made;
        struct grid_bounds bounds;
        wb_bound bound;
        random_grid_make(seed, &shape, &made);
        grid_bounds_begin(&bounds, &made);
        const bool known = made.block.machine.sub_cores > 1 &&
                           grid_bounds_of(&bounds, grid_formula_named("serial"), NULL, &bound);
        const uint64_t defined = known && sub_core_grid_from(&made.block, &grid)
                                     ? naive_serial_bound(&grid, SERIAL_AS_PROVEN)
                                     : UINT64_MAX;
        if (defined != UINT64_MAX && defined != bound.cycles)
            fail_msg("k-serial %" PRIu64 ", by its definition %" PRIu64 "\n%s", bound.cycles, defined,
                     made.label);
        compared += defined != UINT64_MAX;
        grid_bounds_end(&bounds);
        random_grid_free(&made);
    }
    print_message("%u grids compared\n", compared);
    assert_true(compared * 5 > rounds);
}

/* Where mistakes show. */
static const struct climb_limits limits[] = {
    {CLIMB_GRID(1, 2, 2, 4, 4, 5, 6), CLIMB_SMS(2, 2, 1, 2, every_depth)},
    {CLIMB_GRID(2, 2, 3, 3, 3, 4, 4), CLIMB_SMS(3, 3, 2, 2, every_depth), .dispatcher = true},
    {CLIMB_GRID(1, 1, 2, 4, 2, 3, 8), CLIMB_SMS(2, 1, 1, 3, every_depth), .dispatcher = true},
};

#define CLIMB_STEPS 60
#define CLIMB_STATES 6000

/* What climbs have seen. */
struct climb_census {
    uint64_t explored, attained, broken[SERIAL_MUTANTS];
};

/* How near a grid comes to the bound that has a mistake in it; a mistake that changes nothing is no way on.
 */
static double nearness(const struct climb_case *at, enum serial_mutant mutant, struct climb_census *census) {
    static struct sub_core_grid stated, actual;
    climb_case_build(at, &stated, &actual);
    const uint64_t proven = naive_serial_bound(&stated, SERIAL_AS_PROVEN);
    const uint32_t time = proven == UINT64_MAX ? 0 : sub_core_explore(&actual, CLIMB_STATES);
    if (time == 0) return 0;
    if (time > proven) {
        struct text text = {0};
        sub_core_grid_print(&stated, &text);
        text_string(&text, "\nas it turns out: ");
        sub_core_grid_print(&actual, &text);
        fail_msg("%" PRIu32 " > k-serial %" PRIu64 "\n%s", time, proven, text.data);
    }
    census->explored++;
    census->attained += time == proven;
    for (enum serial_mutant m = SERIAL_AS_PROVEN + 1; m < SERIAL_MUTANTS; m++)
        census->broken[m] += time > naive_serial_bound(&stated, m);
    const uint64_t claimed = naive_serial_bound(&stated, mutant);
    return (double)time / (double)(claimed == 0 ? 1 : claimed) -
           (mutant != SERIAL_AS_PROVEN && claimed == proven ? 0.5 : 0);
}

static void climb(uint64_t seed, struct climb_census *census) {
    const size_t kinds = sizeof limits / sizeof *limits;
    struct random_state random = random_seeded(seed);
    const struct climb_limits *within = &limits[seed % kinds];
    const enum serial_mutant mutant = (enum serial_mutant)(seed / kinds % SERIAL_MUTANTS);
    struct climb_case best;
    climb_case_make(&random, within, &best);
    double nearest = nearness(&best, mutant, census);
    for (uint32_t step = 0; step < CLIMB_STEPS; step++) {
        struct climb_case next = best;
        for (uint64_t changes = 1 + random_below(&random, 3); changes > 0; changes--)
            climb_case_change(&random, within, &next);
        const double near = nearness(&next, mutant, census);
        if (near < nearest) continue;
        nearest = near;
        best = next;
    }
}

/* The same grids in every build: which of them show a mistake is known. */
static void test_every_schedule(void **state) {
    (void)state;
    struct climb_census census = {0};
    for (uint64_t seed = 1; seed <= 100; seed++)
        climb(seed, &census);
    print_message("%" PRIu64 " grids, %" PRIu64 " attain the bound\n", census.explored, census.attained);
    for (enum serial_mutant m = SERIAL_AS_PROVEN + 1; m < SERIAL_MUTANTS; m++) {
        print_message("%s: %" PRIu64 "\n", serial_mutant_names[m], census.broken[m]);
        assert_true(census.broken[m] > 0);
    }
    assert_true(census.attained * 10 > census.explored);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_the_definition),
        cmocka_unit_test(test_every_schedule),
    };
    return cmocka_run_group_tests_name("serial times of kernels", tests, NULL, NULL);
}
