/* Machine code under machines that state times for PTX: no simulation and no schedule that was found is
 * longer than what is called an upper bound, and every number says what it stands for: every kernel of
 * kernels/index.txt, by turns on two architectures whose code differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_index.h"
#include "warpbound.h"

/* Larger ones take seconds each. */
#define METHODS "sib,aln,elb,k-area,k-bal,k-sm"

static bool assumes(const wb_bound *bound, wb_assumption what) {
    for (size_t i = 0; i < bound->assumption_count; i++)
        if (bound->assumptions[i] == what) return true;
    return false;
}

static void check_analysis(const char *code, const wb_analysis *analysis) {
    size_t count, simulated;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    const wb_simulation *simulations = wb_analysis_simulations(analysis, &simulated);
    uint64_t found = 0, least = UINT64_MAX;
    for (size_t i = 0; i < simulated; i++)
        if (simulations[i].work_conserving && simulations[i].cycles > found) found = simulations[i].cycles;
    for (size_t i = 0; i < count; i++) {
        const bool is_proven = bounds[i].kind == WB_UPPER || bounds[i].kind == WB_EXACT;
        if (bounds[i].kind == WB_LOWER && bounds[i].cycles > found) found = bounds[i].cycles;
        if (is_proven && bounds[i].cycles < least) least = bounds[i].cycles;
        if (is_proven && !assumes(&bounds[i], WB_ASSUME_MACHINE_CODE_CLASSES))
            fail_msg("%s: %s does not say whose times these are", code, bounds[i].method);
        assert_false(assumes(&bounds[i], WB_ASSUME_PTX_FOR_MACHINE_CODE));
    }
    assert_true(count > 0 && simulated > 0);
    if (found > least) fail_msg("%s: an execution of %" PRIu64 ", a bound of %" PRIu64, code, found, least);
}

static void check_code(const char *code, const char *launch_file, const wb_machine *machine) {
    const wb_analyze_options options = {.size = sizeof options, .methods = METHODS, .policies = "lrr,gto"};
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_module *module;
    wb_launch *launch;
    const wb_kernel *kernel;
    wb_analysis *analysis = NULL;
    assert_int_equal(wb_module_read(code, messages, &module), WB_OK);
    assert_int_equal(wb_launch_read(launch_file, WB_FILES_BELOW, messages, &launch), WB_OK);
    assert_int_equal(wb_module_find_kernel(module, wb_launch_kernel(launch), messages, &kernel), WB_OK);
    const wb_status status = wb_analyze(kernel, launch, machine, &options, messages, &analysis);
    if (status == WB_OK)
        check_analysis(code, analysis);
    else if (status != WB_ERR_DECLINED)
        fail_msg("%s", wb_diagnostics_text(messages));
    wb_analysis_free(analysis);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(messages);
}

static void no_execution_is_longer_than_a_bound(void **state) {
    (void)state;
    struct kernel_index index = {0};
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_machine *machine;
    unsigned checked = 0;
    assert_true(kernel_index_read(&index));
    assert_int_equal(wb_machine_load("ecrts2025-orin", messages, &machine), WB_OK);
    for (size_t i = 0; i < index.cases.count; i++) {
        const struct kernel_case *entry = &index.cases.items[i];
        char code[KERNEL_CODE_MAX];
        kernel_code(entry, "", i % 2 == 0 ? 75 : 90, code);
        if (access(code, R_OK) != 0) continue;
        check_code(code, entry->launch, machine);
        checked++;
    }
    assert_true(checked > 30);
    wb_machine_free(machine);
    wb_diagnostics_free(messages);
    kernel_index_free(&index);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_execution_is_longer_than_a_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
