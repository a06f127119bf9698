/* Instruction fetch: the simulator by hand and against a naive one, and what it adds to bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "bound/grid/grid_work.h"
#include "naive_sim.h"
#include "random_block.h"
#include "random_policy.h"
#include "sim/gpu/gpu.h"
#include "thinned_block.h"

static const char *const all_policies[] = {"lrr", "gto", "rr", "oldest"};
#define POLICIES (sizeof all_policies / sizeof *all_policies)

static const struct sim_policy *policy_named(const char *name) {
    return policy_at(choose_index(name, wb_policy_name));
}

static wb_simulation run(const struct timed_block *block, const struct sim_policy *policy) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_simulation simulation;
    if (simulate(block, policy, NULL, NULL, diagnostics, &simulation) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return simulation;
}

/* Lets all warps of the block execute these instructions, in this order. */
static void set_path(struct synthetic_block *block, const uint32_t *insts, uint32_t count) {
    struct path_writer writer = {0};
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(path_append(&writer, insts[i], UINT32_MAX), WB_OK);
    for (size_t p = 0; p < block->paths.count; p++)
        path_free(&block->paths.items[p]);
    assert_int_equal(path_finish(&writer, &block->paths.items[0]), WB_OK);
    path_writer_free(&writer);
    block->paths.count = block->timed.path_count = 1;
    for (uint32_t w = 0; w < block->timed.warp_count; w++)
        block->timed.warp_path[w] = 0;
}

/* A block under "oldest" and when it ends. Instructions have 16 bytes. */
struct by_hand {
    const char *units, *warps;
    const char *path; /* digits: what all warps execute; NULL: their programs */
    struct machine_fetch fetch;
    cycles end;
    uint64_t fetches, misses;
};

#define FETCH(...)                                                                                           \
    { .instruction_bytes = 16, .miss_latency = 10, __VA_ARGS__ }
#define ONE_WARP(bytes, ways_, line_) .size = (bytes), .ways = (ways_), .line = (line_), .misses = 1

