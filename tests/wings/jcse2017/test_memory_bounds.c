/* The bounds for machines with caches against simulations of random GPUs (docs/memory-bounds.md): no bound of
 * kind upper is ever exceeded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/registry.h"
#include "bound/cache/isolated_block.h"
#include "random_block.h"
#include "random_gpu.h"
#include "random_policy.h"
#include "warp/timed/timed.h"
#include "wings/jcse2017/methods.h"

/* Simulated times over the bounds of a method. */
struct census {
    double sum, most;
    uint32_t count;
};

/* The policies of a test; the last one of those that conserve work is by chance. */
struct policies {
    const struct sim_policy *items[4];
    size_t count;
};

static struct policies work_conserving(const struct random_policy *by_chance) {
    return (struct policies){{&policy_lrr, &policy_gto, &policy_oldest, &by_chance->policy}, 4};
}

static const struct policies in_turns = {{&policy_rr}, 1};

/* Blocks of most families. */
#define MIXED_SHAPE                                                                                          \
    { HAND_SHAPE(4, 8, 8, 24, 4), .store_percent = 25, .atomic_percent = 10, .barrier_percent = 15 }

static const struct random_gpu_family families[] = {
    {.sms = 1,
     .sub_cores = 1,
     .width = 1,
     .units = 1,
     .blocks = 3,
     .resident = 2,
     .shape = MIXED_SHAPE,
     .waits = true},
    {.sms = 3,
     .sub_cores = 2,
     .width = 2,
     .per_warp = 3,
     .units = 2,
     .blocks = 9,
     .resident = 3,
     .shape = MIXED_SHAPE,
     .waits = true},
    /* Few warps with many loads. */
    {.sms = 2,
     .sub_cores = 2,
     .width = 1,
     .units = 1,
     .blocks = 6,
     .resident = 2,
     .waits = true,
     .shape = {HAND_SHAPE(3, 16, 16, 16, 3), .barrier_percent = 5}},
};

static const struct random_gpu_family dynamic_family = {.sms = 3,
                                                        .sub_cores = 2,
                                                        .width = 2,
                                                        .per_warp = 2,
                                                        .units = 2,
                                                        .blocks = 12,
                                                        .resident = 3,
                                                        .shape = MIXED_SHAPE,
                                                        .waits = true};

static const struct random_gpu_family lone_family = {.sms = 2,
                                                     .sub_cores = 2,
                                                     .width = 2,
                                                     .per_warp = 2,
                                                     .units = 2,
                                                     .blocks = 1,
                                                     .resident = 1,
                                                     .shape = MIXED_SHAPE,
                                                     .waits = true};

/* The time of a grid under a scheme. */
static cycles simulated(const struct timed_grid *timed, const struct gpu_scheme *scheme) {
    struct arena arena = {0};
    wb_gpu_simulation result;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const struct gpu_options options = {0};
    if (gpu_simulate(timed, scheme, &options, diagnostics, &arena, &result) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    arena_free(&arena);
    return result.cycles;
}

/* What a method says of an input that it applies to. */
static wb_bound bound_of(const struct bound_method *method, const struct bound_input *input) {
    wb_bound bound = {0};
    const char *why;
    if (!bound_method_applies(method, input, &why)) fail_msg("%s %s", method->name, why);
    if (method->run(input, &bound) != WB_OK) fail_msg("%s", wb_diagnostics_text(input->diagnostics));
    return bound;
}

/* Holds a bound against a simulation. */
static void hold(const struct bound_method *method, const wb_bound *bound, cycles time, uint64_t seed,
                 const struct random_gpu *gpu, struct census *census) {
    if (time > bound->cycles)
        fail_msg("seed %llu, %s: %llu > %llu\n%s", (unsigned long long)seed, method->name,
                 (unsigned long long)time, (unsigned long long)bound->cycles, gpu->label.data);
    if (bound->cycles == 0) return;
    double ratio = (double)time / (double)bound->cycles;
    census->sum += ratio;
    census->most = ratio > census->most ? ratio : census->most;
    census->count++;
}

/* Holds the bound of a method of whole grids against simulations under some policies. */
static void hold_grid(const struct bound_method *method, const struct random_gpu *gpu, bool reorder,
                      const struct policies *policies, uint64_t seed, struct census *census) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (size_t p = 0; p < policies->count; p++) {
        const struct gpu_scheme scheme = {.name = "test", .policy = policies->items[p], .reorder = reorder};
        struct memory_work work;
        const struct bound_input input = {
            .memory = &work, .scheme = &scheme, .machine = gpu->timed.machine, .diagnostics = diagnostics};
        assert_int_equal(memory_work_make(&gpu->timed, &scheme, diagnostics, &work), WB_OK);
        wb_bound bound = bound_of(method, &input);
        const bool proven = method != &bound_turn_chain || gpu->hand.machine.issue_per_warp == 1;
        assert_int_equal(bound.kind, proven ? WB_UPPER : WB_ESTIMATE);
        if (proven) hold(method, &bound, simulated(&gpu->timed, &scheme), seed, gpu, census);
        memory_work_free(&work);
    }
    wb_diagnostics_free(diagnostics);
}

