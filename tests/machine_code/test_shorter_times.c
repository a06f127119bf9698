/* Machine code of all kernels on the preset of its architecture, simulated with times drawn at random below
 * those that are stated, as latencies, stages, misses and jumps may turn out: no execution, whoever issues,
 * is above a bound, though shorter times can make a block longer. And a fast one is not below the stall
 * counts of a lane. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "bound/analysis/verdict.h"
#include "loaded_code.h"
#include "random_block.h"
#include "sim/sass/sass_simulate.h"

/* Longer blocks are not simulated; seeds of a block, of which ctest runs a third. */
#define SIMULATED_MAX 4000u
#define SEEDS 3u

static unsigned simulated;

/* How times come to be. */
enum manner { ANY_TIME, LEAST_OR_MOST, MOSTLY_MOST, MANNERS };

struct draw {
    struct random_state random;
    enum manner manner;
};

static uint32_t choose(void *user, uint32_t least, uint32_t most) {
    struct draw *draw = user;
    if (most <= least) return most;
    const uint32_t any = least + (uint32_t)random_below(&draw->random, most - least + 1);
    switch (draw->manner) {
    case LEAST_OR_MOST: return random_below(&draw->random, 2) == 0 ? least : most;
    case MOSTLY_MOST: return random_below(&draw->random, 8) == 0 ? any : most;
    default: return any;
    }
}

/* Misses that are shorter than stated. */
static void draw_misses(struct draw *draw, struct sass_footprint *footprint) {
    struct sass_cached *const caches[] = {&footprint->instructions, &footprint->l1_instructions,
                                          &footprint->constants};
    for (size_t c = 0; c < sizeof caches / sizeof *caches; c++)
        caches[c]->miss = choose(draw, caches[c]->hold, caches[c]->miss);
}

struct bounded {
    const char *path;
    const wb_analysis *analysis;
    uint64_t stalls;
    const wb_bound *bounds;
    size_t bound_count;
};

static void simulate_once(const struct bounded *subject, const struct sim_policy *policy, uint64_t seed,
                          enum manner manner) {
    struct draw draw = {.random = random_seeded(seed), .manner = manner};
    struct timed_block block = *subject->analysis->timed;
    const struct sass_run run = {.policy = policy, .choose = choose, .user = &draw};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_simulation result;
    draw_misses(&draw, &block.code.footprint);
    kernel_expect_ok(sass_simulate(&block, &run, NULL, NULL, diagnostics, &result), subject->path,
                     diagnostics);
    wb_diagnostics_free(diagnostics);
    for (size_t b = 0; b < subject->bound_count; b++)
        if (subject->bounds[b].cycles < result.cycles)
            fail_msg("%s: %s with seed %lu, manner %d takes %lu cycles, %s says at most %lu", subject->path,
                     policy->name, (unsigned long)seed, manner, (unsigned long)result.cycles,
                     subject->bounds[b].method, (unsigned long)subject->bounds[b].cycles);
    if (result.cycles < subject->stalls)
        fail_msg("%s: %s takes %lu cycles, stall counts alone %lu", subject->path, policy->name,
                 (unsigned long)result.cycles, (unsigned long)subject->stalls);
    simulated++;
}

/* What stalls alone are, without waits for counters: latencies may be anything from 0 here. */
static uint64_t stalls_alone(const struct loaded_kernel *loaded, const char *path) {
    const uint32_t first[3] = {0, 0, 0};
    wb_stalls stalls;
    kernel_expect_ok(stalls_find(loaded->kernel, loaded->launch, first, loaded->diagnostics, &stalls), path,
                     loaded->diagnostics);
    return stalls.cycles - stalls.wait_cycles;
}

static void check_analysis(const struct loaded_kernel *loaded, const char *path, wb_analysis *analysis) {
    static const struct sim_policy *const policies[] = {&policy_cggty, &policy_gto, &policy_lrr,
                                                        &policy_oldest};
    struct bounded subject = {path, analysis, stalls_alone(loaded, path), NULL, 0};
    kernel_expect_ok(wb_analysis_bound(analysis, "sib,fib,elb", NULL, loaded->diagnostics), path,
                     loaded->diagnostics);
    subject.bounds = wb_analysis_bounds(analysis, &subject.bound_count);
    const uint32_t seeds = random_rounds(SEEDS);
    for (uint64_t seed = 1; seed <= seeds; seed++)
        for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
            simulate_once(&subject, policies[p], seed, (enum manner)((seed + p) % MANNERS));
}

static uint64_t instructions(const wb_block *block) {
    uint64_t sum = 0;
    for (uint32_t w = 0; w < wb_block_warp_count(block); w++)
        sum += wb_block_warp_instructions(block, w);
    return sum;
}

static void check_code(const struct kernel_case *entry, const char *path, void *user) {
    (void)user;
    struct loaded_code code = code_load(path, entry->launch);
    if (code.block != NULL && instructions(code.block) <= SIMULATED_MAX)
        check_analysis(&code.kernel, path, code.analysis);
    code_unload(&code);
}

static void test_kernel(void **state) {
    kernel_each_code(*state, check_code, NULL);
}

/* Last: most of the suite was looked at. */
static void test_how_many_were_simulated(void **state) {
    (void)state;
    printf("%u simulations\n", simulated);
    assert_true(simulated >= 600 / kernel_suite_step());
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_how_many_were_simulated)};
    return kernel_suite_run("test_shorter_times", test_kernel, others, 1);
}
