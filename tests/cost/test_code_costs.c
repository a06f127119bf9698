/* Where the cycles of bounds of machine code go: chains of random blocks against the times that the bounds
 * are made of, and all kernels for sm_86. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "cost/costs.h"
#include "random_block.h"
#include "random_sass.h"
#include "sass_block.h"
#include "warpbound.h"

/* ---- Chains -------------------------------------------------------------------------------------------- */

#define FAMILY_ROUNDS 900u

struct chain_check {
    struct arena arena;
    const struct timed_block *block;
    struct code_trace trace;
    bool failed;
    uint64_t rows;
};

/* The chain of a path's section is as long as the section is, and its steps are that many cycles. */
static wb_status check_row(void *user, const struct own_walker *walkers, const struct own_section *sections,
                           uint64_t times) {
    struct chain_check *check = user;
    const struct timed_code *code = &check->block->code;
    cycles *spent = chain_spent_new(code, &check->arena);
    const size_t steps = (size_t)code->inst_count * CHAIN_STEPS;
    assert_non_null(spent);
    for (uint32_t p = 0; p < check->block->path_count; p++) {
        const bool latencies = check->trace.latencies;
        const struct own_graph *graph = latencies ? &walkers[p].latencies : &walkers[p].alone;
        const cycles length = latencies ? sections[p].lam : sections[p].iso;
        cycles sum = 0;
        memset(spent, 0, steps * sizeof *spent);
        assert_int_equal(chain_spend(&check->trace.chains, graph->complete->link, 1, spent), WB_OK);
        for (size_t s = 0; s < steps; s++)
            sum += spent[s];
        check->failed |= graph->complete->at != length || sum != length;
    }
    check->rows += times;
    return WB_OK;
}

static void check_chains(const struct sass_family *family, uint64_t seed, uint32_t times, bool cold) {
    struct sass_grid grid;
    struct wb_machine machine;
    struct timed_block block;
    random_sass_grid(family, seed, &grid);
    sass_block_from(&grid, times, false, &machine, &block);
    uint64_t rows = 0;
    for (int latencies = 0; latencies < 2; latencies++) {
        struct chain_check check = {.block = &block, .trace = {.row = check_row, .user = &check}};
        check.trace.latencies = latencies != 0;
        assert_int_equal(code_profile_trace(&block, cold ? MISSES_ON_PATHS : MISSES_BESIDE, &check.trace),
                         WB_OK);
        if (check.failed)
            fail_msg("family \"%s\", seed %" PRIu64 ", %" PRIu32 " times: a chain is not as long as its "
                     "section",
                     family->name, seed, times);
        if (latencies) assert_int_equal(check.rows, rows);
        rows = check.rows;
        chains_free(&check.trace.chains);
        arena_free(&check.arena);
    }
    timed_block_free(&block);
}

static void test_chains_are_as_long_as_sections(void **state) {
    (void)state;
    const uint32_t rounds = random_rounds(FAMILY_ROUNDS);
    for (size_t f = 0; f < SASS_FAMILIES; f++)
        for (uint64_t seed = 1; seed <= rounds; seed++)
            check_chains(&sass_families[f], seed, seed % 3 == 0 ? 9 + (uint32_t)(seed % 60) : 1,
                         seed % 2 == 0);
}

/* ---- Kernels ------------------------------------------------------------------------------------------- */

#define CUBIN_FOLDER "kernels/cubin/"
#define CUBINS CUBIN_FOLDER "*.sm_86.cubin"
#define CUBIN_ENDING ".sm_86.cubin"
#define KERNELS_LEAST 35
/* Forms of the bound of a kernel, each alone under its old name. */
static const char *const forms[] = {"k-area", "k-bal", "k-sm", "k-chain", "k-chain-area", "k-chain-bal"};

enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

static void check_groups(const wb_costs *costs, const wb_bound *bound, wb_diagnostics *diagnostics) {
    for (wb_cost_grouping by = WB_COST_BY_INSTRUCTION; by <= WB_COST_BY_FUNCTION; by++) {
        wb_costs *groups;
        size_t count;
        uint64_t sum = 0;
        assert_int_equal(wb_costs_group(costs, by, diagnostics, &groups), WB_OK);
        const wb_cost *rows = wb_costs_rows(groups, &count);
        for (size_t r = 0; r < count; r++)
            sum += rows[r].cycles;
        assert_int_equal(sum, wb_costs_total(costs));
        assert_true(sum >= bound->cycles);
        wb_costs_free(groups);
    }
}

