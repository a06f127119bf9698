/* Bounds of kernels on SMs with several sub-cores, held against searches that know nothing of the library's
 * code: sub_core_explorer.h, naive_chain_bounds.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "naive_grid_explorer.h"
#include "random_grid.h"
#include "sub_core_explorer.h"

static const uint32_t every_depth[] = {0, 1, 2, DEPTH_UNLIMITED};

static const struct random_grid_shape tiny = {
    .block = {.units = 3,
              .init = 4,
              .latency = 4,
              .warps = 3,
              .insts = 3,
              .barrier_percent = 20,
              .real_percent = 10,
              .alias_percent = 30,
              .instances = 2,
              .sub_cores = 3,
              .width = 2,
              .release = 2},
    .depths = every_depth,
    .depth_count = 4,
    .classes = 2,
    .blocks = 5,
    .sms = 2,
    .resident = 3,
    .dispatch_latency = 2,
    .dispatch_service = 2,
    .free_percent = 60,
};

/* Two searches that share no code find the same worst case. */
static void test_explorers_agree(void **state) {
    (void)state;
    static struct sub_core_grid grid;
    uint32_t compared = 0, sub_cores = 0;
    const uint32_t rounds = random_rounds(2400);
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_grid made;
        random_grid_make(seed, &tiny, &made);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_explorers_agree)};
    return cmocka_run_group_tests_name("kernels on several sub-cores", tests, NULL, NULL);
}
