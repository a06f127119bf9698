/* What blocks amount to by sub-cores, worked out by hand: W, X, chg and sigma of docs/sub-core-bounds.md, and
 * how grids add them up. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bound/grid/block_classes.h"
#include "bound/kernel/chain_times.h"
#include "bound/kernel/kernel_bounds.h"
#include "written_grid.h"

#define EXTRAS_MAX 8u

/* A block on two or more sub-cores, and what it is. */
struct share_case {
    const char *machine, *units, *programs;
    enum chain_window window;
    cycles work, own;
    uint64_t turns;
    struct chain_extra extras[EXTRAS_MAX]; /* the dearest first; up to one that costs nothing */
};

#define TWO "dispatch_depth: 0\nsub_cores: 2"
#define THREE "dispatch_depth: 0\nsub_cores: 3"

static const struct share_case share_cases[] = {
    /* e = 5, 3 and 2 that they share; A 0..5, the units are free then */
    {TWO, "A/(5,0) B/(3,0) U(1,0)", "A U; B U", CHAIN_SECTIONS, 7, 0, 1, {{3, 1}}},
    /* sections of (4, 1) and (1, 4): no sub-core has more than 5, but the sum of the larger ones is 8. The
       instructions of the first leave 3 and 0 behind: sigma is 3. lam = 2 is more than what SIB leaves. */
    {TWO, "A/(4,0) B/(1,2)", "A | B; B | A", CHAIN_SECTIONS, 8, 0, 2, {{4, 2}, {3, 1}}},
    {TWO, "A/(4,0) B/(1,2)", "A | B; B | A", CHAIN_WHOLE, 5, 3, 2, {{5, 1}}},
    /* in the order of issue nothing is left behind, and lam is what counts */
    {TWO, "A/(4,0) B/(1,2)", "A | B; B | A", CHAIN_ISSUED, 8, 2, 2, {{1, 2}}},
    /* at depth 2 there is a queue of two more, but nothing else was sent: 4 on A, 1 on B */
    {"dispatch_depth: 2\nsub_cores: 2",
     "A/(4,0) B/(1,2)",
     "A | B; B | A",
     CHAIN_SECTIONS,
     8,
     2,
     2,
     {{5, 2}, {4, 1}}},
    /* that of four: 3 under way, 8 in the queue, with 3 more of B */
    {"dispatch_depth: 2\nsub_cores: 2",
     "A/(4,0) B/(1,2)",
     "A A A A B B B B B | B; B | A",
     CHAIN_SECTIONS,
     25,
     2,
     2,
     {{14, 2}, {13, 1}}},
    /* a result that is read, of whatever comes behind: no A is left, and the reader, 1 */
    {"dispatch_depth: unlimited\nsub_cores: 2",
     "A/(4,0) B/(1,2)",
     "A A B.1 | B; B | A",
     CHAIN_SECTIONS,
     13,
     2,
     2,
     {{2, 2}, {1, 1}}},
    /* of the first A says nothing that the second is there, where there are two instances */
    {"dispatch_depth: unlimited\nsub_cores: 2",
     "A/*2(4,0) B/(1,2)",
     "A A B.1 | B; B | A",
     CHAIN_SECTIONS,
     13,
     2,
     2,
     {{6, 2}, {5, 1}}},
    /* two instances can each have 3 left */
    {TWO, "A/*2(4,0) B/(1,0)", "A A | B; B B | A A", CHAIN_SECTIONS, 16, 0, 2, {{8, 1}, {7, 1}, {6, 1}}},
    /* what comes behind the last barrier leaves nothing behind one */
    {TWO, "A/(4,0) B/(1,0)", "B | A; B | A", CHAIN_SECTIONS, 5, 0, 2, {{4, 1}, {1, 1}}},
    /* three sub-cores with 6, 4, 1 in one section */
    {THREE, "A/(1,0)", "A A A A A A; A A A A; A", CHAIN_SECTIONS, 6, 0, 1, {{4, 1}, {1, 1}}},
    /* barriers are of their sub-core, too: {0, 1}, {0, 1}, {0} are two changes; {0, 1}, {0, 1}, {1}, too */
    {TWO, "A/(1,0)", "A | A | A; | |", CHAIN_SECTIONS, 3, 0, 3, {{0, 0}}},
    {TWO, "A/(1,0)", "A | A |; | | A", CHAIN_SECTIONS, 3, 0, 3, {{0, 0}}},
    /* warps that have ended are not: {0, 1}, {0}, {0} is one change, {0, 1}, {0, 1}, {0} are two */
    {TWO, "A/(1,0)", "A | A | A; A", CHAIN_SECTIONS, 3, 0, 2, {{1, 1}}},
    {TWO, "A/(1,0)", "A | A | A; A | A", CHAIN_SECTIONS, 3, 0, 3, {{1, 2}}},
};

