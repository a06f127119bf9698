/* Random tiny grids on SMs of one sub-core and of several, with queues of every kind: the worst case that the
 * search finds, a second search, simulations, and the proven bounds of kernels keep their order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exact_check.h"

/* Grids of a family, of which the suite takes a third: sub-cores that are exchanged although blocks execute
 * different programs on them show at seed 158. Every how manieth the naive search tries as well. */
#define GRIDS 480
#define NAIVE_PERIOD 2

static void test_family(void **state) {
    const struct exact_family *family = &exact_families[*(const size_t *)*state];
    struct exact_census census = {0};
    struct text shown = {0};
    const uint32_t grids = random_rounds(3 * GRIDS); /* a few leave the shares below open */
    for (uint64_t seed = 1; seed <= grids; seed++) {
        struct text violation = {0};
        if (!exact_check(family, seed, seed % NAIVE_PERIOD == 0, &census, &violation))
            fail_msg("%s\n%s", family->name, violation.failed ? "out of memory" : violation.data);
        text_free(&violation);
    }
    exact_census_print(&census, &shown);
    print_message("%s\n", shown.failed ? "" : shown.data);
    text_free(&shown);
    assert_true(census.searched > 10 * census.unsearched);
    assert_true(census.again * 8 > census.searched);
}

int main(void) {
    struct CMUnitTest tests[EXACT_FAMILIES];
    size_t numbers[EXACT_FAMILIES];
    for (size_t f = 0; f < EXACT_FAMILIES; f++) {
        numbers[f] = f;
        tests[f] = (struct CMUnitTest){
            .name = exact_families[f].name, .test_func = test_family, .initial_state = &numbers[f]};
    }
    return cmocka_run_group_tests_name("worst cases of grids", tests, NULL, NULL);
}
