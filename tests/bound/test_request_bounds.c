/* Blocks whose instructions take different times from execution to execution: every simulation within every
 * proven bound, all of them within or at the worst case over all schedules, and simulations of one warp
 * exactly as long as its transactions make it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound_named.h"
#include "traced_kernel.h"

/* Two rounds with strides (warp + 1) * round * 4: one load has as many costs as warps and rounds. */
static const char strided[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 data) {\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<5>;\n.shared .align 4 .b8 tile[4096];\n"
    "ld.param.u64 %rd1, [data];\nmov.u32 %r1, %tid.x;\nshr.u32 %r2, %r1, 5;\nmov.u32 %r3, 1;\nmov.u32 %r8, "
    "tile;\n"
    "L:\nmad.lo.u32 %r4, %r2, %r3, %r3;\nmul.lo.u32 %r5, %r1, %r4;\n"
    "mul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r6, [%rd3];\nadd.u32 %r3, %r3, 1;\nshl.b32 %r7, %r6, 2;\nadd.u32 %r7, %r7, "
    "%r8;\nst.shared.u32 [%r7], %r6;\n"
    "setp.lt.u32 %p1, %r3, 3;\n@%p1 bra L;\nret;\n}\n";

/* The kernel, with its analysis, on an Orin with some settings. */
static struct traced_kernel open_kernel(const char *ptx, const char *threads, const char *const *settings) {
    static const char *const arguments[] = {"buf:u32[16384]=iota", NULL};
    return traced_kernel_open(&(struct traced_launch){.text = ptx,
                                                      .kernel = "k",
                                                      .threads = threads,
                                                      .arguments = arguments,
                                                      .machine = "ecrts2025-orin",
                                                      .settings = settings,
                                                      .record_accesses = true,
                                                      .analyze = true});
}

static uint64_t slowest_simulation(const wb_analysis *analysis) {
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &count);
    uint64_t slowest = 0;
    for (size_t i = 0; i < count; i++)
        if (simulations[i].work_conserving && simulations[i].cycles > slowest)
            slowest = simulations[i].cycles;
    return slowest;
}

static void check_order(const struct traced_kernel *traced, const char *what) {
    const wb_bound *exact = bound_named(traced->analysis, "exhaustive");
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(traced->analysis, &count);
    assert_int_equal(exact->kind, WB_EXACT);
    if (slowest_simulation(traced->analysis) > exact->cycles) fail_msg("%s: not the worst case", what);
    for (size_t i = 0; i < count; i++) {
        if (bounds[i].kind == WB_UPPER && bounds[i].cycles < exact->cycles)
            fail_msg("%s: %s is below the worst case", what, bounds[i].method);
        if (bounds[i].kind == WB_LOWER && bounds[i].cycles > exact->cycles)
            fail_msg("%s: %s is above the worst case", what, bounds[i].method);
    }
}

static void test_bounds_and_simulations(void **state) {
    (void)state;
    static const char *const threads[] = {"32", "64"};
    static const char *const depths[] = {"dispatch_depth=0", "dispatch_depth=1", "dispatch_depth=unlimited"};
    static const char *const rules[] = {"requests=fermi", "requests=volta"};
    for (uint32_t i = 0; i < 12; i++) {
        const char *const settings[] = {depths[i / 2 % 3], rules[i / 6], "mem_latency=9", NULL};
        char what[128];
        struct traced_kernel traced = open_kernel(strided, threads[i % 2], settings);
        (void)snprintf(what, sizeof what, "%s threads, %s, %s", threads[i % 2], settings[0], settings[1]);
        traced_expect_ok(&traced,
                         wb_analysis_bound(traced.analysis, "sib,fib,aln,fifo,elb,exhaustive,adversary", NULL,
                                           traced.diagnostics));
        traced_expect_ok(&traced, wb_analysis_simulate(traced.analysis, "all", NULL, traced.diagnostics));
        check_order(&traced, what);
        traced_kernel_close(&traced);
    }
}

/* One warp: it waits for every request of its loads, of which the first has unit stride and the second takes
 * every second word. The two passes of its last store are over before the branch behind it. */
static void test_one_warp_waits_for_its_transactions(void **state) {
    (void)state;
    const char *const ideal[] = {"requests=ideal", NULL}, *const lines[] = {"requests=fermi", NULL},
                      *const sectors[] = {"requests=volta", NULL};
    const char *const *const settings[] = {ideal, lines, sectors};
    static const uint64_t more[] = {0, 0 + 1, 3 + 7};
    uint64_t first = 0;
    for (uint32_t i = 0; i < 3; i++) {
        struct traced_kernel traced = open_kernel(strided, "32", settings[i]);
        traced_expect_ok(&traced, wb_analysis_simulate(traced.analysis, "lrr", NULL, traced.diagnostics));
        uint64_t taken = slowest_simulation(traced.analysis);
        if (i == 0) first = taken;
        assert_int_equal(taken, first + more[i]);
        traced_kernel_close(&traced);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_and_simulations),
        cmocka_unit_test(test_one_warp_waits_for_its_transactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