static void expect_share(const struct share_case *that, const struct block_chain *chain) {
    const struct chain_share *share = &chain->shares[that->window];
    assert_true(chain->known[that->window]);
    if (share->work != that->work || share->own != that->own || chain->turns != that->turns)
        fail_msg("%s: W %" PRIu64 ", own %" PRIu64 ", chg %" PRIu64, that->programs, share->work, share->own,
                 chain->turns);
    size_t wanted = 0;
    while (wanted < EXTRAS_MAX && that->extras[wanted].each > 0)
        wanted++;
    assert_int_equal(share->extra_count, wanted);
    for (size_t i = 0; i < wanted; i++)
        if (share->extras[i].each != that->extras[i].each || share->extras[i].count != that->extras[i].count)
            fail_msg("%s: extra %zu is %" PRIu64 ", %" PRIu64 " times", that->programs, i,
                     share->extras[i].each, share->extras[i].count);
}

static void test_shares(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof share_cases / sizeof *share_cases; i++) {
        const struct share_case *that = &share_cases[i];
        struct written_grid fixture;
        char text[512];
        (void)snprintf(text, sizeof text, "block: b\n%s\nunits: \"%s\"\nblocks: [\"%s\"]\n", that->machine,
                       that->units, that->programs);
        written_grid_open(&fixture, text);
        expect_share(that, &fixture.work.classes.items[0].chain);
        written_grid_close(&fixture);
    }
}

/* Two kinds: W 5 and extras 3, 1; W 4, extra 4. */
#define KINDS                                                                                                \
    "block: kinds\ndispatch_depth: 0\nsub_cores: 3\nunits: \"A/(1,9)\"\n"                                    \
    "blocks: [\"3* A A A A A; A A A; A\", \"2* A A A A; A A A A\"]\nresident: 2\nmemory: "

static void test_pools(void **state) {
    (void)state;
    struct written_grid fixture;
    written_grid_open(&fixture, KINDS "{sms: 1, dispatch: greedy}\n");
    const struct chain_work *chains = &fixture.work.chains;
    const struct chain_pool *pool = &chains->pools[CHAIN_SECTIONS];
    assert_int_equal(chains->turns_most, 1);
    assert_int_equal(chains->turns_total, 5);
    assert_int_equal(class_ranking_sum(&pool->by_work, 4), 19);
    assert_int_equal(class_ranking_total(&pool->by_work), 23);
    /* 4 + 4 + 3 + 3; no two blocks have more than 4 + 4 besides W; all of them have 4 each */
    assert_int_equal(chain_pool_extras(pool, 4, 5), 14);
    assert_int_equal(chain_pool_extras(pool, 4, 2), 8);
    assert_int_equal(chain_pool_extras(pool, UINT64_MAX, 5), 20);
    written_grid_close(&fixture);
}

/* The formulas on these: the own time of a block is lam, 9. */
static void test_times(void **state) {
    (void)state;
    struct written_grid fixture;
    written_grid_open(&fixture, KINDS "{sms: 1, dispatch: greedy}\n");
    const struct kernel_time together = chain_time_together(&fixture.work, 2);
    assert_int_equal(kernel_time_sum(&together), 10 + 9);
    /* F = 3: W^5, two changes of the one other slot, 4 + 4, and three turns */
    const struct kernel_time turns = chain_time_of_sm(&fixture.work, 2, 5);
    assert_int_equal(kernel_time_sum(&turns), 23 + 8 + 3 * 9);
    /* of four blocks, two in one slot: one change */
    const struct kernel_time other = chain_time_of_other(&fixture.work, 2, 4, 2);
    assert_int_equal(kernel_time_sum(&other), 19 + 4 + 2 * 9);
    /* (2 * 23 + TOP_{5 + 1 - 2} + 5 * 9 + 9) / 2 */
    const struct kernel_time area = chain_time_of_area(&fixture.work, 1, 2, 19, 0);
    assert_int_equal(kernel_time_sum(&area), (46 + 14 + 45 + 9) / 2);
    /* on two SMs and with a delay of 3: TOP_{5 + 1 - 4}, the tail of the other SM, one block that waits, and
       three of the last */
    const struct kernel_time wide = chain_time_of_area(&fixture.work, 2, 2, 19, 3);
    assert_int_equal(kernel_time_sum(&wide), (46 + 8 + 45 + 9 + 2 * 19 + 3 + 3 * 3) / 4);
    written_grid_close(&fixture);
}

/* With static dispatch the first of two SMs gets two blocks of the first kind and one of the second: W 14,
 * one change, two turns; the other one of each, which start together. */
