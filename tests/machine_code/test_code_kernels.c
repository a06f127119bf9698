/* Whole kernels of machine code on the presets of its architecture, on all SMs and on two: what stall counts
 * prove of a lane is no more than what simulations of all blocks take, and those no more than the bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "bound/analysis/verdict.h"
#include "code_methods.h"
#include "kernel_suite.h"

/* What is simulated unless something else is asked for, if the kernel is not too long. */
#define POLICIES "cggty,gto,lrr"
#define POLICY_COUNT 3u

/* One in so many cases is searched for slow executions, too. */
#define SEARCHED_STEP 60u

static unsigned compared, searched, files;

/* No execution that was found takes more than a bound says, nor less than stall counts. */
static void compare(const wb_analysis *analysis, const char *path, uint64_t stalls) {
    size_t count, bound_count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    const wb_bound *bounds = wb_analysis_bounds(analysis, &bound_count);
    if (count == 0) return; /* what it executes is not known, or too long */
    assert_int_equal(count, POLICY_COUNT);
    for (size_t b = 0; b < bound_count; b++) {
        if (bounds[b].kind != WB_UPPER) continue;
        for (size_t s = 0; s < count; s++) {
            if (simulations[s].cycles < stalls)
                fail_msg("%s: %s takes %lu cycles, stall counts alone %lu", path, simulations[s].policy,
                         (unsigned long)simulations[s].cycles, (unsigned long)stalls);
            if (bounds[b].cycles < simulations[s].cycles)
                fail_msg("%s: %s takes %lu cycles, %s says at most %lu", path, simulations[s].policy,
                         (unsigned long)simulations[s].cycles, bounds[b].method,
                         (unsigned long)bounds[b].cycles);
        }
        for (size_t l = 0; l < bound_count; l++)
            if (bounds[l].kind == WB_LOWER && bounds[l].cycles > bounds[b].cycles)
                fail_msg("%s: %s found %lu cycles, %s says at most %lu", path, bounds[l].method,
                         (unsigned long)bounds[l].cycles, bounds[b].method, (unsigned long)bounds[b].cycles);
    }
}

/* The simulations do not depend on the number of threads. */
static void compare_threads(const struct loaded_kernel *loaded, const wb_machine *machine,
                            const wb_analysis *analysis, const char *path) {
    const wb_grid_options trace = {.size = sizeof trace};
    wb_grid *grid;
    wb_gpu *gpu;
    size_t count, gpu_count;
    kernel_expect_ok(wb_grid_trace(loaded->kernel, loaded->launch, &trace, loaded->diagnostics, &grid), path,
                     loaded->diagnostics);
    kernel_expect_ok(wb_gpu_new(grid, machine, loaded->diagnostics, &gpu), path, loaded->diagnostics);
    wb_gpu_set_threads(gpu, 3);
    kernel_expect_ok(wb_gpu_simulate(gpu, "default", POLICIES, NULL, loaded->diagnostics), path,
                     loaded->diagnostics);
    const wb_gpu_simulation *parallel = wb_gpu_simulations(gpu, &gpu_count);
    const wb_simulation *alone = wb_analysis_simulations(analysis, &count);
    assert_int_equal(gpu_count, count);
    for (size_t s = 0; s < count; s++) {
        assert_string_equal(parallel[s].policy, alone[s].policy);
        assert_int_equal(parallel[s].cycles, alone[s].cycles);
    }
    wb_gpu_free(gpu);
    wb_grid_free(grid);
}

/* Analyses the kernel on so many SMs, or on those of the preset (NULL). */
static void check_on(const struct loaded_kernel *loaded, const char *path, const char *sms, uint64_t stalls) {
    struct text methods = {0};
    wb_machine *machine;
    wb_analysis *analysis;
    kernel_expect_ok(
        wb_calibration_machine(wb_module_architecture(loaded->module), loaded->diagnostics, &machine), path,
        loaded->diagnostics);
    if (sms != NULL)
        kernel_expect_ok(wb_machine_set(machine, sms, loaded->diagnostics), path, loaded->diagnostics);
    text_string(&methods, CODE_METHODS);
    const bool searches = files % SEARCHED_STEP == 0;
    if (searches) text_string(&methods, ",adversary-short,k-adversary,k-adversary-short");
    const wb_analyze_options options = {.size = sizeof options, .methods = methods.data};
    kernel_expect_ok(
        wb_analyze(loaded->kernel, loaded->launch, machine, &options, loaded->diagnostics, &analysis), path,
        loaded->diagnostics);
    size_t simulated;
    (void)wb_analysis_simulations(analysis, &simulated);
    compare(analysis, path, stalls);
    if (wb_analysis_longest_block(analysis) != NULL) compare(wb_analysis_longest_block(analysis), path, 0);
    if (searches && simulated > 0) compare_threads(loaded, machine, analysis, path);
    searched += searches && simulated > 0;
    compared += simulated > 0;
    wb_analysis_free(analysis);
    wb_machine_free(machine);
    text_free(&methods);
}

static void check_case(const struct kernel_case *entry, const char *path, void *user) {
    (void)user;
    if (strstr(path, "sm_100") != NULL || strstr(path, "/o1/") != NULL) return;
    struct loaded_kernel loaded = kernel_load(path, entry->launch);
    wb_stalls stalls = {0};
    const wb_status status = stalls_find(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &stalls);
    if (status != WB_ERR_DECLINED) kernel_expect_ok(status, path, loaded.diagnostics);
    check_on(&loaded, path, NULL, stalls.cycles);
    check_on(&loaded, path, "memory.sms=2", stalls.cycles);
    files++;
    kernel_unload(&loaded);
}

static void test_kernel(void **state) {
    kernel_each_code(*state, check_case, NULL);
}

/* Last: most of the suite was looked at. */
static void test_how_many_were_compared(void **state) {
    (void)state;
    printf("%u compared, %u searched\n", compared, searched);
    assert_true(compared >= 400 / kernel_suite_step());
    assert_true(searched >= 6 / kernel_suite_step());
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_how_many_were_compared)};
    return kernel_suite_run("kernels of machine code", test_kernel, others, sizeof others / sizeof *others);
}
