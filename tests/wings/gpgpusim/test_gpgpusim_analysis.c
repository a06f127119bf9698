/* The model gpgpusim through the library's front door: one launch of vecadd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"
#include "traced_kernel.h"
#include "warp/synthetic/synthetic.h"

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

/* Not even of a block written by hand. */
static void test_bounds_of_other_blocks(void **state) {
    (void)state;
    struct synthetic_block block;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(synthetic_block_parse("A(4,9)", "2x A", diagnostics, &block), WB_OK);
    block.machine.dispatch_depth = DEPTH_UNLIMITED;
    block.machine.model = MACHINE_GPGPUSIM;
    wb_analysis *analysis = NULL;
    assert_int_equal(analysis_of_timed(&block.timed, diagnostics, &analysis), WB_OK);
    assert_int_equal(wb_analysis_bound(analysis, "all", NULL, diagnostics), WB_OK);
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    assert_true(count >= 3);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(bounds[i].kind, WB_ESTIMATE);
        assert_non_null(bounds[i].reason);
    }
    assert_null(wb_analysis_best(analysis));
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
    synthetic_block_free(&block);
}

static const char copies[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data) {\n"
    ".reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b64 %x;\n.shared .align 16 .b8 s[1024];\n"
    "ld.param.u64 %x, [data];\nmov.u32 %r1, s;\n"
    "cp.async.ca.shared.global [%r1], [%x], 4;\ncp.async.commit_group;\n"
    "cp.async.wait_group 0;\nret;\n}\n";

static void test_waits_for_copies_are_declined(void **state) {
    (void)state;
    static const char *const arguments[] = {"buf:u32[4096]=iota", NULL};
    static const char *const settings[] = {NULL};
    struct traced_kernel traced = traced_kernel_open(&(struct traced_launch){.text = copies,
                                                                             .kernel = "k",
                                                                             .threads = "32",
                                                                             .arguments = arguments,
                                                                             .machine = "gpgpusim-orin",
                                                                             .settings = settings,
                                                                             .record_accesses = true,
                                                                             .analyze = true});
    assert_int_equal(wb_analysis_simulate(traced.analysis, "lrr", NULL, traced.diagnostics), WB_ERR_DECLINED);
    assert_non_null(
        strstr(wb_diagnostics_text(traced.diagnostics), "does not support waits for asynchronous copies"));
    traced_kernel_close(&traced);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulations),
        cmocka_unit_test(test_bounds_are_estimates),
        cmocka_unit_test(test_accesses_are_asked_for),
        cmocka_unit_test(test_bounds_of_other_blocks),
        cmocka_unit_test(test_waits_for_copies_are_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