static const struct by_hand cases[] = {
    /* Two lines of two instructions, each a miss of 10 cycles: issues in 10, 11, 22, 23. */
    {"A(1,0)", "A A A A", NULL, FETCH(ONE_WARP(64, 1, 32), .buffer = 2, .per_cycle = 1), 24, 2, 2},
    /* 3 more cycles from the line to the warp: 13, 14, 28, 29. */
    {"A(1,0)", "A A A A", NULL, FETCH(ONE_WARP(64, 1, 32), .buffer = 2, .per_cycle = 1, .latency = 3), 30, 2,
     2},
    /* The buffer is longer than the rest of the line: the same as with two. */
    {"A(1,0)", "A A A A", NULL, FETCH(ONE_WARP(64, 1, 32), .buffer = 9, .per_cycle = 1), 24, 2, 2},
    /* One instruction a fetch, in one line: a miss, then hits without delay: 10, 11, 12, 13. */
    {"A(1,0)", "A A A A", NULL, FETCH(ONE_WARP(64, 1, 64), .buffer = 1, .per_cycle = 1), 14, 4, 1},
    /* Each of them takes 2 cycles: 12, 15, 18, 21. */
    {"A(1,0)", "A A A A", NULL, FETCH(ONE_WARP(64, 1, 64), .buffer = 1, .per_cycle = 1, .latency = 2), 22, 4,
     1},
    /* Results are waited for meanwhile: the second A has its operand in 30, and the third is fetched at 31.
     */
    {"A(1,19)", "A A.0 A", NULL, FETCH(ONE_WARP(32, 2, 16), .buffer = 1, .per_cycle = 1),
     61, /* fetches at 0, 11 and 31; issues at 10, 30 and 41 */
     3, 3},
    /* Warp 1 fetches in cycle 1 what is on its way for warp 0: issues in 10, 11, and 12, 13. */
    {"A(1,0)", "2x A A", NULL, FETCH(ONE_WARP(32, 1, 32), .buffer = 2, .per_cycle = 1), 14, 2, 1},
    /* Two lines, one at a time: the second miss begins in 10. */
    {"A(1,0)", "A; A", NULL, FETCH(ONE_WARP(32, 2, 16), .buffer = 1, .per_cycle = 1), 21, 2, 2},
    /* Two at a time: it begins in 1; two fetches a cycle: both begin in 0, and two units start both in 10. */
    {"A(1,0)", "A; A", NULL,
     FETCH(.size = 32, .ways = 2, .line = 16, .misses = 2, .buffer = 1, .per_cycle = 1), 12, 2, 2},
    {"A*2(1,0)", "A; A", NULL,
     FETCH(.size = 32, .ways = 2, .line = 16, .misses = 2, .buffer = 1, .per_cycle = 2), 11, 2, 2},
    /* While warp 1 waits for an entry, warp 2 hits: it fetches in cycle 2 what warp 0 has asked for. Issues
     * in 10 (0), 11 (2), 20 (1). */
    {"A(1,0)", "A; A; A", "", FETCH(ONE_WARP(32, 2, 16), .buffer = 1, .per_cycle = 1), 21, 3, 2},
    /* Three instructions of a line each, twice, in a cache of two lines: the one that is needed has always
     * gone. In one of three lines the second time hits: 10, 21, 32, 33, 34, 35. */
    {"A(1,0)", "A A A", "012012", FETCH(ONE_WARP(32, 2, 16), .buffer = 1, .per_cycle = 1), 66, 6, 6},
    {"A(1,0)", "A A A", "012012", FETCH(ONE_WARP(48, 3, 16), .buffer = 1, .per_cycle = 1), 36, 6, 3},
    /* Lines 0 and 2 share a set of one line: 0, 2 and 0 again miss; 1 hits when it comes again. */
    {"A(1,0)", "A A A", "012101", FETCH(ONE_WARP(32, 1, 16), .buffer = 1, .per_cycle = 1), 46, 6, 4},
    /* Forward within the buffer nothing is fetched, backward it is. */
    {"A(1,0)", "A A A A", "023", FETCH(ONE_WARP(64, 1, 64), .buffer = 4, .per_cycle = 1), 13, 1, 1},
    {"A(1,0)", "A A A A", "010", FETCH(ONE_WARP(64, 1, 64), .buffer = 4, .per_cycle = 1), 13, 2, 1},
    {"A(1,0)", "A A A A", "00", FETCH(ONE_WARP(64, 1, 64), .buffer = 4, .per_cycle = 1, .latency = 1), 14, 2,
     1},
    /* One fetch a cycle for three warps that need one each: in 10 all issue, then one in 11, 12 and 13. */
    {"A*3(1,0)", "3x A A", NULL, FETCH(ONE_WARP(32, 1, 32), .buffer = 1, .per_cycle = 1), 14, 6, 1},
    {"A*3(1,0)", "3x A A", NULL, FETCH(ONE_WARP(32, 1, 32), .buffer = 1, .per_cycle = 3), 12, 6, 1},
    /* A warp that a barrier holds is not fetched for. Issues: 11 (0, barrier), 12 (1), 14 (1, barrier): both
     * ask in 15 and go on in 16 and 17. */
    {"A(1,0)", "A! A; A A! A", NULL, FETCH(ONE_WARP(128, 1, 128), .buffer = 1, .per_cycle = 4, .latency = 1),
     18, 5, 1},
    /* What takes no slot is not fetched: only the A behind the barriers, at its address, in the second line.
     */
    {"A(1,0)", "| | A", NULL, FETCH(ONE_WARP(64, 1, 32), .buffer = 2, .per_cycle = 1), 11, 1, 1},
};

static void test_by_hand(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct by_hand *known = &cases[c];
        struct synthetic_block block;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        struct text problem = {0};
        assert_int_equal(synthetic_block_parse(known->units, known->warps, diagnostics, &block), WB_OK);
        if (known->path != NULL && known->path[0] == '\0') {
            block.timed.warp_path[2] = block.timed.warp_path[0]; /* the third warp executes the first's */
        } else if (known->path != NULL) {
            uint32_t insts[16], count = 0;
            for (; known->path[count] != '\0'; count++)
                insts[count] = (uint32_t)(known->path[count] - '0');
            set_path(&block, insts, count);
        }
        block.machine.fetch = known->fetch;
        block.machine.issue_width = 3;
        if (block.machine.units[0].count == 1) block.machine.issue_width = 1;
        assert_true(machine_fetch_check(&known->fetch, &problem));
        const wb_simulation simulation = run(&block.timed, policy_named("oldest"));
        if (simulation.cycles != known->end || simulation.fetches != known->fetches ||
            simulation.fetch_misses != known->misses)
            fail_msg("case %zu: end %llu, %llu fetches, %llu misses", c,
                     (unsigned long long)simulation.cycles, (unsigned long long)simulation.fetches,
                     (unsigned long long)simulation.fetch_misses);
        synthetic_block_free(&block);
        wb_diagnostics_free(diagnostics);
    }
}

