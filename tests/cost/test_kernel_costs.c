/* Costs of all kernels on all presets by all methods: what they sum up to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bound/analysis/analysis.h"
#include "kernel_suite.h"
#include "machine/machine.h"
#include "ptx_presets.h"

#ifdef WB_WING_JCSE2017
#    define OF_CACHES "reorder-chain,turn-chain,segments,segments-missrate,"
#else
#    define OF_CACHES
#endif
#ifdef WB_WING_ABSTRACT_CTA
#    define ABSTRACT "abstract-cta,abstract-cta-rr,abstract-cta-safe,"
#else
#    define ABSTRACT
#endif

/* All that do not search. */
#define METHODS                                                                                              \
    "sib,fib,aln,fifo,elb,gub,segment-sum," OF_CACHES "waves,graham,"                                        \
    "one-by-one,k-busiest,eq3," ABSTRACT

/* Forms of the bound of a kernel, each alone under its old name, in turn; static dispatch has the last two.
 */
static const char *const forms[] = {"k-area", "k-bal", "k-chain-area", "k-chain-bal", "k-chain", "k-sm"};

enum { FORM_COUNT = sizeof forms / sizeof forms[0], STATIC_FORMS = 2 };

/* What of the rows of a number is about a kind of part. */
static uint64_t sum_of_kind(const wb_costs *costs, wb_part_kind what) {
    size_t count;
    uint64_t sum = 0;
    const wb_cost *rows = wb_costs_rows(costs, &count);
    for (size_t r = 0; r < count; r++)
        sum += rows[r].share[what];
    return sum;
}

/* Every row is the sum of its shares, an instruction that does nothing costs nothing, and all sum up to the
 * bound. */
static void check_rows(const wb_costs *costs, uint64_t total) {
    size_t count;
    uint64_t sum = 0;
    const wb_cost *rows = wb_costs_rows(costs, &count);
    assert_true(count > 0);
    for (size_t r = 0; r < count; r++) {
        uint64_t shares = 0;
        for (int what = 0; what < WB_PART_COUNT; what++)
            shares += rows[r].share[what];
        assert_int_equal(shares, rows[r].cycles);
        assert_int_equal(rows[r].with_inner, rows[r].cycles);
        assert_int_equal(rows[r].instructions, rows[r].instruction != WB_NO_INSTRUCTION);
        assert_true((rows[r].about == NULL) == (rows[r].instruction != WB_NO_INSTRUCTION));
        if (r > 0 && rows[r].about == NULL) assert_true(rows[r].instruction > rows[r - 1].instruction);
        sum += shares;
    }
    assert_int_equal(sum, total);
    assert_int_equal(wb_costs_total(costs), total);
}

/* The parts of a kernel's bound are the sums of the rows by kind. */
static void check_parts(const wb_costs *costs, const wb_bound *bound) {
    for (int what = 0; what < WB_PART_COUNT && bound->part_count > 0; what++) {
        uint64_t sum = 0;
        for (size_t p = 0; p < bound->part_count; p++)
            if ((int)bound->parts[p].what == what) sum += bound->parts[p].cycles;
        assert_int_equal(sum_of_kind(costs, (wb_part_kind)what), sum);
    }
}

/* ELB counts every initiation of every warp. */
static void check_elb(const wb_costs *costs) {
    size_t count;
    const wb_cost *rows = wb_costs_rows(costs, &count);
    for (size_t r = 0; r < count; r++) {
        assert_int_equal(rows[r].share[WB_PART_ISSUE], rows[r].issue);
        assert_int_equal(rows[r].share[WB_PART_UNIT], rows[r].busy);
        assert_true((rows[r].issue > 0) == (rows[r].unit != NULL));
    }
}

/* Groups have the sums of their rows, and outer loops those of inner ones. */
static void check_groups(const wb_costs *costs, wb_diagnostics *diagnostics) {
    for (wb_cost_grouping by = WB_COST_BY_INSTRUCTION; by <= WB_COST_BY_FUNCTION; by++) {
        wb_costs *groups = NULL;
        size_t count, row_count, instructions = 0;
        uint64_t sum = 0, outermost = 0;
        const wb_cost *costs_rows = wb_costs_rows(costs, &row_count);
        kernel_expect_ok(wb_costs_group(costs, by, diagnostics, &groups), "group", diagnostics);
        const wb_cost *rows = wb_costs_rows(groups, &count);
        assert_true(count > 0 && count <= row_count);
        for (size_t r = 0; r < count; r++) {
            sum += rows[r].cycles;
            instructions += rows[r].instructions;
            if (rows[r].loop == WB_NO_INSTRUCTION)
                outermost += rows[r].with_inner;
            else
                assert_true(rows[r].loop < r && by == WB_COST_BY_LOOP);
        }
        for (size_t r = 0; r < row_count; r++)
            instructions -= costs_rows[r].instructions;
        assert_int_equal(sum, wb_costs_total(costs));
        assert_int_equal(outermost, sum);
        assert_int_equal(instructions, 0);
        wb_costs_free(groups);
    }
}

