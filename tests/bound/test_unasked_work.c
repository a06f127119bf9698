/* "all" does a limited amount of work, which is counted: what would take more is left out, or cut short and
 * said to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "address_sanitizer.h"
#include "base/containers.h"
#include "bound/analysis/analysis.h"
#include "bound_named.h"

/* What "all" may take at most here: several times what it takes on a slow machine, and a small part of what
 * the searches of these inputs take that are not cut short. */
#define SECONDS_MAX 10.0
#define KILOBYTES_MAX (400L << 10)

static double processor_seconds(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
}

/* "all" of an analysis: status, time and memory are as they should be. */
static void check_all(wb_analysis *analysis, wb_diagnostics *messages) {
    const double start = processor_seconds();
    struct rusage usage;
    if (wb_analysis_bound(analysis, "all", NULL, messages) != WB_OK ||
        wb_analysis_simulate(analysis, NULL, NULL, messages) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(messages));
    assert_int_equal(wb_diagnostics_errors(messages), 0);
    (void)getrusage(RUSAGE_SELF, &usage);
    if (ADDRESS_SANITIZER) return;
    assert_true(processor_seconds() - start < SECONDS_MAX);
    assert_true(usage.ru_maxrss < KILOBYTES_MAX);
}

static wb_analysis *read_file(const char *path, wb_diagnostics *messages) {
    wb_analysis *analysis = NULL;
    if (wb_analysis_read(path, messages, &analysis) != WB_OK) fail_msg("%s", wb_diagnostics_text(messages));
    return analysis;
}

/* A search of tens of millions of states: what it found is a lower bound, and by name it goes on for longer.
 */
static void test_search_is_cut_short(void **state) {
    (void)state;
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_analysis *analysis = read_file("tests/data/methods/many-states.yaml", messages);
    check_all(analysis, messages);
    const wb_bound found = *bound_named(analysis, "exhaustive");
    assert_int_equal(found.kind, WB_LOWER);
    assert_non_null(strstr(found.reason, "stopped early, as it is not named"));
    assert_true(found.cycles <= bound_named(analysis, "aln")->cycles);
    wb_analysis_free(analysis);
    analysis = read_file("tests/data/methods/many-states.yaml", messages);
    analysis_set_state_limit(analysis, 400000);
    assert_int_equal(wb_analysis_bound(analysis, "exhaustive", NULL, messages), WB_ERR_LIMIT);
    assert_true(bound_named(analysis, "exhaustive")->cycles >= found.cycles);
    assert_non_null(
        strstr(bound_named(analysis, "exhaustive")->reason, "out of states or memory after 400000"));
    wb_analysis_free(analysis);
    wb_diagnostics_free(messages);
}

/* Estimates of a grid whose blocks have too many states together: they take what is proven instead. */
static void test_estimates_do_without_a_search(void **state) {
    (void)state;
    static const char *const estimates[] = {"waves", "graham", "one-by-one"};
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_analysis *analysis = read_file("tests/data/methods/many-together.yaml", messages);
    check_all(analysis, messages);
    analysis_set_state_limit(analysis, 1000);
    assert_int_equal(wb_analysis_bound(analysis, "waves,graham,one-by-one", NULL, messages), WB_OK);
    for (size_t i = 0; i < 3; i++) {
        const wb_bound *bound = bound_named(analysis, estimates[i]);
        assert_int_equal(bound->kind, WB_ESTIMATE);
        assert_string_equal(wb_assumption_text(bound->assumptions[bound->assumption_count - 1]),
                            "blocks that start together take as long as their proven bound");
    }
    wb_analysis_free(analysis);
    wb_diagnostics_free(messages);
}

