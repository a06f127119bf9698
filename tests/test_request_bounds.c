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

#include "warpbound.h"

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

struct fixture {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    wb_machine *machine;
    wb_block *block;
    wb_analysis *analysis;
};

static void expect_ok(const struct fixture *fixture, wb_status status) {
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(fixture->diagnostics));
}

static void set(const struct fixture *fixture, const char *setting) {
    expect_ok(fixture, wb_machine_set(fixture->machine, setting, fixture->diagnostics));
}

static struct fixture fixture_open(const char *ptx, const char *threads, const char *const *settings) {
    struct fixture fixture = {.diagnostics = wb_diagnostics_new(), .launch = wb_launch_new()};
    wb_diagnostics *diagnostics = fixture.diagnostics;
    const wb_kernel *kernel = NULL;
    const wb_trace_options options = {.record_accesses = true};
    expect_ok(&fixture, wb_module_parse("k.ptx", ptx, strlen(ptx), diagnostics, &fixture.module));
    expect_ok(&fixture, wb_module_find_kernel(fixture.module, "k", diagnostics, &kernel));
    expect_ok(&fixture, wb_launch_set_grid(fixture.launch, "1", diagnostics));
    expect_ok(&fixture, wb_launch_set_block(fixture.launch, threads, diagnostics));
    expect_ok(&fixture, wb_launch_add_argument(fixture.launch, "buf:u32[16384]=iota", diagnostics));
    expect_ok(&fixture, wb_machine_load("orin-sm86", diagnostics, &fixture.machine));
    for (; *settings != NULL; settings++)
        set(&fixture, *settings);
    expect_ok(&fixture, wb_block_trace(kernel, fixture.launch, &options, diagnostics, &fixture.block));
    expect_ok(&fixture, wb_analysis_new(fixture.block, fixture.machine, diagnostics, &fixture.analysis));
    return fixture;
}

static void fixture_close(struct fixture *fixture) {
    wb_analysis_free(fixture->analysis);
    wb_block_free(fixture->block);
    wb_machine_free(fixture->machine);
    wb_launch_free(fixture->launch);
    wb_module_free(fixture->module);
    wb_diagnostics_free(fixture->diagnostics);
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

static const wb_bound *bound_of(const wb_analysis *analysis, const char *method) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(bounds[i].method, method) == 0) return &bounds[i];
    fail_msg("no bound %s", method);
    return NULL;
}

static void check_order(const struct fixture *fixture, const char *what) {
    const wb_bound *exact = bound_of(fixture->analysis, "exhaustive");
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(fixture->analysis, &count);
    assert_int_equal(exact->kind, WB_EXACT);
    if (slowest_simulation(fixture->analysis) > exact->cycles) fail_msg("%s: not the worst case", what);
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
        struct fixture fixture = fixture_open(strided, threads[i % 2], settings);
        (void)snprintf(what, sizeof what, "%s threads, %s, %s", threads[i % 2], settings[0], settings[1]);
        expect_ok(&fixture, wb_analysis_bound(fixture.analysis, "sib,fib,aln,fifo,elb,exhaustive,adversary",
                                              NULL, fixture.diagnostics));
        expect_ok(&fixture, wb_analysis_simulate(fixture.analysis, "all", NULL, fixture.diagnostics));
        check_order(&fixture, what);
        fixture_close(&fixture);
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
        struct fixture fixture = fixture_open(strided, "32", settings[i]);
        expect_ok(&fixture, wb_analysis_simulate(fixture.analysis, "lrr", NULL, fixture.diagnostics));
        uint64_t taken = slowest_simulation(fixture.analysis);
        if (i == 0) first = taken;
        assert_int_equal(taken, first + more[i]);
        fixture_close(&fixture);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_and_simulations),
        cmocka_unit_test(test_one_warp_waits_for_its_transactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
