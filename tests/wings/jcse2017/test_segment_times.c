/* The segment equations of JCSE'17, section IV-A, against a machine that executes segments: exact for turns
 * of whole segments, and exceeded by every other scheduler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "segment_machine.h"

/* Three warps of Fig. 11's kind, by hand: T10 = 2, T20 = 3; T01 = max(3 + 2, 2 + 6) = 8, T11 = 9, T21 = 10.
 */
static void test_recurrence(void **state) {
    (void)state;
    const struct segment_program program = {
        .segments = {{{2, 6}, {1, 0}}, {{1, 2}, {1, 4}}, {{2, 1}, {3, 1}}},
        .counts = {2, 2, 2},
        .warp_count = 3,
    };
    /* w0: 0..2, 8..9; w1: 2..3, 9..10 + 4; w2: 3..5, 10..13 + 1. */
    assert_int_equal(segment_program_in_turn(&program), 14);
    assert_int_equal(segment_machine_run(&program, SEGMENT_TURNS, 0), 14);
    const struct segment_program none = {.warp_count = 0};
    assert_int_equal(segment_program_in_turn(&none), 0);
}

/* Warps with fewer segments are passed over. */
static void test_unequal_counts(void **state) {
    (void)state;
    const struct segment_program program = {
        .segments = {{{1, 0}}, {{1, 5}, {1, 0}, {1, 0}}}, .counts = {1, 3}, .warp_count = 2};
    assert_int_equal(segment_program_in_turn(&program), 9);
    assert_int_equal(segment_machine_run(&program, SEGMENT_TURNS, 0), 9);
}

/* Small programs that take longer than the equations say. */
static void test_counterexamples(void **state) {
    (void)state;
    static const struct {
        struct segment_program program;
        enum segment_policy policy;
        cycles equations, truth;
    } rows[] = {
        {{.segments = {{{2, 1}}, {{1, 0}}}, .counts = {1, 1}, .warp_count = 2}, LOOSE_ROUND_ROBIN, 3, 4},
        {{.segments = {{{1, 0}, {2, 0}}, {{1, 1}, {1, 0}}}, .counts = {2, 2}, .warp_count = 2},
         GREEDY_OLDEST,
         5,
         6},
        /* Identical warps. */
        {{.segments = {{{2, 3}, {2, 0}}, {{2, 3}, {2, 0}}}, .counts = {2, 2}, .warp_count = 2},
         LOOSE_ROUND_ROBIN,
         9,
         10},
        {{.segments = {{{2, 3}, {2, 0}}, {{2, 3}, {2, 0}}}, .counts = {2, 2}, .warp_count = 2},
         INSTRUCTION_TURNS,
         9,
         10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cycles equations = segment_program_in_turn(&rows[i].program);
        cycles truth = segment_machine_run(&rows[i].program, rows[i].policy, 0);
        if (equations != rows[i].equations || truth != rows[i].truth)
            fail_msg("row %zu: equations %d, machine %d", i, (int)equations, (int)truth);
    }
}

/* Eq. (4): two warps of two dependent loads, one of which always misses and takes L, the other always hits.
 * The mean latency L / 2 makes the kernel take L, and it takes twice as long. */
static void test_miss_rate_is_no_bound(void **state) {
    (void)state;
    const cycles miss = 1000, mean = miss / 2;
    const struct segment_program averaged = {
        .segments = {{{1, mean}, {1, mean}}, {{1, mean}, {1, mean}}}, .counts = {2, 2}, .warp_count = 2};
    const struct segment_program real = {
        .segments = {{{1, miss}, {1, miss}}, {{1, 0}, {1, 0}}}, .counts = {2, 2}, .warp_count = 2};
    cycles estimate = segment_program_in_turn(&averaged);
    assert_in_range(estimate, miss, miss + 4);
    assert_in_range(segment_machine_run(&real, LOOSE_ROUND_ROBIN, 0), 2 * miss, 2 * miss + 4);
}

static void random_program(struct random_state *random, struct segment_program *program) {
    memset(program, 0, sizeof *program);
    program->warp_count = 1 + random_below(random, 4);
    for (size_t i = 0; i < program->warp_count; i++) {
        program->counts[i] = 1 + random_below(random, 4);
        for (size_t j = 0; j < program->counts[i]; j++) {
            program->segments[i][j].issue = 1 + random_below(random, 4);
            program->segments[i][j].execute = random_below(random, 8);
        }
    }
}

/* Thousands of programs: equality for turns of whole segments; what every work-conserving scheduler keeps is
 * the sum of all LI plus the longest sum of LE; and each other scheduler exceeds the equations sometimes. */
static void test_random_programs(void **state) {
    (void)state;
    const unsigned rounds = 5000;
    unsigned beyond[ANY_READY + 1] = {0};
    for (uint64_t seed = 1; seed <= rounds; seed++) {
        struct random_state random = random_seeded(seed);
        struct segment_program program;
        random_program(&random, &program);
        cycles equations = segment_program_in_turn(&program), sum = segment_program_sum(&program);
        for (enum segment_policy policy = SEGMENT_TURNS; policy <= ANY_READY; policy++) {
            cycles truth = segment_machine_run(&program, policy, seed);
            if (policy == SEGMENT_TURNS && truth != equations)
                fail_msg("seed %d: equations %d, machine %d", (int)seed, (int)equations, (int)truth);
            if (policy >= LOOSE_ROUND_ROBIN && truth > sum)
                fail_msg("seed %d, policy %d: %d exceeds %d", (int)seed, (int)policy, (int)truth, (int)sum);
            beyond[policy] += truth > equations;
        }
    }
    assert_true(beyond[INSTRUCTION_TURNS] > rounds / 3);
    assert_true(beyond[LOOSE_ROUND_ROBIN] > rounds / 10);
    assert_true(beyond[GREEDY_OLDEST] > rounds / 20);
}

/* Waiting for the warp whose turn it is can take longer than the sum that holds for work-conserving issue. */
static void test_turns_exceed_the_sum(void **state) {
    (void)state;
    const struct segment_program program = {
        .segments = {{{1, 9}, {1, 0}, {1, 0}}, {{1, 0}, {1, 9}, {1, 0}}}, .counts = {3, 3}, .warp_count = 2};
    assert_true(segment_machine_run(&program, SEGMENT_TURNS, 0) > segment_program_sum(&program));
    assert_true(segment_machine_run(&program, INSTRUCTION_TURNS, 0) > segment_program_sum(&program));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recurrence),      cmocka_unit_test(test_unequal_counts),
        cmocka_unit_test(test_counterexamples), cmocka_unit_test(test_miss_rate_is_no_bound),
        cmocka_unit_test(test_random_programs), cmocka_unit_test(test_turns_exceed_the_sum),
    };
    return cmocka_run_group_tests_name("segment times", tests, NULL, NULL);
}
