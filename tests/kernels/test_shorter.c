/* The proven bounds allow for latencies that are shorter than stated. How much of what separates them from
 * simulations is owed to that: of every kernel, schedules in which one warp is starved by others whose
 * results come early, found by a short search. None may exceed a bound, and together they show that no bound
 * with the same assumptions can come close to the simulations (docs/policy-bounds.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "kernel_suite.h"
#include "sim/gpu/gpu.h"

#define MACHINE "ecrts2025-orin"

/* Instructions that the search of one kernel simulates, and most schedules it tries. */
#define SEARCH_INSTRUCTIONS ((uint64_t)2000000)
#define SEARCH_SCHEDULES 2000u

/* Serves the victim when nobody else is ready. */
struct starving_policy {
    struct sim_policy policy; /* first, so that pick finds the rest */
    uint32_t victim;
};

/* A block in which the victim has instructions of its own, so that the others' can be changed alone. */
struct starved_block {
    struct arena arena;
    struct timed_block timed;
    const struct timed_inst *stated; /* what the block states, for both copies */
    struct path *paths;
    const struct timed_block *original;
};

static double witnessed, cases;

static uint32_t starving_pick(const struct policy_view *view) {
    const struct starving_policy *own = (const struct starving_policy *)view->policy;
    uint32_t warp = warp_set_next_of_both(view->ready, view->members, view->words, policy_round_start(view));
    if (warp != own->victim) return warp;
    return warp_set_next_of_both(view->ready, view->members, view->words, own->victim + 1);
}

/* A copy of a path through the second copy of the code. */
static void copy_path(struct starved_block *starved, const struct path *from, struct path *to) {
    *to = *from;
    to->entries.items = arena_array(&starved->arena, from->entries.count + 1, sizeof *to->entries.items);
    assert_non_null(to->entries.items);
    for (size_t i = 0; i < from->entries.count; i++) {
        to->entries.items[i] = from->entries.items[i];
        if (from->entries.items[i].count != PATH_REPEAT)
            to->entries.items[i].first += starved->original->code.inst_count;
    }
}

static void starved_make(const struct timed_block *block, struct starved_block *starved) {
    const uint32_t insts = block->code.inst_count, paths = block->path_count;
    *starved = (struct starved_block){.timed = *block, .original = block};
    struct timed_inst *stated = arena_array(&starved->arena, (size_t)2 * insts, sizeof *stated);
    struct timed_inst *used = arena_array(&starved->arena, (size_t)2 * insts, sizeof *used);
    uint32_t *warp_path = arena_array(&starved->arena, block->warp_count, sizeof *warp_path);
    starved->paths = arena_array(&starved->arena, (size_t)2 * paths, sizeof *starved->paths);
    if (stated == NULL || used == NULL || warp_path == NULL || starved->paths == NULL) abort();
    memcpy(stated, block->code.insts, insts * sizeof *stated);
    memcpy(stated + insts, block->code.insts, insts * sizeof *stated);
    for (uint32_t p = 0; p < paths; p++) {
        starved->paths[p] = block->paths[p];
        copy_path(starved, &block->paths[p], &starved->paths[paths + p]);
    }
    starved->stated = stated;
    starved->timed.code.insts = used;
    starved->timed.code.inst_count = 2 * insts;
    starved->timed.paths = starved->paths;
    starved->timed.path_count = 2 * paths;
    starved->timed.warp_path = warp_path;
}

/* The victim takes its time, the others' results come at once. */
static void starve(struct starved_block *starved, struct starving_policy *policy, uint32_t victim) {
    const struct timed_block *original = starved->original;
    struct timed_inst *used = starved->timed.code.insts;
    memcpy(used, starved->stated, starved->timed.code.inst_count * sizeof *used);
    for (uint32_t i = original->code.inst_count; i < starved->timed.code.inst_count; i++)
        used[i].latency = used[i].latency_least;
    for (uint32_t w = 0; w < original->warp_count; w++)
        starved->timed.warp_path[w] = original->warp_path[w] + (w == victim ? 0 : original->path_count);
    policy->victim = victim;
}

static cycles run(const struct starved_block *starved, const struct starving_policy *policy) {
    wb_simulation simulation;
    assert_int_equal(simulate(&starved->timed, &policy->policy, NULL, NULL, NULL, &simulation), WB_OK);
    return simulation.cycles;
}

