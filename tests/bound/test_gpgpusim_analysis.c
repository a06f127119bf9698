/* The model gpgpusim through the library's front door: one launch of vecadd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "traced_kernel.h"

static struct traced_kernel open_launch(bool record_accesses) {
    static const char *const arguments[] = {"buf:i32[256]=iota", "buf:i32[256]=7", "buf:i32[256]=0",
                                            "i32:256", NULL};
    static const char *const settings[] = {"mem_latency=50", NULL};
    return traced_kernel_open(&(struct traced_launch){.file = "tests/data/gpgpusim/basic.ptx",
                                                      .kernel = "vecadd",
                                                      .threads = "256",
                                                      .arguments = arguments,
                                                      .machine = "gpgpusim-orin",
                                                      .settings = settings,
                                                      .record_accesses = record_accesses,
                                                      .analyze = true});
}

static void test_simulations(void **state) {
    (void)state;
    struct traced_kernel launched = open_launch(true);
    traced_expect_ok(&launched,
                     wb_analysis_simulate(launched.analysis, "gto,lrr", NULL, launched.diagnostics));
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
    traced_kernel_close(&launched);
}

/* Nothing is proven of this model: no bound may be taken for one, and none is best. */
static void test_bounds_are_estimates(void **state) {
    (void)state;
    struct traced_kernel launched = open_launch(true);
    traced_expect_ok(&launched, wb_analysis_bound(launched.analysis, "all", NULL, launched.diagnostics));
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(launched.analysis, &count);
    assert_true(count >= 5);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bounds[i].kind, WB_ESTIMATE);
        assert_int_equal(bounds[i].lower, 0);
        assert_non_null(bounds[i].reason);
    }
    assert_null(wb_analysis_best(launched.analysis));
    traced_kernel_close(&launched);
}

/* Bounds need no addresses, simulations do. */
static void test_accesses_are_asked_for(void **state) {
    (void)state;
    struct traced_kernel launched = open_launch(false);
    assert_true(wb_machine_needs_accesses(launched.machine));
    traced_expect_ok(&launched, wb_analysis_bound(launched.analysis, "sib", NULL, launched.diagnostics));
    assert_int_equal(wb_analysis_simulate(launched.analysis, "gto", NULL, launched.diagnostics),
                     WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(launched.diagnostics), "have them recorded"));
    traced_kernel_close(&launched);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulations),
        cmocka_unit_test(test_bounds_are_estimates),
        cmocka_unit_test(test_accesses_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
