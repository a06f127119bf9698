#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/occupancy.h"

/* A row: limits, what a block takes, and how many fit. */
struct row {
    struct machine_limits limits;
    struct block_demand demand;
    uint32_t blocks;
};

static void test_limits(void **state) {
    (void)state;
    static const struct row rows[] = {
        {{.blocks = 8, .warps = 48, .threads = 1536}, {.warps = 8, .threads = 256}, 6},
        {{.blocks = 8, .warps = 48, .threads = 1536}, {.warps = 2, .threads = 64}, 8},
        {{.blocks = 8, .warps = 48, .threads = 1024}, {.warps = 8, .threads = 256}, 4},
        {{.threads = 96}, {.warps = 2, .threads = 33}, 1},
        {{.blocks = 8, .shared_bytes = 49152}, {.warps = 1, .threads = 32, .shared_bytes = 16384}, 3},
        {{.blocks = 8, .shared_bytes = 49152}, {.warps = 1, .threads = 32, .shared_bytes = 49153}, 0},
        {{.blocks = 8, .registers = 32768}, {.warps = 8, .threads = 256, .thread_registers = 21}, 6},
        {{.blocks = 8, .registers = 32768}, {.warps = 8, .threads = 256}, 8},
        {{.blocks = 8, .threads_per_block = 512}, {.warps = 17, .threads = 513}, 0},
        {{0}, {.warps = 8, .threads = 256, .shared_bytes = 1 << 20}, BLOCKS_UNLIMITED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wb_machine machine = {.limits = rows[i].limits};
        if (machine_resident_blocks(&machine, &rows[i].demand) != rows[i].blocks)
            fail_msg("row %zu: %u", i, machine_resident_blocks(&machine, &rows[i].demand));
    }
}

static void test_channels(void **state) {
    (void)state;
    struct wb_machine machine = {.limits = {.blocks = 8}, .memory = {.channels = 20}};
    const struct block_demand small = {.warps = 2, .threads = 64}, large = {.warps = 8, .threads = 256},
                              huge = {.warps = 21, .threads = 672};
    assert_int_equal(machine_resident_blocks_reordered(&machine, &small), 8);
    assert_int_equal(machine_resident_blocks_reordered(&machine, &large), 2);
    assert_int_equal(machine_resident_blocks_reordered(&machine, &huge), 0);
    assert_int_equal(machine_resident_blocks(&machine, &huge), 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_channels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