static void print_census(const char *name, const struct census *census) {
    print_message("%s: %u simulations, mean time / bound %.3f, most %.3f\n", name, census->count,
                  census->sum / census->count, census->most);
}

static void test_static_dispatch(void **state) {
    (void)state;
    struct census sum = {0}, chain = {0}, turns = {0};
    for (uint64_t seed = 1; seed <= random_rounds(1000); seed++) {
        struct random_gpu gpu;
        random_gpu_make(seed, &families[seed % 3], &gpu);
        const struct random_policy by_chance = random_policy_seeded(seed);
        const struct policies any = work_conserving(&by_chance);
        hold_grid(&bound_segment_sum, &gpu, false, &any, seed, &sum);
        hold_grid(&bound_reorder_chain, &gpu, true, &any, seed, &chain);
        hold_grid(&bound_turn_chain, &gpu, false, &in_turns, seed, &turns);
        random_gpu_free(&gpu);
    }
    print_census("segment-sum", &sum);
    print_census("reorder-chain", &chain);
    print_census("turn-chain", &turns);
}

static void test_dynamic_dispatch(void **state) {
    (void)state;
    struct census sum = {0}, turns = {0};
    for (uint64_t seed = 1; seed <= random_rounds(400); seed++) {
        struct random_gpu gpu;
        struct random_gpu_family family = dynamic_family;
        family.dispatch = DISPATCH_GREEDY + seed % 3;
        random_gpu_make(seed, &family, &gpu);
        const struct random_policy by_chance = random_policy_seeded(seed);
        const struct policies any = work_conserving(&by_chance);
        hold_grid(&bound_segment_sum, &gpu, false, &any, seed, &sum);
        hold_grid(&bound_turn_chain, &gpu, false, &in_turns, seed, &turns);
        random_gpu_free(&gpu);
    }
    print_census("segment-sum, dynamic", &sum);
    print_census("turn-chain, dynamic", &turns);
}

/* The only block of a grid made by hand as one that was traced, which holds what its timing looks at. */
static void traced_block(const struct random_gpu *gpu, struct wb_block *block) {
    const struct wb_grid *grid = &gpu->hand.grid;
    const struct block_shape *of = &grid->shapes.items[0];
    *block = (struct wb_block){.warp_count = grid->warp_count,
                               .paths = {grid->paths.items, grid->paths.count, grid->paths.count}};
    block->warp_path = arena_array(&block->arena, grid->warp_count, sizeof *block->warp_path);
    block->accesses = arena_array(&block->arena, grid->warp_count, sizeof *block->accesses);
    assert_non_null(block->warp_path);
    assert_non_null(block->accesses);
    for (uint32_t w = 0; w < grid->warp_count; w++) {
        const struct access_stream *stream = &grid->streams.items[of->warps[w].stream];
        block->warp_path[w] = of->warps[w].path;
        block->accesses[w].items.items = stream->accesses;
        block->accesses[w].items.count = stream->access_count;
    }
}

