/* Every kernel of kernels/index.txt as a whole grid on the GPUs of JCSE 2017: under each scheme no simulation
 * takes longer than a bound that claims to hold; misses under reordering are those that were estimated; loads
 * hit as often as was guaranteed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "address_sanitizer.h"
#include "bound/analysis/analysis.h"
#include "kernel_suite.h"
#include "random_policy.h"
#include "sim/gpu/gpu.h"

/* A machine and what is changed of it: one SM holds all blocks, and the first level stalls where it can. */
static const struct {
    const char *machine, *setting;
} machines[] = {
    {"jcse2017", "l1_mshrs=32"},
    {"jcse2017", "sms=1"},
    {"jcse2017-32k", "l1_victim=stall"},
    {"jcse2017-64k", "l1_mshrs=4"},
};

/* What is being tested, for messages. */
struct gpu_case {
    const struct kernel_case *entry;
    const char *machine, *setting;
    struct wb_gpu *gpu;
    const wb_grid *grid;
    wb_diagnostics *diagnostics;
};

static void check_bounds(const struct gpu_case *test, const wb_analysis *analysis,
                         const wb_gpu_simulation *simulation) {
    size_t count, proven = 0;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++) {
        if (bounds[i].kind != WB_UPPER) continue;
        proven++;
        if (simulation->cycles > bounds[i].cycles)
            fail_msg("%s on %s %s: %s under %s is %" PRIu64 ", but %s takes %" PRIu64, test->entry->name,
                     test->machine, test->setting, bounds[i].method, simulation->scheme, bounds[i].cycles,
                     simulation->policy, simulation->cycles);
    }
    assert_true(proven > 0);
}

/* Simulates a scheme under some policies and holds each against the bounds. */
static void check_scheme(const struct gpu_case *test, const struct gpu_scheme *known) {
    const struct random_policy random = random_policy_seeded(7);
    const struct sim_policy *const policies[] = {&policy_lrr, &policy_gto, &random.policy};
    size_t count = known->policy->work_conserving ? sizeof policies / sizeof *policies : 1;
    wb_analysis *analysis = NULL;
    wb_status status =
        analysis_new_grid(test->grid, test->gpu->timed.machine, known->name, test->diagnostics, &analysis);
    if (status == WB_OK) status = wb_analysis_bound(analysis, "all", NULL, test->diagnostics);
    kernel_expect_ok(status, "bounds", test->diagnostics);
    for (size_t i = 0; i < count; i++) {
        struct gpu_scheme scheme = *known;
        if (scheme.policy->work_conserving) scheme.policy = policies[i];
        const struct gpu_options options = {.threads = 1};
        struct arena arena = {0};
        wb_gpu_simulation simulation;
        status = gpu_simulate(&test->gpu->timed, &scheme, &options, test->diagnostics, &arena, &simulation);
        kernel_expect_ok(status, "simulation", test->diagnostics);
        check_bounds(test, analysis, &simulation);
        arena_free(&arena);
    }
    wb_analysis_free(analysis);
}

static void check_caches(const struct gpu_case *test) {
    struct cache_summary summary;
    wb_status status = cache_summary_make(test->gpu, NULL, test->diagnostics, &summary);
    kernel_expect_ok(status, "caches", test->diagnostics);
    for (uint32_t i = 0; i < summary.instruction_count; i++) {
        const struct cache_counts *counts = &summary.instructions[i];
        if (counts->misses_estimated != counts->misses_reordered)
            fail_msg("%s on %s %s, instruction %u: %" PRIu64 " misses estimated, %" PRIu64 " simulated",
                     test->entry->name, test->machine, test->setting, i, counts->misses_estimated,
                     counts->misses_reordered);
        if (counts->guaranteed_hits > counts->loads - counts->misses_default)
            fail_msg("%s on %s %s, instruction %u: %" PRIu64 " hits guaranteed, %" PRIu64 " simulated",
                     test->entry->name, test->machine, test->setting, i, counts->guaranteed_hits,
                     counts->loads - counts->misses_default);
    }
    assert_true(summary.total.misses_default <= summary.most_misses);
    cache_summary_free(&summary);
}

static void check_machine(struct gpu_case *test) {
    wb_machine *machine = NULL;
    kernel_expect_ok(wb_machine_load(test->machine, test->diagnostics, &machine), "machine",
                     test->diagnostics);
    kernel_expect_ok(wb_machine_set(machine, test->setting, test->diagnostics), "setting", test->diagnostics);
    kernel_expect_ok(wb_gpu_new(test->grid, machine, test->diagnostics, &test->gpu), "gpu",
                     test->diagnostics);
    for (size_t s = 0; gpu_scheme_at(s) != NULL; s++)
        check_scheme(test, gpu_scheme_at(s));
    check_caches(test);
    wb_gpu_free(test->gpu);
    wb_machine_free(machine);
}

static void test_kernel(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    wb_grid *grid = NULL;
    kernel_expect_ok(wb_grid_trace(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &grid), "grid",
                     loaded.diagnostics);
    size_t count = ADDRESS_SANITIZER ? 1 : sizeof machines / sizeof *machines;
    for (size_t m = 0; m < count; m++) {
        struct gpu_case test = {.entry = entry,
                                .machine = machines[m].machine,
                                .setting = machines[m].setting,
                                .grid = grid,
                                .diagnostics = loaded.diagnostics};
        check_machine(&test);
    }
    wb_grid_free(grid);
    kernel_unload(&loaded);
}

/* A cache that has no room for a single set is refused before anything looks at it, also where nobody has
 * asked wb_machine_check. */
static void test_caches_that_do_not_fit(void **state) {
    (void)state;
    struct loaded_kernel loaded = kernel_load("kernels/vecadd.ptx", "kernels/vecadd.yaml");
    wb_grid *grid = NULL;
    wb_machine *machine = NULL;
    struct wb_gpu *gpu = NULL;
    wb_analysis *analysis = NULL;
    kernel_expect_ok(wb_grid_trace(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &grid), "grid",
                     loaded.diagnostics);
    kernel_expect_ok(wb_machine_load("jcse2017", loaded.diagnostics, &machine), "machine",
                     loaded.diagnostics);
    kernel_expect_ok(wb_machine_set(machine, "l1_size=128", loaded.diagnostics), "setting",
                     loaded.diagnostics);
    assert_int_equal(wb_gpu_new(grid, machine, loaded.diagnostics, &gpu), WB_ERR_INPUT);
    assert_int_equal(analysis_new_grid(grid, machine, "reorder", loaded.diagnostics, &analysis),
                     WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(loaded.diagnostics), "l1_size: 128 bytes"));
    wb_machine_free(machine);
    wb_grid_free(grid);
    kernel_unload(&loaded);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_caches_that_do_not_fit)};
    return kernel_suite_run("kernels on a GPU with caches", test_kernel, others, 1);
}
