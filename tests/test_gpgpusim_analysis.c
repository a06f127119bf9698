/* The model gpgpusim through the library's front door: one launch of vecadd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "warpbound.h"

/* What the front door hands out for the launch. */
struct launched {
    wb_diagnostics *diagnostics;
    wb_module *module;
    wb_launch *launch;
    wb_machine *machine;
    wb_block *block;
    wb_analysis *analysis;
};

static void expect_ok(const struct launched *launched, wb_status status) {
    if (status != WB_OK) fail_msg("%s", wb_diagnostics_text(launched->diagnostics));
}

static void open_launch(struct launched *launched, bool record_accesses) {
    static const char *const arguments[] = {"buf:i32[256]=iota", "buf:i32[256]=7", "buf:i32[256]=0",
                                            "i32:256"};
    wb_diagnostics *diagnostics = launched->diagnostics = wb_diagnostics_new();
    const wb_trace_options options = {.record_accesses = record_accesses};
    const wb_kernel *kernel;
    expect_ok(launched, wb_module_read("tests/data/gpgpusim/basic.ptx", diagnostics, &launched->module));
    expect_ok(launched, wb_module_find_kernel(launched->module, "vecadd", diagnostics, &kernel));
    launched->launch = wb_launch_new();
    expect_ok(launched, wb_launch_set_grid(launched->launch, "1", diagnostics));
    expect_ok(launched, wb_launch_set_block(launched->launch, "256", diagnostics));
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        expect_ok(launched, wb_launch_add_argument(launched->launch, arguments[i], diagnostics));
    expect_ok(launched, wb_machine_load("gpgpusim-orin", diagnostics, &launched->machine));
    expect_ok(launched, wb_machine_set(launched->machine, "mem_latency=50", diagnostics));
    expect_ok(launched, wb_block_trace(kernel, launched->launch, &options, diagnostics, &launched->block));
    expect_ok(launched,
              wb_analysis_new(launched->block, launched->machine, diagnostics, &launched->analysis));
}

static void close_launch(struct launched *launched) {
    wb_analysis_free(launched->analysis);
    wb_block_free(launched->block);
    wb_machine_free(launched->machine);
    wb_launch_free(launched->launch);
    wb_module_free(launched->module);
    wb_diagnostics_free(launched->diagnostics);
}

static void test_simulations(void **state) {
    (void)state;
    struct launched launched;
    open_launch(&launched, true);
    expect_ok(&launched, wb_analysis_simulate(launched.analysis, "gto,lrr", NULL, launched.diagnostics));
    size_t count;
    const wb_simulation *simulations = wb_analysis_simulations(launched.analysis, &count);
    assert_int_equal(count, 2);
    assert_string_equal(simulations[0].policy, "lrr");
    assert_int_equal(simulations[0].last_commit, 258);
    assert_int_equal(simulations[0].cycles, 666);
    assert_int_equal(simulations[0].warp_instructions, 168);
    assert_string_equal(simulations[1].policy, "gto");
    assert_int_equal(simulations[1].last_commit, 261);
    assert_int_equal(simulations[1].cycles, 664);
    close_launch(&launched);
}

/* Nothing is proven of this model: no bound may be taken for one, and none is best. */
static void test_bounds_are_estimates(void **state) {
    (void)state;
    struct launched launched;
    open_launch(&launched, true);
    expect_ok(&launched, wb_analysis_bound(launched.analysis, "all", NULL, launched.diagnostics));
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(launched.analysis, &count);
    assert_true(count >= 5);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bounds[i].kind, WB_ESTIMATE);
        assert_int_equal(bounds[i].lower, 0);
        assert_non_null(bounds[i].reason);
    }
    assert_null(wb_analysis_best(launched.analysis));
    close_launch(&launched);
}

/* Bounds need no addresses, simulations do. */
static void test_accesses_are_asked_for(void **state) {
    (void)state;
    struct launched launched;
    open_launch(&launched, false);
    assert_true(wb_machine_needs_accesses(launched.machine));
    expect_ok(&launched, wb_analysis_bound(launched.analysis, "sib", NULL, launched.diagnostics));
    assert_int_equal(wb_analysis_simulate(launched.analysis, "gto", NULL, launched.diagnostics),
                     WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(launched.diagnostics), "have them recorded"));
    close_launch(&launched);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulations),
        cmocka_unit_test(test_bounds_are_estimates),
        cmocka_unit_test(test_accesses_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
