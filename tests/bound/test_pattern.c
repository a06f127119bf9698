/* Patterns of issue: they serve somebody whenever somebody is ready, in the order that they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bound/search/annealing.h"

#define SLOTS 4u
#define BLOCK_WARPS 3u
#define WARPS (SLOTS * BLOCK_WARPS)

/* An SM of two sub-cores with four blocks of three warps each: warp w has executed 10 w instructions, and its
 * next one is for unit w mod 4. */
struct stage {
    struct arena arena;
    struct wb_machine machine;
    struct pattern pattern;
    struct policy_warp warps[WARPS];
    uint32_t oldest_first[SLOTS];
    uint64_t ready, running, members;
    struct policy_view view;
};

static void set_stage(struct stage *stage) {
    *stage = (struct stage){.machine = {.sub_cores = 2, .unit_count = 4},
                            .oldest_first = {2, 0, 3, 1},
                            .ready = (1u << WARPS) - 1,
                            .running = (1u << WARPS) - 1};
    for (uint32_t w = 0; w < WARPS; w++)
        stage->warps[w] = (struct policy_warp){.step = 10 * (uint64_t)w, .unit = w % 4};
    for (uint32_t w = 0; w < WARPS; w += 2)
        stage->members |= UINT64_C(1) << w;
    stage->view = (struct policy_view){.ready = &stage->ready,
                                       .running = &stage->running,
                                       .members = &stage->members,
                                       .words = 1,
                                       .oldest_first = stage->oldest_first,
                                       .blocks = SLOTS,
                                       .block_warps = BLOCK_WARPS,
                                       .last = 4,
                                       .warps = stage->warps};
    assert_int_equal(pattern_init(&stage->pattern, &stage->machine, SLOTS, BLOCK_WARPS, &stage->arena),
                     WB_OK);
}

static uint32_t pick_by(struct stage *stage, enum pattern_rule rule, bool reversed) {
    stage->pattern.rule_count = 1;
    stage->pattern.rules[0] = (uint8_t)rule;
    stage->pattern.reversed[rule] = reversed;
    return pattern_pick(&stage->pattern, &stage->view);
}

static void test_rules(void **state) {
    (void)state;
    struct stage stage;
    set_stage(&stage);
    assert_int_equal(pattern_pick(&stage.pattern, &stage.view), 6); /* round-robin, of even numbers */
    assert_int_equal(pick_by(&stage, RULE_PROGRESS, false), 0);
    assert_int_equal(pick_by(&stage, RULE_PROGRESS, true), 10);
    assert_int_equal(pick_by(&stage, RULE_UNIT, false), 8); /* unit 0, the next behind warp 4 */
    assert_int_equal(pick_by(&stage, RULE_UNIT, true), 6);  /* unit 2 */
    assert_int_equal(pick_by(&stage, RULE_AGE, false), 6);  /* block 2 */
    assert_int_equal(pick_by(&stage, RULE_AGE, true), 4);   /* block 1 */
    assert_int_equal(pick_by(&stage, RULE_GREEDY, false), 4);
    warp_set_add(stage.pattern.victims, 6);
    assert_int_equal(pick_by(&stage, RULE_VICTIM, false), 8);
    assert_int_equal(pick_by(&stage, RULE_VICTIM, true), 6);
    stage.pattern.coarseness = 8; /* all have executed equally much */
    assert_int_equal(pick_by(&stage, RULE_PROGRESS, false), 6);
    arena_free(&stage.arena);
}

/* Whatever a pattern is: a ready member of the sub-core issues; nobody hurries unless somebody may. */
static void test_work_conserving(void **state) {
    (void)state;
    struct stage stage;
    struct random_state random = random_seeded(1);
    set_stage(&stage);
    for (uint32_t round = 0; round < 20000; round++) {
        const bool may_hurry = round % 2 == 0;
        if (!pattern_begin(&stage.pattern, round % 30, may_hurry)) continue;
        for (uint64_t changes = random_below(&random, 8); changes > 0; changes--)
            pattern_change(&stage.pattern, may_hurry, &random);
        assert_true(stage.pattern.rule_count <= PATTERN_RULE_COUNT);
        stage.ready = random_next(&random) & ((1u << WARPS) - 1);
        stage.view.last = (uint32_t)random_below(&random, WARPS);
        const uint32_t warp = pattern_pick(&stage.pattern, &stage.view);
        assert_true((warp == WARP_NONE) == ((stage.ready & stage.members) == 0));
        assert_true(warp == WARP_NONE || (stage.ready & stage.members) >> warp & 1);
        for (uint32_t w = 0; w < WARPS; w++)
            assert_true(may_hurry || !pattern_hurries(&stage.pattern, w));
    }
    arena_free(&stage.arena);
}

/* The first pattern with latencies to choose: one victim in each block, those of neighbouring slots in
 * different sub-cores, and all others hurry. */
static void test_victims(void **state) {
    (void)state;
    struct stage stage;
    set_stage(&stage);
    assert_true(pattern_begin(&stage.pattern, 0, true));
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        uint32_t victims = 0;
        for (uint32_t w = slot * BLOCK_WARPS; w < (slot + 1) * BLOCK_WARPS; w++) {
            const bool victim = warp_set_has(stage.pattern.victims, w);
            victims += victim;
            assert_true(pattern_hurries(&stage.pattern, w) == !victim);
            assert_true(!victim || w % 2 == slot % 2);
        }
        assert_int_equal(victims, 1);
    }
    arena_free(&stage.arena);
}

/* How many candidates a search has on an SM with so many slots for blocks of four warps. */
static uint64_t candidates_on(uint32_t slots) {
    const struct wb_machine machine = {.sub_cores = 1, .unit_count = 1};
    struct arena arena = {0};
    struct search_budget budget = {.work = ANNEALED_WORK};
    struct annealing annealing = {.method = "test"};
    assert_int_equal(annealing_begin(&annealing, &machine, slots, 4, 24000, 24000, &budget, &arena), WB_OK);
    arena_free(&arena);
    return annealing.candidates;
}

/* Every choice looks at the warps of its sub-core: where there are thousands, fewer candidates take as long.
 */
static void test_crowded_sub_cores(void **state) {
    (void)state;
    assert_true(candidates_on(1) == candidates_on(16)); /* as many as GPUs have */
    assert_true(candidates_on(1) > 100);
    assert_true(candidates_on(1024) >= 1 && candidates_on(1024) <= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules), cmocka_unit_test(test_work_conserving),
                                       cmocka_unit_test(test_victims),
                                       cmocka_unit_test(test_crowded_sub_cores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