static const uint32_t depths[] = {0, 1, DEPTH_UNLIMITED};

static const struct random_shape shape = {
    SHAPE_BLOCK(3, 4, 9, 6, 7), .barrier_percent = 10, .real_percent = 5, .alias_percent = 30,
    SHAPE_SM(2, 3, 2),          .per_warp = 3,         .release = 4};

/* A path of runs of the block's code, here and there repeated, that all warps take. */
static void random_jumps(struct random_state *random, struct synthetic_block *block) {
    uint32_t insts[NAIVE_INSTS], count = 0;
    const uint32_t code = block->timed.code.inst_count;
    while (code > 0 && count < 24) {
        const uint32_t first = (uint32_t)random_below(random, code);
        const uint32_t length = 1 + (uint32_t)random_below(random, code - first < 8 ? code - first : 8);
        for (uint64_t times = 1 + random_below(random, 3); times > 0; times--)
            for (uint32_t i = 0; i < length && count < NAIVE_INSTS; i++)
                insts[count++] = first + i;
    }
    set_path(block, insts, count);
}

/* The block of a seed, on a machine with an instruction cache. */
static void make_random(uint64_t seed, const struct random_shape *of, struct random_block *made) {
    struct random_state random = random_seeded(~seed);
    random_block_make(seed, of, depths, sizeof depths / sizeof *depths, made);
    made->block.machine.fetch = random_fetch(&random);
    if (random_below(&random, 2) == 0) random_jumps(&random, &made->block);
}

static void fail_block(uint64_t seed, const struct random_block *made, const char *what, cycles is,
                       cycles wanted) {
    struct text fetch = {0};
    random_fetch_print(&made->block.machine.fetch, &fetch);
    fail_msg("seed %llu, %s: %llu, not %llu\n%s%s", (unsigned long long)seed, what, (unsigned long long)is,
             (unsigned long long)wanted, made->label, fetch.data);
}

static void test_against_naive(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < random_rounds(6000); seed++) {
        struct random_block made;
        make_random(seed, &shape, &made);
        const char *policy = all_policies[seed % POLICIES];
        const wb_simulation simulation = run(&made.block.timed, policy_named(policy));
        const struct naive_result naive = naive_simulate(&made.block.timed, policy);
        if (simulation.cycles != naive.end) fail_block(seed, &made, policy, simulation.cycles, naive.end);
        assert_int_equal(simulation.last_issue, naive.last_issue);
        assert_int_equal(simulation.fetches, naive.fetches);
        assert_int_equal(simulation.fetch_misses, naive.fetch_misses);
        uint64_t most;
        assert_int_equal(code_fetches(&made.block.timed, &most), WB_OK);
        if (simulation.fetches > most) fail_block(seed, &made, "fetches", simulation.fetches, most);
        synthetic_block_free(&made.block);
    }
}

/* The least of some bounds of a block, all of which must be proven. */
static cycles least_bound(const struct timed_block *block, const char *methods) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_analysis *analysis;
    size_t count;
    cycles least = CYCLES_SATURATED;
    assert_int_equal(analysis_of_timed(block, diagnostics, &analysis), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, methods, NULL, diagnostics), WB_OK);
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    assert_true(count >= 4);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bounds[i].kind, WB_UPPER);
        least = cycles_min(least, bounds[i].cycles);
    }
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
    return least;
}

#define ALL_BOUNDS "sib,fib,aln,fifo,elb"

/* No order of ready warps takes longer than the bound. */
static void hold_orders(uint64_t seed, const struct random_block *made, const struct timed_block *block,
                        cycles bound) {
    for (uint64_t order = 0; order < 12; order++) {
        const struct random_policy by_chance = random_policy_seeded(order);
        const struct sim_policy *policy = &by_chance.policy;
        if (order < POLICIES) policy = policy_named(all_policies[order]);
        if (!policy->work_conserving) continue;
        const wb_simulation simulation = run(block, policy);
        if (simulation.cycles > bound) fail_block(seed, made, policy->name, simulation.cycles, bound);
    }
}

