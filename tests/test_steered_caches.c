/* Random kernels whose control and addresses depend on data, on random machines with caches: what is said of
 * all executions holds for those that are tried. `steered_campaign` does more of the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_block.h"
#include "steered_check.h"

static void test_kernels(void **state) {
    (void)state;
    struct steered_census census = {0};
    struct text violation = {0};
    for (uint64_t seed = 1; seed <= random_rounds(120); seed++) {
        struct steered_case steered = {.seed = seed};
        if (steered_check(&steered, &census, &violation)) continue;
        steered_case_shrink(&steered);
        steered_case_print(&steered, &violation);
        fail_msg("%s", violation.failed ? "out of memory" : violation.data);
    }
    print_message("%u kernels, %u covered, %u bounded, %u simulations\n", (unsigned)census.kernels,
                  (unsigned)census.covered, (unsigned)census.bounded, (unsigned)census.simulations);
    assert_true(census.covered > census.kernels / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels)};
    return cmocka_run_group_tests_name("kernels steered by data on caches", tests, NULL, NULL);
}