static void test_known_blocks(void **state) {
    (void)state;
    struct written_grid fixture;
    written_grid_open(&fixture, KINDS "{sms: 2, dispatch: static}\n");
    const struct kernel_time turns = kernel_chain_static(&fixture.work, 2);
    assert_int_equal(kernel_time_sum(&turns), 14 + 4 + 2 * 9);
    struct chain_blocks last = {0};
    chain_blocks_add(&last, &fixture.work.classes.items[0]);
    chain_blocks_add(&last, &fixture.work.classes.items[1]);
    const struct kernel_time together = chain_time_of_blocks(&fixture.work, 2, &last);
    assert_int_equal(kernel_time_sum(&together), 5 + 4 + 9);
    written_grid_close(&fixture);
}

/* Two warps of four instructions that make 8 requests each, one on its way at a time: 64 requests are on
 * their way back for a cycle each, 64 stalls. Where they leave by units of two sub-cores, one that has its
 * turn in a cycle stalls the other sub-core: 64 more. In the order of issue so do two that all share. */
static void test_held_back_requests(void **state) {
    (void)state;
    static const struct {
        const char *unit;
        cycles stalls, work;
        bool in_order;
    } cases[] = {{"M/(8,1)", 128, 32, true}, {"M(8,1)", 64, 64, true}, {"M*2(8,1)", 64, 64, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct written_grid fixture;
        char text[512];
        (void)snprintf(text, sizeof text,
                       "block: b\ndispatch_depth: 0\nsub_cores: 2\nunits: \"%s\"\n"
                       "blocks: [\"2x M M.0 M.1 M.2\"]\nmemory_unit: M\n"
                       "memory: {sms: 1, service: 1, outstanding: 1}\n",
                       cases[i].unit);
        written_grid_open(&fixture, text);
        const struct block_class *class = &fixture.work.classes.items[0];
        assert_int_equal(class->stalls, 64);
        assert_int_equal(class->chain.shares[CHAIN_SECTIONS].work, cases[i].work + cases[i].stalls);
        assert_int_equal(class->chain.shares[CHAIN_SECTIONS].own, 4);
        assert_int_equal(class->chain.known[CHAIN_ISSUED], cases[i].in_order);
        assert_int_equal(class_ranking_total(&fixture.work.chains.by_all), 64 + cases[i].stalls);
        written_grid_close(&fixture);
    }
}

/* Blocks may leave out barriers of covering paths, and what reads results: they are not cut then. */
static void test_covering_paths(void **state) {
    (void)state;
    struct written_grid fixture;
    struct block_profile profile;
    struct block_chain chain;
    struct arena arena = {0};
    written_grid_open(&fixture, "block: b\ndispatch_depth: unlimited\nsub_cores: 2\nunits: \"A/(1,0)\"\n"
                                "blocks: [\"A A A A |; | A A A A\"]\n");
    const struct timed_block *timed = fixture.work.classes.items[0].timed;
    assert_int_equal(block_profile_make(timed, NULL, fixture.diagnostics, &profile), WB_OK);
    assert_int_equal(profile.spill, 4);
    for (int covering = 0; covering < 2; covering++) {
        const struct chain_demand demand = {8, 0, 8, covering == 1};
        assert_int_equal(block_chain_make(&profile, &demand, &arena, &chain), WB_OK);
        assert_int_equal(chain.known[CHAIN_SECTIONS], covering == 0);
        assert_int_equal(chain.known[CHAIN_ISSUED], covering == 0);
        assert_true(chain.known[CHAIN_WHOLE]);
        /* 8 cycles of issue are possible: not W = 4 of the whole with lam = 0 */
        assert_int_equal(chain.shares[CHAIN_WHOLE].work, 4);
        assert_int_equal(chain.shares[CHAIN_WHOLE].own, 4);
    }
    block_profile_free(&profile);
    arena_free(&arena);
    written_grid_close(&fixture);
}

/* On one sub-core nothing is beyond W, and nothing is more than K-SM. */
static void test_one_sub_core(void **state) {
    (void)state;
    struct written_grid fixture;
    written_grid_open(&fixture, "block: b\ndispatch_depth: 0\nunits: \"A(2,5) B(1,1)\"\n"
                                "blocks: [\"7* 2x A B.0 | B\"]\nresident: 2\n");
    const struct chain_share *share = &fixture.work.classes.items[0].chain.shares[CHAIN_SECTIONS];
    assert_int_equal(share->work, fixture.work.classes.items[0].initiations);
    assert_int_equal(share->extra_count, 0);
    const struct kernel_time plain = kernel_one_sm(&fixture.work, 2);
    const struct kernel_time chains = kernel_chain_one_sm(&fixture.work, 2);
    assert_true(kernel_time_sum(&chains) <= kernel_time_sum(&plain));
    written_grid_close(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_pools),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_known_blocks),
        cmocka_unit_test(test_held_back_requests),
        cmocka_unit_test(test_covering_paths),
        cmocka_unit_test(test_one_sub_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