/* What the accesses of the block cost but for their latencies. */
static struct execution_cost *initiation_costs(const struct random_gpu *gpu, struct arena *arena) {
    size_t count = 0, at = 0;
    for (uint32_t w = 0; w < gpu->hand.grid.warp_count; w++)
        count += traffic_pattern_of(&gpu->timed.traffic, 0, w)->access_count;
    struct execution_cost *costs = arena_array(arena, count + 1, sizeof *costs);
    assert_non_null(costs);
    for (uint32_t w = 0; w < gpu->hand.grid.warp_count; w++) {
        const struct traffic_pattern *pattern = traffic_pattern_of(&gpu->timed.traffic, 0, w);
        for (uint32_t a = 0; a < pattern->access_count; a++)
            costs[at++].init = pattern->accesses[a].cycles;
    }
    return costs;
}

/* The methods that bound one block on a machine without caches, composed with what memory adds. */
static const struct bound_method *const block_methods[] = {&bound_sib, &bound_fib, &bound_aln, &bound_fifo,
                                                           &bound_elb};
#define BLOCK_METHODS (sizeof block_methods / sizeof block_methods[0])

static void hold_lone(const struct random_gpu *gpu, uint64_t seed, struct census *census) {
    struct arena arena = {0};
    struct wb_block block;
    struct memory_work work;
    struct block_profile profile;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    struct execution_cost *costs = initiation_costs(gpu, &arena);
    struct timed_block timed = {.machine = &gpu->hand.machine, .code = gpu->hand.code};
    const size_t bytes = timed.code.inst_count * sizeof *timed.code.insts;
    timed.code.insts = arena_alloc(&arena, bytes);
    assert_non_null(timed.code.insts);
    memcpy(timed.code.insts, gpu->hand.code.insts, bytes); /* which get other latencies */
    traced_block(gpu, &block);
    timed.paths = block.paths.items;
    timed.path_count = (uint32_t)block.paths.count;
    timed.warp_path = block.warp_path;
    timed.warp_count = block.warp_count;
    assert_int_equal(memory_work_make(&gpu->timed, gpu_scheme_at(0), diagnostics, &work), WB_OK);
    assert_int_equal(isolated_block_latencies(&work, diagnostics, costs), WB_OK);
    assert_int_equal(timed_variants_make(&block, costs, &timed), WB_OK);
    assert_int_equal(block_profile_make(&timed, NULL, diagnostics, &profile), WB_OK);
    struct search_budget budget = search_budget_of(0);
    const struct bound_input input = {.block = &timed,
                                      .profile = &profile,
                                      .memory = &work,
                                      .scheme = work.scheme,
                                      .machine = work.machine,
                                      .diagnostics = diagnostics,
                                      .budget = &budget};
    const struct random_policy by_chance = random_policy_seeded(seed);
    const struct policies any = work_conserving(&by_chance);
    for (size_t m = 0; m < BLOCK_METHODS; m++) {
        wb_bound bound = bound_of(block_methods[m], &input);
        isolated_block_add_memory(block_methods[m], &work, &bound);
        if (bound.kind != WB_UPPER) continue;
        for (size_t p = 0; p < any.count; p++) {
            const struct gpu_scheme scheme = {.name = "test", .policy = any.items[p]};
            hold(block_methods[m], &bound, simulated(&gpu->timed, &scheme), seed, gpu, &census[m]);
        }
    }
    block_profile_free(&profile);
    timed_block_free(&timed);
    memory_work_free(&work);
    wb_diagnostics_free(diagnostics);
    arena_free(&block.arena);
    arena_free(&arena);
}

static void test_lone_blocks(void **state) {
    (void)state;
    struct census census[BLOCK_METHODS] = {0};
    for (uint64_t seed = 1; seed <= random_rounds(1500); seed++) {
        struct random_gpu gpu;
        random_gpu_make(seed, &lone_family, &gpu);
        hold_lone(&gpu, seed, census);
        random_gpu_free(&gpu);
    }
    for (size_t m = 0; m < BLOCK_METHODS; m++)
        print_census(block_methods[m]->name, &census[m]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_static_dispatch),
        cmocka_unit_test(test_dynamic_dispatch),
        cmocka_unit_test(test_lone_blocks),
    };
    return cmocka_run_group_tests_name("memory bounds", tests, NULL, NULL);
}
