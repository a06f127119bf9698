/* Machine code of all kernels on the presets of its architecture: what the stall counts prove is no more than
 * what simulations take, and those no more than the bounds, whatever is promised of memory. And a loop of
 * which PTX latencies say too little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/verdict.h"
#include "loaded_code.h"

/* Longer blocks are bounded, but not simulated. */
#define SIMULATED_MAX 60000u

/* What was compared, in all. */
static unsigned bounded, simulated;

struct timed {
    const struct loaded_kernel *loaded;
    const char *path;
    wb_block *block;
    wb_analysis *analysis;
    uint64_t stalls;
};

static uint64_t instructions(const wb_block *block) {
    uint64_t sum = 0;
    for (uint32_t w = 0; w < wb_block_warp_count(block); w++)
        sum += wb_block_warp_instructions(block, w);
    return sum;
}

static void simulate_timed(struct timed *timed) {
    size_t count;
    wb_diagnostics *diagnostics = timed->loaded->diagnostics;
    kernel_expect_ok(wb_analysis_simulate(timed->analysis, "cggty,gto,lrr", NULL, diagnostics), timed->path,
                     diagnostics);
    const wb_simulation *simulations = wb_analysis_simulations(timed->analysis, &count);
    assert_int_equal(count, 3);
    size_t bound_count;
    const wb_bound *bounds = wb_analysis_bounds(timed->analysis, &bound_count);
    for (size_t s = 0; s < count; s++) {
        if (simulations[s].cycles < timed->stalls)
            fail_msg("%s: %s takes %lu cycles, stall counts alone %lu", timed->path, simulations[s].policy,
                     (unsigned long)simulations[s].cycles, (unsigned long)timed->stalls);
        for (size_t b = 0; b < bound_count; b++)
            if (bounds[b].cycles < simulations[s].cycles)
                fail_msg("%s: %s takes %lu cycles, %s says at most %lu", timed->path, simulations[s].policy,
                         (unsigned long)simulations[s].cycles, bounds[b].method,
                         (unsigned long)bounds[b].cycles);
    }
    simulated++;
}

static void bound_timed(struct timed *timed) {
    wb_diagnostics *diagnostics = timed->loaded->diagnostics;
    size_t count;
    kernel_expect_ok(wb_analysis_bound(timed->analysis, "sib,fib,elb", NULL, diagnostics), timed->path,
                     diagnostics);
    const wb_bound *bounds = wb_analysis_bounds(timed->analysis, &count);
    assert_int_equal(count, 3);
    for (size_t b = 0; b < count; b++)
        if (bounds[b].cycles < timed->stalls)
            fail_msg("%s: %s says at most %lu cycles, stall counts at least %lu", timed->path,
                     bounds[b].method, (unsigned long)bounds[b].cycles, (unsigned long)timed->stalls);
    if (instructions(timed->block) <= SIMULATED_MAX) simulate_timed(timed);
}

/* No promise makes a bound longer, and executions that keep it take no longer than the bounds either. */
static void bound_promised(const struct timed *timed, const char *promise) {
    wb_diagnostics *diagnostics = timed->loaded->diagnostics;
    struct timed promised = *timed;
    wb_machine *machine;
    size_t count;
    kernel_expect_ok(
        wb_calibration_machine(wb_module_architecture(timed->loaded->module), diagnostics, &machine),
        timed->path, diagnostics);
    kernel_expect_ok(wb_machine_set(machine, promise, diagnostics), promise, diagnostics);
    kernel_expect_ok(wb_analysis_new(timed->block, machine, diagnostics, &promised.analysis), timed->path,
                     diagnostics);
    bound_timed(&promised);
    const wb_bound *before = wb_analysis_bounds(timed->analysis, &count);
    const wb_bound *bounds = wb_analysis_bounds(promised.analysis, &count);
    for (size_t b = 0; b < count; b++)
        if (bounds[b].cycles > before[b].cycles)
            fail_msg("%s: %s: %s is longer", timed->path, promise, bounds[b].method);
    wb_analysis_free(promised.analysis);
    wb_machine_free(machine);
}

static void check(struct timed *timed) {
    static const char *const promises[] = {"resident=translations", "resident=data", "resident=code",
                                           "resident=code-l1", "resident=all"};
    wb_diagnostics *diagnostics = timed->loaded->diagnostics;
    const uint32_t first[3] = {0, 0, 0};
    wb_stalls stalls;
    kernel_expect_ok(stalls_find(timed->loaded->kernel, timed->loaded->launch, first, diagnostics, &stalls),
                     timed->path, diagnostics);
    timed->stalls = stalls.cycles;
    assert_true(timed->stalls > 0);
    bound_timed(timed);
    bounded++;
    for (size_t p = 0; p < sizeof promises / sizeof *promises; p++)
        bound_promised(timed, promises[p]);
}

/* Block 0 of machine code in its launch; nothing where its data is not known. */
static void check_code(const char *path, const char *launch) {
    struct loaded_code code = code_load(path, launch);
    struct timed timed = {&code.kernel, path, code.block, code.analysis, 0};
    if (code.block != NULL) check(&timed);
    code_unload(&code);
}

static void check_case(const struct kernel_case *entry, const char *path, void *user) {
    (void)user;
    check_code(path, entry->launch);
}

static void test_kernel(void **state) {
    kernel_each_code(*state, check_case, NULL);
}

/* 1000 rounds of an addition, a comparison and a branch that needs its result 12 or 13 cycles later. */
static void test_loop_of_stall_counts(void **state) {
    static const unsigned architectures[] = {75, 80, 86, 87, 89, 90};
    (void)state;
    const unsigned before = simulated;
    for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
        char path[100];
        (void)snprintf(path, sizeof path, "tests/data/machine_code/chain_loop.sm_%u.cubin", architectures[a]);
        check_code(path, "tests/data/machine_code/chain_loop.yaml");
        struct loaded_kernel loaded = kernel_load(path, "tests/data/machine_code/chain_loop.yaml");
        wb_stalls stalls;
        kernel_expect_ok(stalls_find(loaded.kernel, loaded.launch, NULL, loaded.diagnostics, &stalls), path,
                         loaded.diagnostics);
        assert_true(stalls.cycles - stalls.wait_cycles >= 20000);
        kernel_unload(&loaded);
    }
    assert_int_equal(simulated - before, 36);
}

/* Last: most of the suite was looked at. */
static void test_how_many_were_compared(void **state) {
    (void)state;
    printf("%u bounded, %u simulated, with promises, too\n", bounded, simulated);
    assert_true(bounded >= 400 / kernel_suite_step());
    assert_true(simulated >= 3 * bounded);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_loop_of_stall_counts),
                                        cmocka_unit_test(test_how_many_were_compared)};
    return kernel_suite_run("machine code timed", test_kernel, others, sizeof others / sizeof *others);
}
