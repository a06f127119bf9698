/* The order of accesses: against its definition, on random grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access_replay.h"
#include "hand_grid.h"
#include "memory/requests/requests.h"

/* The order of one SM as text: instruction, block.warp. */
static char *order_text(const struct traffic *traffic, const struct sm_share *share) {
    struct access_order order;
    struct ordered_access next;
    struct text text = {0};
    assert_int_equal(access_order_begin(traffic, share, &order), WB_OK);
    while (access_order_next(&order, &next))
        text_printf(&text, "%s%c%u.%u", text.length == 0 ? "" : " ", 'A' + (char)next.access->instruction,
                    next.block, next.warp);
    assert_false(access_order_next(&order, &next));
    access_order_end(&order);
    return text_take(&text);
}

static void check_order(const char *blocks, struct sm_share share, const char *expected) {
    struct hand_grid hand;
    struct traffic traffic;
    hand_grid_make(&hand, blocks);
    assert_int_equal(traffic_make(&hand.grid, &hand.machine, NULL, &traffic), WB_OK);
    char *text = order_text(&traffic, &share);
    assert_string_equal(text, expected);
    free(text);
    traffic_free(&traffic);
    hand_grid_free(&hand);
}

static void test_examples(void **state) {
    (void)state;
    const struct sm_share one = {0, 1, 8}, alone = {0, 1, 1}, second = {1, 2, 2};
    check_order("L0=0 L1=0 L0=0 L1=0 L2=0; L0=0 L1=0 L2=0", one, "A0.0 A0.1 B0.0 B0.1 C0.1 A0.0 B0.0 C0.0");
    check_order("| L0=0; L0=0 U0 |", one, "A0.1 A0.0");
    check_order("2*L0=0 L1=0", one, "A0.0 A1.0 B0.0 B1.0");
    check_order("2*L0=0 L1=0", alone, "A0.0 B0.0 A1.0 B1.0");
    check_order("2*2x L0=0", one, "A0.0 A0.1 A1.0 A1.1");
    check_order("9*L0=0 L1=0", second, "A1.0 A3.0 B1.0 B3.0 A5.0 A7.0 B5.0 B7.0");
    check_order("L0=0 / X / X / X / L0=0", second, "");
    check_order("X / X / L0=0", alone, "A2.0");
    check_order("L0=0", second, "");
}

/* Every SM of a random grid. */
static void check_random(uint64_t seed) {
    struct random_state random = random_seeded(seed);
    const struct hand_shape shape = {.warps = 1 + (uint32_t)random_below(&random, 4),
                                     .accesses = 6,
                                     .instructions = 1 + (uint32_t)random_below(&random, 6),
                                     .lines = 9,
                                     .lanes = 2,
                                     .store_percent = 20,
                                     .barrier_percent = 25};
    struct hand_grid hand;
    struct traffic traffic;
    hand_grid_begin(&hand);
    uint32_t blocks = 1 + (uint32_t)random_below(&random, 12);
    for (uint32_t b = 0; b < blocks; b++)
        hand_grid_add_random(&hand, &random, &shape);
    assert_int_equal(traffic_make(&hand.grid, &hand.machine, NULL, &traffic), WB_OK);
    struct sm_share share = {.sms = 1 + (uint32_t)random_below(&random, 3),
                             .resident = 1 + (uint32_t)random_below(&random, 5)};
    for (share.sm = 0; share.sm < share.sms; share.sm++) {
        size_t count;
        struct ordered_access *sorted = access_order_sorted(&traffic, &share, false, &count), next;
        struct access_order order;
        assert_int_equal(access_order_begin(&traffic, &share, &order), WB_OK);
        for (size_t i = 0; i <= count; i++) {
            bool more = access_order_next(&order, &next);
            if (more != (i < count) ||
                (more && (next.access != sorted[i].access || next.block != sorted[i].block ||
                          next.warp != sorted[i].warp || next.pattern != sorted[i].pattern)))
                fail_msg("seed %llu, SM %u of %u, %u resident: access %zu of %s", (unsigned long long)seed,
                         share.sm, share.sms, share.resident, i, hand.text.data);
        }
        access_order_end(&order);
        free(sorted);
    }
    traffic_free(&traffic);
    hand_grid_free(&hand);
}

static void test_random(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++)
        check_random(seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
