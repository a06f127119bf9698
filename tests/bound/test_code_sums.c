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

/* Whether a wait is found to come too soon on a path of runs of so many instructions, in code of a load that
 * counts up, with that stall, of what waits for its counter, and of the load and the other once more. */
static bool is_unseen(uint32_t stall, const uint32_t (*runs)[2], size_t run_count) {
    const struct sass_timed waiting = {.stall = 1,
                                       .stall_least = 1,
                                       .slot = 1,
                                       .waits = 1,
                                       .write_counter = SASS_NO_COUNTER,
                                       .read_counter = SASS_NO_COUNTER,
                                       .left_counter = SASS_NO_COUNTER};
    struct sass_timed load = waiting;
    load.waits = 0, load.write_counter = 0, load.stall_least = stall;
    struct sass_timed sass[4] = {load, waiting, load, waiting};
    struct timed_inst insts[4] = {{0}};
    uint32_t origin[4] = {0, 1, 0, 1};
    struct wb_machine machine = {.sub_cores = 1};
    struct path_writer writer = {0};
    struct path path;
    for (size_t r = 0; r < run_count; r++)
        assert_int_equal(path_append_run(&writer, runs[r][0], runs[r][1], UINT32_MAX), WB_OK);
    assert_int_equal(path_finish(&writer, &path), WB_OK);
    path_writer_free(&writer);
    const struct timed_block block = {
        .machine = &machine,
        .code = {.insts = insts, .inst_count = 4, .sass = sass, .origin = origin},
        .paths = &path,
        .path_count = 1};
    struct pipeline_rules rules;
    assert_int_equal(pipeline_rules_make(&block, &rules), WB_OK);
    path_free(&path);
    return rules.unseen;
}

/* A load in the cycle before its counter is waited for: in a run, from an entry of its own behind the
 * kernel's code to what waits, in such entries, and from the end of a loop to its start, as often as it is
 * gone round. In the kernel's code what waits stands before the second load. */
static void test_waits_that_come_too_soon_are_found(void **state) {
    (void)state;
    static const uint32_t run[][2] = {{0, 2}}, variant[][2] = {{2, 1}, {1, 1}}, variants[][2] = {{2, 2}},
                          loop[][2] = {{1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}},
                          apart[][2] = {{1, 1}, {0, 1}};
    for (uint32_t stall = 1; stall <= 2; stall++) {
        assert_int_equal(is_unseen(stall, run, 1), stall == 1);
        assert_int_equal(is_unseen(stall, variant, 2), stall == 1);
        assert_int_equal(is_unseen(stall, variants, 1), stall == 1);
        assert_int_equal(is_unseen(stall, loop, 2), stall == 1);
        assert_int_equal(is_unseen(stall, loop, 8), stall == 1);
        assert_false(is_unseen(stall, apart, 2));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_that_come_too_soon_are_found),
        cmocka_unit_test(test_sums_are_bounds),
        cmocka_unit_test(test_loops_are_walked_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