static void test_bounds_hold(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < random_rounds(2500); seed++) {
        struct random_block made;
        make_random(seed, &shape, &made);
        hold_orders(seed, &made, &made.block.timed, least_bound(&made.block.timed, ALL_BOUNDS));
        synthetic_block_free(&made.block);
    }
}

/* What executes only parts of the paths makes no more fetches, and stays below the bounds of the whole. */
static void test_parts(void **state) {
    (void)state;
    static const struct thinning thinning = {.leave_out = 30, .shorten = 30, .end_early = 15};
    for (uint64_t seed = 0; seed < random_rounds(2000); seed++) {
        struct random_state random = random_seeded(seed);
        struct random_block made;
        struct timed_block part;
        uint64_t whole, rest;
        make_random(seed, &shape, &made);
        const cycles bound = least_bound(&made.block.timed, "sib,fib,aln,elb");
        thinned_block_make(&made.block.timed, &thinning, &random, &part);
        assert_int_equal(code_fetches(&made.block.timed, &whole), WB_OK);
        assert_int_equal(code_fetches(&part, &rest), WB_OK);
        const uint64_t fetches = run(&part, policy_named("lrr")).fetches;
        if (fetches > whole) fail_block(seed, &made, "fetches of parts", fetches, whole);
        if (fetches > rest) fail_block(seed, &made, "fetches of a part", fetches, rest);
        hold_orders(seed, &made, &part, bound);
        timed_block_free(&part);
        synthetic_block_free(&made.block);
    }
}

/* Goes through all choices of a block's ready warps, one sequence of choices a simulation. */
struct every_choice {
    struct sim_policy policy; /* first, so that the choice finds the rest */
    uint32_t *made, *among;   /* per choice so far */
    uint32_t *at;
};

#define CHOICES_MAX 64u

static uint32_t pick_next(const struct policy_view *view) {
    const struct every_choice *every = (const struct every_choice *)view->policy;
    uint32_t ready[64], count = 0;
    for (uint32_t w = 0; w < 64; w++)
        if ((view->ready[0] & view->members[0]) >> w & 1) ready[count++] = w;
    if (count == 0) return WARP_NONE;
    const uint32_t at = (*every->at)++;
    if (at >= CHOICES_MAX) fail_msg("more choices than expected");
    every->among[at] = count;
    return ready[every->made[at]];
}

/* The longest of all schedules, or 0 where there are more than `most`. */
static cycles longest_schedule(const struct timed_block *block, uint32_t most) {
    uint32_t made[CHOICES_MAX] = {0}, among[CHOICES_MAX] = {0}, at;
    const struct every_choice every = {
        .policy = {.name = "every", .summary = "all", .work_conserving = true, .pick = pick_next},
        .made = made,
        .among = among,
        .at = &at};
    cycles longest = 0;
    for (uint32_t schedules = 0; schedules < most; schedules++) {
        at = 0;
        longest = cycles_max(longest, run(block, &every.policy).cycles);
        while (at > 0 && made[at - 1] + 1 == among[at - 1])
            made[--at] = 0;
        if (at == 0) return longest;
        made[at - 1]++;
    }
    return 0;
}

static const struct random_shape small = {SHAPE_BLOCK(3, 4, 6, 3, 4), .barrier_percent = 10,
                                          .alias_percent = 30, SHAPE_SM(2, 2, 2), .per_warp = 2};

/* The worst case of small blocks, over all schedules, is within the bounds, and sometimes reaches them. */
static void test_worst_case(void **state) {
    (void)state;
    uint32_t searched = 0, reached = 0;
    for (uint64_t seed = 0; seed < random_rounds(1500); seed++) {
        struct random_block made;
        struct random_state random = random_seeded(~seed);
        random_block_make(seed, &small, depths, sizeof depths / sizeof *depths, &made);
        made.block.machine.fetch = random_fetch(&random);
        const cycles longest = longest_schedule(&made.block.timed, 400);
        const cycles bound = least_bound(&made.block.timed, ALL_BOUNDS);
        if (longest > bound) fail_block(seed, &made, "worst case", longest, bound);
        searched += longest > 0;
        reached += longest == bound;
        synthetic_block_free(&made.block);
    }
    assert_true(searched > random_rounds(1000));
    assert_true(reached > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),     cmocka_unit_test(test_against_naive),
        cmocka_unit_test(test_bounds_hold), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_worst_case),
    };
    return cmocka_run_group_tests_name("instruction fetch", tests, NULL, NULL);
}
