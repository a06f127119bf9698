/* Random tiny grids: no schedule and no dispatch exceeds a proven bound of the kernel, often one reaches it,
 * and a bound with a mistake in it does not pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <inttypes.h>

#include "address_sanitizer.h"
#include "kernel_check.h"

/* Grids of a family, and every how manieth the naive search tries as well. */
#define GRIDS 6300
#define NAIVE_PERIOD 6

static const char *const bound_names[NAIVE_BOUND_COUNT] = {
    [NAIVE_AREA] = "k-area", [NAIVE_BALANCE] = "k-bal", [NAIVE_ONE_SM] = "k-sm"};

/* What all grids have shown. */
static struct kernel_census all;

static void test_family(void **state) {
    const struct kernel_family *family = &kernel_families[(uintptr_t)*state];
    struct kernel_census census = {0};
    const uint32_t grids = random_rounds(3 * GRIDS);
    for (uint64_t seed = 1; seed <= grids; seed++) {
        struct text violation = {0};
        if (!kernel_check(family, seed, seed % NAIVE_PERIOD == 0, &census, &violation))
            fail_msg("%s\n%s", family->name, violation.data);
        text_free(&violation);
    }
    print_message(
        "%" PRIu64 " grids searched, %" PRIu64 " twice; least bound attained in %.0f %%, on average "
        "%.3f of the worst case\n",
        census.searched, census.again, 100.0 * (double)census.attained_by_least / (double)census.searched,
        census.looseness / (double)census.searched);
    assert_true(census.searched * 10 > (uint64_t)grids * 8);
    assert_true(census.again * 20 > census.searched);
    assert_true(census.attained_by_least * 10 > census.searched);
    kernel_census_add(&all, &census);
}

static void test_bounds_are_attained(void **state) {
    (void)state;
    for (enum naive_bound b = 0; b < NAIVE_BOUND_COUNT; b++)
        if (all.attained[b] * 10 <= all.bounded[b])
            fail_msg("%s equals the worst case in %" PRIu64 " of %" PRIu64 " grids", bound_names[b],
                     all.attained[b], all.bounded[b]);
}

/* Mistakes that there is no place for in a bound. */
static bool is_impossible(enum naive_bound bound, enum naive_mistake mistake) {
    if (bound == NAIVE_AREA) return mistake == MISTAKE_SHARE || mistake == MISTAKE_TURNS;
    return bound == NAIVE_ONE_SM && (mistake == MISTAKE_SM || mistake == MISTAKE_NO_TAIL ||
                                     mistake == MISTAKE_TAIL_OF_ONE || mistake == MISTAKE_TAIL_LATENCY);
}

static void test_mistakes_are_caught(void **state) {
    (void)state;
    if (ADDRESS_SANITIZER) skip(); /* too few grids for the rarer ones */
    for (enum naive_bound b = 0; b < NAIVE_BOUND_COUNT; b++) {
        for (enum naive_mistake m = 1; m < MISTAKE_COUNT; m++) {
            assert_int_equal(all.made[b][m] == 0, is_impossible(b, m));
            if (all.made[b][m] > 0 && all.caught[b][m] == 0)
                fail_msg("%s with '%s' passes all grids, %" PRIu64 " of which it is lower for",
                         bound_names[b], naive_mistake_names[m], all.made[b][m]);
        }
    }
}

int main(void) {
    struct CMUnitTest tests[KERNEL_FAMILIES + 2];
    for (size_t f = 0; f < KERNEL_FAMILIES; f++)
        tests[f] = (struct CMUnitTest){
            .name = kernel_families[f].name, .test_func = test_family, .initial_state = (void *)(uintptr_t)f};
    tests[KERNEL_FAMILIES] = (struct CMUnitTest)cmocka_unit_test(test_bounds_are_attained);
    tests[KERNEL_FAMILIES + 1] = (struct CMUnitTest)cmocka_unit_test(test_mistakes_are_caught);
    return cmocka_run_group_tests_name("random grids", tests, NULL, NULL);
}