/* Two warps of 24,000 instructions without a barrier: a table of more than a thousand million cells. */
static const char long_loop[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p;\n.reg .b32 "
    "%r<4>;\n"
    "mov.u32 %r1, 0;\nmov.u32 %r2, 1;\nloop:\nadd.u32 %r1, %r1, 1;\nmul.lo.u32 %r2, %r2, %r1;\n"
    "setp.lt.u32 %p, %r1, 6000;\n@%p bra loop;\nret;\n}\n";

static void test_alignment_is_cut_short(void **state) {
    (void)state;
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    wb_module *module = NULL;
    const wb_kernel *kernel = NULL;
    wb_machine *machine = NULL;
    wb_block *block = NULL;
    wb_analysis *analysis = NULL;
    const wb_trace_options options = {.size = sizeof options, .record_accesses = true};
    assert_int_equal(wb_module_parse("k.ptx", long_loop, strlen(long_loop), messages, &module), WB_OK);
    assert_int_equal(wb_module_find_kernel(module, "k", messages, &kernel), WB_OK);
    assert_int_equal(wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, messages), WB_OK);
    assert_int_equal(wb_launch_set_block(launch, (const uint32_t[3]){64, 1, 1}, messages), WB_OK);
    assert_int_equal(wb_machine_load("ecrts2025-orin", messages, &machine), WB_OK);
    assert_int_equal(wb_block_trace(kernel, launch, &options, messages, &block), WB_OK);
    assert_int_equal(wb_analysis_new(block, machine, messages, &analysis), WB_OK);
    check_all(analysis, messages);
    const wb_bound *aln = bound_named(analysis, "aln");
    assert_int_equal(aln->kind, WB_UPPER);
    assert_non_null(strstr(aln->reason, "not aligned"));
    assert_int_equal(aln->cycles, bound_named(analysis, "fib")->cycles);
    assert_null(bound_named(analysis, "fib")->reason);
    wb_analysis_free(analysis);
    wb_block_free(block);
    wb_machine_free(machine);
    wb_launch_free(launch);
    wb_module_free(module);
    wb_diagnostics_free(messages);
}

static bool stop_aligning(void *user, const char *stage, uint64_t done, uint64_t total) {
    (void)done;
    (void)total;
    bool *asked = user;
    if (strcmp(stage, "aligning sections") == 0) *asked = true;
    return !*asked;
}

/* An interrupt leaves no sum of some sections to be taken for a bound of all of them. */
static void test_interrupted_sum_is_no_bound(void **state) {
    (void)state;
    bool asked = false;
    const wb_watch watch = {.poll = stop_aligning, .user = &asked};
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_analysis *analysis = read_file("docs/refutations/gub-gap.yaml", messages);
    size_t count;
    assert_int_equal(wb_analysis_bound(analysis, "sib,aln", &watch, messages), WB_ERR_LIMIT);
    (void)wb_analysis_bounds(analysis, &count);
    assert_int_equal(count, 1);
    const wb_declined *declined = wb_analysis_declined(analysis, &count);
    assert_int_equal(count, 1);
    assert_string_equal(declined->method, "aln");
    assert_int_equal(declined->status, WB_ERR_LIMIT);
    wb_analysis_free(analysis);
    wb_diagnostics_free(messages);
}

/* A table of states speaks before it takes more than it may. */
static void test_key_table_keeps_its_limit(void **state) {
    (void)state;
    struct key_table table = {.limit = 100000};
    uint8_t key[8] = {0};
    uint32_t hash, value, kept = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        memcpy(key, &i, sizeof i);
        assert_false(key_table_find(&table, key, sizeof key, &hash, &value));
        const uint8_t *own = key_table_keep(&table, key, sizeof key);
        if (own == NULL || key_table_insert(&table, own, hash, i) != WB_OK) break;
        kept++;
    }
    assert_in_range(kept, 500, 10000);
    assert_true(key_table_bytes(&table) <= table.limit);
    key_table_free(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key_table_keeps_its_limit),     cmocka_unit_test(test_search_is_cut_short),
        cmocka_unit_test(test_estimates_do_without_a_search), cmocka_unit_test(test_alignment_is_cut_short),
        cmocka_unit_test(test_interrupted_sum_is_no_bound),
    };
    return cmocka_run_group_tests_name("work without being asked", tests, NULL, NULL);
}