/* The methods that cannot be attributed: their equations have one number only. */
static bool may_decline(const wb_bound *bound) {
    return strncmp(bound->method, "segments", strlen("segments")) == 0;
}

static void check_bounds(const wb_analysis *analysis, wb_diagnostics *diagnostics) {
    size_t count;
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count);
    for (size_t b = 0; b < count; b++) {
        wb_costs *costs = NULL;
        if (bounds[b].kind != WB_UPPER && bounds[b].kind != WB_ESTIMATE) continue;
        const wb_status status = wb_costs_of_bound(analysis, bounds[b].method, NULL, diagnostics, &costs);
        if (status == WB_ERR_DECLINED && may_decline(&bounds[b])) continue;
        kernel_expect_ok(status, bounds[b].method, diagnostics);
        check_rows(costs, bounds[b].cycles);
        if (wb_analysis_best(analysis) == &bounds[b]) {
            uint64_t proven;
            assert_true(wb_analysis_proven(analysis, &proven));
            assert_int_equal(wb_costs_total(costs), proven);
        }
        check_parts(costs, &bounds[b]);
        check_groups(costs, diagnostics);
        if (strcmp(bounds[b].method, "elb") == 0) check_elb(costs);
        wb_costs_free(costs);
    }
}

/* Settings of a machine, by hand: what presets do not have. */
static const char *const settings[][4] = {
    {NULL},
    {"requests=volta", "service=4"},
    {"requests=volta", "service=2", "arbiter=round_robin", "outstanding=3"},
    {"fetch.size=512", "fetch.miss_latency=30", "launch_overhead=700", "dispatch_service=3"},
    {"dispatch=static", "barrier_release=5", "dispatch_depth=1"},
    {"sms=2", "dispatch_depth=0", "launch_overhead=1"},
};

static void check_machine(const struct loaded_kernel *loaded, const char *preset, const char *const set[4]) {
    wb_machine *machine = NULL;
    wb_analysis *analysis = NULL;
    wb_facts *facts = kernel_facts(loaded);
    static size_t turn;
    char methods[256];
    kernel_expect_ok(wb_machine_load(preset, loaded->diagnostics, &machine), preset, loaded->diagnostics);
    for (size_t i = 0; i < 4 && set[i] != NULL; i++)
        kernel_expect_ok(wb_machine_set(machine, set[i], loaded->diagnostics), set[i], loaded->diagnostics);
    const bool is_static = !memory_dispatch_is_dynamic(&machine->memory);
    const size_t form = is_static ? FORM_COUNT - 1 - turn++ % STATIC_FORMS : turn++ % FORM_COUNT;
    (void)snprintf(methods, sizeof methods, METHODS "%s", forms[form]);
    const wb_analyze_options options = {.size = sizeof options, .methods = methods, .facts = facts};
    const wb_status status =
        wb_analyze(loaded->kernel, loaded->launch, machine, &options, loaded->diagnostics, &analysis);
    kernel_expect_ok(status, preset, loaded->diagnostics);
    check_bounds(analysis, loaded->diagnostics);
    const wb_analysis *block = wb_analysis_longest_block(analysis);
    if (block != NULL) check_bounds(block, loaded->diagnostics);
    wb_analysis_free(analysis);
    wb_facts_free(facts);
    wb_machine_free(machine);
}

static void test_sums(void **state) {
    const struct kernel_case *entry = *state;
    struct loaded_kernel loaded = kernel_load(entry->ptx, entry->launch);
    for (size_t p = 0; p < wb_machine_preset_count(); p++)
        if (preset_takes_ptx(wb_machine_preset_name(p)))
            check_machine(&loaded, wb_machine_preset_name(p), settings[0]);
    for (size_t s = 1; s < sizeof settings / sizeof settings[0]; s++)
        check_machine(&loaded, "ecrts2025-orin", settings[s]);
    kernel_unload(&loaded);
}

int main(void) {
    return kernel_suite_run("costs of kernels", test_sums, NULL, 0);
}
