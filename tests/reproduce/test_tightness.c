/* The tables of bench/tightness: which cases there are, means, ratios, what programs read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tables.h"

/* A sweep of one kernel on one machine with one size. */
static struct sweep sweep_of(const char *machines, const char *sms, const char *sizes, const char *kernels) {
    const struct sweep_choice choice = {machines, sms, sizes, kernels, false};
    struct sweep sweep;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const wb_status status = sweep_make(&choice, diagnostics, &sweep);
    if (status != WB_OK) print_error("%s", wb_diagnostics_text(diagnostics));
    assert_int_equal(status, WB_OK);
    wb_diagnostics_free(diagnostics);
    return sweep;
}

static void test_cases(void **state) {
    (void)state;
    struct sweep sweep = sweep_of("ecrts2025-orin/4,ampere-sm80", "1,max", "all", "saxpy,vecadd");
    assert_int_equal(sweep.cases.count, 2 * 2 * 2 * 2);
    assert_string_equal(sweep.cases.items[0].machine->name, "ampere-sm80");
    assert_string_equal(sweep.cases.items[15].machine->setting, "sub_cores=4");
    assert_true(sweep_same_table(&sweep.cases.items[0], &sweep.cases.items[1]));
    assert_false(sweep_same_table(&sweep.cases.items[1], &sweep.cases.items[2]));
    sweep_free(&sweep);
}

static void test_no_such_name(void **state) {
    (void)state;
    static const struct sweep_choice choices[] = {{"ampere", "all", "all", "all", false},
                                                  {"all", "3", "all", "all", false},
                                                  {"all", "all", "two", "all", false},
                                                  {"all", "all", "all", "saxp", false}};
    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
        struct sweep sweep;
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(sweep_make(&choices[c], diagnostics, &sweep), WB_ERR_INPUT);
        assert_int_equal(wb_diagnostics_errors(diagnostics), 1);
        sweep_free(&sweep);
        wb_diagnostics_free(diagnostics);
    }
}

/* Bounds of 200 and 800 cycles over executions of 100. */
static void make_results(const struct sweep *sweep, struct result results[2]) {
    for (size_t r = 0; r < 2; r++) {
        const uint64_t cycles = r == 0 ? 200 : 800;
        results[r] = (struct result){.one = &sweep->cases.items[r],
                                     .measurement = {.blocks = 8,
                                                     .rooms = 4,
                                                     .proven = {cycles, "k-sm"},
                                                     .proven_unknown = {cycles, "k-sm"},
                                                     .witness = {100, "k-adversary"},
                                                     .simulated = {80, "lrr"}}};
        results[r].measurement.parts[WB_PART_ISSUE] = cycles / 4;
        results[r].measurement.parts[WB_PART_UNIT] = cycles / 2;
        results[r].measurement.parts[WB_PART_TAIL] = cycles / 4;
    }
}

static char *written(void (*write)(const struct result *, size_t, struct text *),
                     const struct result *results) {
    struct text text = {0};
    write(results, 2, &text);
    char *taken = text_take(&text);
    assert_non_null(taken);
    return taken;
}

static void test_tables(void **state) {
    (void)state;
    struct sweep sweep = sweep_of("hopper-sm90", "2", "waves", "saxpy,vecadd");
    struct result results[2];
    make_results(&sweep, results);
    char *means = written(tables_write_means, results), *tables = written(tables_write, results);
    /* sqrt(2 * 8), sqrt(2.5 * 10), the largest, and the shares. */
    assert_non_null(strstr(means, "2   4.00   5.00   5.00   1.25        8.00       75 %     25 %"));
    assert_non_null(strstr(tables, "hopper-sm90, SMs: 2, waves"));
    assert_non_null(strstr(tables, "mean of 2"));
    free(means);
    free(tables);
    results[0].measurement.failed = true; /* is in no mean */
    means = written(tables_write_means, results);
    assert_non_null(strstr(means, "1   8.00  10.00  10.00   1.25"));
    free(means);
    sweep_free(&sweep);
}

static void test_for_programs(void **state) {
    (void)state;
    struct sweep sweep = sweep_of("hopper-sm90", "2", "waves", "saxpy,vecadd");
    struct result results[2];
    make_results(&sweep, results);
    results[1].measurement.witness.name = NULL; /* nothing was looked for */
    char *csv = written(tables_write_csv, results), *json = written(tables_write_json, results);
    assert_non_null(
        strstr(csv, "\nhopper-sm90,2,waves,vecadd,8,4,0,200,k-sm,200,k-sm,100,k-adversary,80,lrr,50,100,"));
    assert_non_null(strstr(csv, "\nhopper-sm90,2,waves,saxpy,8,4,0,800,k-sm,800,k-sm,,,80,lrr,200,400,"));
    assert_non_null(strstr(json, "\"bound_over_witness\":2.0"));
    assert_non_null(strstr(json, "\"witness\":null"));
    free(csv);
    free(json);
    sweep_free(&sweep);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_no_such_name),
                                       cmocka_unit_test(test_tables), cmocka_unit_test(test_for_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