/* What the rows have of a kind. */
static uint64_t sum_of(const wb_costs *costs, wb_part_kind what) {
    size_t count;
    uint64_t sum = 0;
    const wb_cost *rows = wb_costs_rows(costs, &count);
    for (size_t r = 0; r < count; r++)
        sum += rows[r].share[what];
    return sum;
}

static uint64_t part_of(const wb_bound *bound, wb_part_kind what) {
    uint64_t sum = 0;
    for (size_t p = 0; p < bound->part_count; p++)
        if (bound->parts[p].what == what) sum += bound->parts[p].cycles;
    return sum;
}

/* Charges of other warps are a kind of rows, and among their causes in the parts; misses and latencies are
 * the same in both. */
static void check_bound(const wb_analysis *analysis, const wb_bound *bound, wb_diagnostics *diagnostics) {
    static const wb_part_kind same[] = {WB_PART_LATENCY, WB_PART_L1,           WB_PART_L2,
                                        WB_PART_DRAM,    WB_PART_TRANSLATIONS, WB_PART_CODE,
                                        WB_PART_FETCH,   WB_PART_STALL,        WB_PART_TAIL};
    wb_costs *costs;
    uint64_t sum = 0;
    if (wb_costs_of_bound(analysis, bound->method, NULL, diagnostics, &costs) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    for (size_t p = 0; p < bound->part_count; p++)
        sum += bound->parts[p].cycles;
    assert_true(bound->part_count > 0);
    assert_int_equal(sum, bound->cycles);
    for (wb_part_kind what = 0; what < WB_PART_COUNT; what++)
        sum -= sum_of(costs, what);
    assert_int_equal(sum, 0);
    for (size_t s = 0; s < sizeof same / sizeof *same; s++)
        assert_int_equal(sum_of(costs, same[s]), part_of(bound, same[s]));
    assert_int_equal(part_of(bound, WB_PART_INTERFERENCE), 0);
    assert_true(part_of(bound, WB_PART_FETCH) > 0);
    check_groups(costs, bound, diagnostics);
    wb_costs_free(costs);
}

static size_t check_bounds(const wb_analysis *analysis, wb_diagnostics *diagnostics) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t b = 0; b < count; b++)
        check_bound(analysis, &bounds[b], diagnostics);
    return count;
}

static void check_kernel(const char *cubin, const char *path, const char *form, wb_machine *machine,
                         wb_diagnostics *diagnostics) {
    char methods[64];
    (void)text_format(methods, sizeof methods, "sib,fib,elb,%s", form);
    const wb_analyze_options options = {.size = sizeof options, .methods = methods, .policies = "gto"};
    wb_module *module;
    wb_launch *launch;
    wb_analysis *analysis = NULL;
    const wb_kernel *kernel;
    assert_int_equal(wb_launch_read(path, WB_FILES_BELOW, diagnostics, &launch), WB_OK);
    assert_int_equal(wb_module_read(cubin, diagnostics, &module), WB_OK);
    assert_int_equal(wb_module_find_kernel(module, wb_launch_kernel(launch), diagnostics, &kernel), WB_OK);
    if (wb_analyze(kernel, launch, machine, &options, diagnostics, &analysis) != WB_OK)
        fail_msg("%s: %s", cubin, wb_diagnostics_text(diagnostics));
    assert_true(check_bounds(analysis, diagnostics) > 0);
    assert_int_equal(check_bounds(wb_analysis_longest_block(analysis), diagnostics), 3);
    wb_analysis_free(analysis);
    wb_launch_free(launch);
    wb_module_free(module);
}

static bool exists(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file != NULL) (void)fclose(file);
    return file != NULL;
}

static void test_kernels(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine;
    glob_t cubins;
    size_t checked = 0;
    assert_int_equal(wb_machine_load("rtx-a6000", diagnostics, &machine), WB_OK);
    assert_int_equal(glob(CUBINS, 0, NULL, &cubins), 0);
    for (size_t i = 0; i < cubins.gl_pathc; i++) {
        const char *cubin = cubins.gl_pathv[i];
        char launch[200];
        (void)text_format(launch, sizeof launch, "kernels/%.*s.yaml",
                          (int)(strlen(cubin) - strlen(CUBIN_FOLDER CUBIN_ENDING)),
                          cubin + strlen(CUBIN_FOLDER));
        if (!exists(launch)) continue;
        check_kernel(cubin, launch, forms[checked % FORM_COUNT], machine, diagnostics);
        checked++;
    }
    globfree(&cubins);
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
    assert_true(checked >= KERNELS_LEAST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains_are_as_long_as_sections),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
