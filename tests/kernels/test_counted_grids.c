/* What is said of grids whose blocks are counted, not listed (docs/block-classes.md, section 4): the bounds
 * are those of the list, or, where caches would be known to keep something, no lower; what has to follow each
 * block declines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <inttypes.h>

#include "bound/analysis/analysis.h"
#include "kernel_suite.h"
#include "same_grid.h"

/* Machines of PTX, and of the machine code in files whose names have the first text. */
static const struct machine_of {
    const char *code, *name;
    bool keeps; /* its caches may be known to keep what they were asked for */
} machines[] = {{NULL, "ecrts2025-orin", false},
                {NULL, "ampere-sm80", false},
                {".sm_75.", "turing-rtx2080", true},
                {".sm_86.", "rtx-3070", true}};

static uint32_t compared;

static wb_analysis *analyse(const wb_grid *grid, const wb_machine *machine, wb_diagnostics *diagnostics) {
    wb_analysis *analysis = NULL;
    if (analysis_new_kernel(grid, machine, NULL, NULL, diagnostics, &analysis) != WB_OK) return NULL;
    kernel_expect_ok(wb_analysis_bound(analysis, "kernel", NULL, diagnostics), "bounding", diagnostics);
    return analysis;
}

static void compare(const char *name, const wb_analysis *counted, const wb_analysis *listed, bool keeps) {
    size_t count, of_list;
    const wb_bound *bounds = wb_analysis_bounds(counted, &count),
                   *expected = wb_analysis_bounds(listed, &of_list);
    assert_int_equal(count, of_list);
    for (size_t b = 0; b < count; b++) {
        const bool fits =
            keeps ? bounds[b].cycles >= expected[b].cycles : bounds[b].cycles == expected[b].cycles;
        if (!fits || bounds[b].kind != expected[b].kind)
            fail_msg("%s: %s is %" PRIu64 " of the counted grid, %" PRIu64 " of the listed one", name,
                     bounds[b].method, bounds[b].cycles, expected[b].cycles);
        compared++;
    }
}

/* Simulations, lists and caches. */
static void check_declined(const wb_grid *counted, const wb_machine *machine) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *cached = NULL;
    wb_gpu *gpu = NULL;
    wb_analysis *analysis = NULL;
    kernel_expect_ok(wb_machine_load("jcse2017", diagnostics, &cached), "jcse2017", diagnostics);
    if (wb_gpu_new(counted, machine, diagnostics, &gpu) == WB_OK)
        assert_int_equal(wb_gpu_simulate(gpu, "default", "lrr", NULL, diagnostics), WB_ERR_DECLINED);
    assert_int_equal(wb_grid_report(counted, WB_REPORT_TEXT, NULL, diagnostics), WB_ERR_DECLINED);
    assert_int_equal(analysis_new_kernel(counted, cached, NULL, NULL, diagnostics, &analysis),
                     WB_ERR_DECLINED);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "too many blocks to follow each of them"));
    wb_gpu_free(gpu);
    wb_machine_free(cached);
    wb_diagnostics_free(diagnostics);
}

static void check(const char *name, const struct loaded_kernel *loaded, const struct machine_of *of) {
    wb_diagnostics *diagnostics = loaded->diagnostics;
    wb_machine *machine = NULL;
    wb_grid *listed = same_grid_trace(loaded->kernel, loaded->launch, GRID_BY_CLASSES, diagnostics);
    wb_grid *counted = same_grid_trace(loaded->kernel, loaded->launch, GRID_COUNTED_BLOCKS, diagnostics);
    kernel_expect_ok(wb_machine_load(of->name, diagnostics, &machine), of->name, diagnostics);
    assert_true(listed != NULL && counted != NULL);
    if (grid_is_counted(counted) && !grid_is_steered(listed)) {
        wb_analysis *of_list = analyse(listed, machine, diagnostics);
        wb_analysis *of_count = analyse(counted, machine, diagnostics);
        assert_true((of_list == NULL) == (of_count == NULL));
        if (of_list != NULL) compare(name, of_count, of_list, of->keeps);
        if (of->code == NULL) check_declined(counted, machine);
        wb_analysis_free(of_list);
        wb_analysis_free(of_count);
    }
    wb_grid_free(listed);
    wb_grid_free(counted);
    wb_machine_free(machine);
}

static void check_code(const struct kernel_case *entry, const char *path, void *user) {
    (void)entry, (void)user;
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        if (machines[m].code == NULL || strstr(path, machines[m].code) == NULL) continue;
        struct loaded_kernel loaded = kernel_load(path, entry->launch);
        check(path, &loaded, &machines[m]);
        kernel_unload(&loaded);
    }
}

static void test_kernel(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    check(entry->name, &loaded, &machines[0]);
    check(entry->name, &loaded, &machines[1]);
    kernel_unload(&loaded);
    kernel_each_code(entry, check_code, NULL);
}

static void test_enough(void **state) {
    (void)state;
    print_message("%u bounds compared\n", compared);
    assert_true(compared > 20);
}

int main(void) {
    const struct CMUnitTest others[] = {cmocka_unit_test(test_enough)};
    return kernel_suite_run("counted grids", test_kernel, others, 1);
}
