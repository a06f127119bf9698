/* code-sib, code-fib and code-elb as the library computes them, against every execution of small random
 * blocks, against the formulas of the tests, and along loops against the same instructions one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>

#include "bound/sass/code_profile.h"
#include "random_block.h"
#include "sass_block.h"
#include "sass_check.h"

#define FAMILY_ROUNDS 9000u
#define STATES 400

struct sums {
    cycles sib, fib, elb;
};

static struct sums sums_with(const struct sass_grid *grid, enum code_misses misses, uint32_t times,
                             bool unfolded) {
    struct wb_machine machine;
    struct timed_block block;
    struct code_profile profile;
    sass_block_from(grid, times, unfolded, &machine, &block);
    assert_int_equal(code_profile_make(&block, misses, &profile), WB_OK);
    const cycles beside = code_profile_releases(&profile) + profile.misses;
    const struct sums sums = {.sib = code_profile_sum(&profile, false) + beside,
                              .fib = code_profile_sum(&profile, true) + beside,
                              .elb = profile.work + profile.latency + beside};
    code_profile_free(&profile);
    timed_block_free(&block);
    return sums;
}

static struct sums sums_of(const struct sass_grid *grid, uint32_t times, bool unfolded) {
    return sums_with(grid, MISSES_ON_PATHS, times, unfolded);
}

static void fail_at(const struct sass_family *family, uint64_t seed, const struct sass_grid *grid,
                    const char *what) {
    struct text text = {0};
    text_printf(&text, "family \"%s\", seed %" PRIu64 ": %s\n", family->name, seed, what);
    sass_grid_print(grid, &text);
    fputs(text.data, stderr);
    text_free(&text);
    fail();
}

/* What the library says is no less than the tests' formulas, mostly the same, and no execution is longer. */
static void test_sums_are_bounds(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(FAMILY_ROUNDS);
    for (size_t f = 0; f < SASS_FAMILIES; f++) {
        uint32_t same = 0;
        for (uint64_t seed = 1; seed <= rounds; seed++) {
            struct sass_grid grid;
            random_sass_grid(&sass_families[f], seed, &grid);
            grid.blocks = grid.sms = grid.slots = 1;
            const struct sums sums = sums_of(&grid, 1, false);
            const struct sass_bounds naive = naive_sass_block(&grid, 0, SASS_AS_PROVEN);
            const uint32_t time = sass_explore(&grid, STATES);
            const struct sums beside = sums_with(&grid, MISSES_BESIDE, 1, false);
            if (sums.sib < time || sums.fib < time || sums.elb < time)
                fail_at(&sass_families[f], seed, &grid, "an execution is longer than a bound");
            if (beside.sib < time || beside.fib < time || beside.elb < time)
                fail_at(&sass_families[f], seed, &grid, "an execution is longer than with misses beside");
            if (sums.sib < naive.sib || sums.fib < naive.fib || sums.elb < naive.elb)
                fail_at(&sass_families[f], seed, &grid, "less than proven");
            same += sums.sib == naive.sib && sums.fib == naive.fib && sums.elb == naive.elb;
        }
        printf("%s: the same in %" PRIu32 " of %" PRIu32 "\n", sass_families[f].name, same, rounds);
        assert_true(same > rounds / 10 * 3); /* chains end at barriers there */
    }
}

/* The last section of a loop is taken for one like those before, which have an instruction behind them. */
static void test_loops_are_walked_exactly(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(FAMILY_ROUNDS / 10);
    for (size_t f = 0; f < SASS_FAMILIES; f++) {
        uint32_t same = 0;
        for (uint64_t seed = 1; seed <= rounds; seed++) {
            struct sass_grid grid;
            random_sass_grid(&sass_families[f], seed, &grid);
            sass_grid_end_in_jumps(&grid);
            const uint32_t times = 9 + (uint32_t)(seed % 60);
            const struct sums folded = sums_of(&grid, times, false), plain = sums_of(&grid, times, true);
            if (folded.sib < plain.sib || folded.fib < plain.fib || folded.elb < plain.elb)
                fail_at(&sass_families[f], seed, &grid, "a loop is less than its instructions");
            same += folded.sib == plain.sib && folded.fib == plain.fib && folded.elb == plain.elb;
        }
        assert_true(same > rounds / 10 * 9);
    }
}

/* A load that counts up in the cycle before its counter is waited for, all executions of which are entries of
 * their own behind the kernel's code. */
static void test_waits_of_variants_are_looked_at(void **state) {
    (void)state;
    struct sass_timed sass[3] = {{.stall = 1,
                                  .stall_least = 1,
                                  .slot = 1,
                                  .write_counter = 0,
                                  .read_counter = SASS_NO_COUNTER,
                                  .left_counter = SASS_NO_COUNTER},
                                 {.stall = 1,
                                  .stall_least = 1,
                                  .slot = 1,
                                  .waits = 1,
                                  .write_counter = SASS_NO_COUNTER,
                                  .read_counter = SASS_NO_COUNTER,
                                  .left_counter = SASS_NO_COUNTER}};
    struct timed_inst insts[3] = {{0}};
    uint32_t origin[3] = {0, 1, 0};
    struct wb_machine machine = {.sub_cores = 1};
    struct path_writer writer = {0};
    struct path path;
    sass[2] = sass[0];
    assert_int_equal(path_append_run(&writer, 2, 1, UINT32_MAX), WB_OK);
    assert_int_equal(path_append_run(&writer, 1, 1, UINT32_MAX), WB_OK);
    assert_int_equal(path_finish(&writer, &path), WB_OK);
    path_writer_free(&writer);
    const struct timed_block block = {
        .machine = &machine,
        .code = {.insts = insts, .inst_count = 3, .sass = sass, .origin = origin},
        .paths = &path,
        .path_count = 1};
    for (uint32_t stall = 1; stall <= 2; stall++) {
        struct way_rules rules;
        sass[0].stall_least = sass[2].stall_least = stall;
        assert_int_equal(way_rules_make(&block, &rules), WB_OK);
        assert_int_equal(rules.unseen, stall == 1);
    }
    path_free(&path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_of_variants_are_looked_at),
        cmocka_unit_test(test_sums_are_bounds),
        cmocka_unit_test(test_loops_are_walked_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