/* The victim whose schedule is longest, and then one latency after the other changed, kept where the schedule
 * does not get shorter. */
static cycles search(struct starved_block *starved, uint64_t schedules) {
    struct starving_policy policy = {{.name = "starving", .work_conserving = true, .pick = starving_pick}, 0};
    struct random_state random = random_seeded(1);
    uint32_t worst = 0;
    cycles longest = 0;
    for (uint32_t victim = 0; victim < starved->timed.warp_count; victim++) {
        starve(starved, &policy, victim);
        cycles one = run(starved, &policy);
        if (one > longest) worst = victim;
        longest = cycles_max(longest, one);
    }
    starve(starved, &policy, worst);
    for (; schedules > 0; schedules--) {
        uint64_t changed = random_below(&random, starved->timed.code.inst_count);
        struct timed_inst *inst = &starved->timed.code.insts[changed];
        const uint32_t before = inst->latency, most = starved->stated[changed].latency;
        const uint32_t least = inst->latency_least;
        inst->latency = least + (uint32_t)random_below(&random, (uint64_t)most - least + 1);
        if (random_below(&random, 2) == 0)
            inst->latency = inst->latency > least + (most - least) / 2 ? most : least;
        cycles one = run(starved, &policy);
        if (one < longest) inst->latency = before;
        longest = cycles_max(longest, one);
    }
    return longest;
}

static cycles slowest_simulation(const wb_analysis *analysis) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    cycles slowest = 0;
    for (size_t i = 0; i < count; i++)
        slowest = cycles_max(slowest, simulations[i].cycles);
    return slowest;
}

static void check_kernel(const struct kernel_case *entry, const wb_analysis *analysis) {
    struct starved_block starved;
    uint64_t instructions = 1;
    for (uint32_t w = 0; w < analysis->timed->warp_count; w++)
        instructions += analysis->timed->paths[analysis->timed->warp_path[w]].length;
    starved_make(analysis->timed, &starved);
    uint64_t schedules = SEARCH_INSTRUCTIONS / instructions;
    cycles longest = search(&starved, schedules < SEARCH_SCHEDULES ? schedules : SEARCH_SCHEDULES);
    arena_free(&starved.arena);
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bounds[i].kind, WB_UPPER);
        if (bounds[i].cycles < longest)
            fail_msg("%s: %s is %" PRIu64 ", but a faster machine takes %" PRIu64, entry->name,
                     bounds[i].method, bounds[i].cycles, longest);
    }
    const cycles slowest = slowest_simulation(analysis);
    witnessed += (double)cycles_max(longest, slowest) / (double)slowest;
    cases++;
}

static void test_case(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    wb_block *block = NULL;
    wb_machine *machine = NULL;
    wb_analysis *analysis = NULL;
    const wb_trace_options options = {.size = sizeof options};
    kernel_expect_ok(wb_block_trace(loaded.kernel, loaded.launch, &options, loaded.diagnostics, &block),
                     entry->name, loaded.diagnostics);
    kernel_expect_ok(wb_machine_load(MACHINE, loaded.diagnostics, &machine), MACHINE, loaded.diagnostics);
    kernel_expect_ok(wb_machine_set(machine, "requests=ideal", loaded.diagnostics), MACHINE,
                     loaded.diagnostics);
    kernel_expect_ok(wb_analysis_new(block, machine, loaded.diagnostics, &analysis), entry->name,
                     loaded.diagnostics);
    kernel_expect_ok(wb_analysis_bound(analysis, "sib,fib,aln,fifo,elb", NULL, loaded.diagnostics),
                     entry->name, loaded.diagnostics);
    kernel_expect_ok(wb_analysis_simulate(analysis, "lrr,gto,oldest", NULL, loaded.diagnostics), entry->name,
                     loaded.diagnostics);
    check_kernel(entry, analysis);
    wb_analysis_free(analysis);
    wb_machine_free(machine);
    wb_block_free(block);
    kernel_unload(&loaded);
}

/* On average such schedules take this much longer than the slowest simulation. */
static void test_mean(void **state) {
    (void)state;
    if (witnessed < 1.10 * cases) fail_msg("mean %f", witnessed / cases);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_mean)};
    return kernel_suite_run("shorter latencies", test_case, others, 1);
}
