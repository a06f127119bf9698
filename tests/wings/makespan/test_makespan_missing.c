/* Methods whose solver the library was built without: they are declined by name, and cost the others nothing.
 * Linked with what stands in for CBC then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "warpbound_makespan.h"

static const char *const needs[][2] = {{"ilp-short", "CBC"}, {"ilp-long", "CBC"}, {"ilp-cumulative", "CBC"}};
#define NEEDS (sizeof needs / sizeof *needs)

static const char *needed_by(const char *method) {
    for (size_t i = 0; i < NEEDS; i++)
        if (strcmp(needs[i][0], method) == 0) return needs[i][1];
    return NULL;
}

static void list_names_what_is_missing(void **state) {
    (void)state;
    const char *method;
    for (size_t i = 0; (method = wb_makespan_method_name(i)) != NULL; i++) {
        const char *missing = wb_makespan_method_missing(i);
        const char *needed = needed_by(method);
        if (needed == NULL)
            assert_null(missing);
        else
            assert_string_equal(missing, needed);
    }
}

static wb_makespan *small_problem(wb_diagnostics *diagnostics) {
    wb_makespan *makespan = wb_makespan_new();
    assert_non_null(makespan);
    assert_int_equal(wb_makespan_add_warps(makespan, "LCL", diagnostics), WB_OK);
    assert_int_equal(wb_makespan_set(makespan, "warps", "4", diagnostics), WB_OK);
    assert_int_equal(wb_makespan_set(makespan, "units", "L=1,C=1", diagnostics), WB_OK);
    return makespan;
}

static void method_alone_is_declined(void **state) {
    (void)state;
    for (size_t i = 0; i < NEEDS; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_makespan *makespan = small_problem(diagnostics);
        assert_int_equal(wb_makespan_solve(makespan, needs[i][0], NULL, diagnostics), WB_ERR_DECLINED);
        const char *said = wb_diagnostics_text(diagnostics);
        assert_non_null(strstr(said, needs[i][0]));
        assert_non_null(strstr(said, "which this program was built without"));
        assert_non_null(strstr(said, needs[i][1]));
        wb_makespan_free(makespan);
        wb_diagnostics_free(diagnostics);
    }
}

static void others_have_results(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_makespan *makespan = small_problem(diagnostics);
    assert_int_equal(wb_makespan_solve(makespan, "all", NULL, diagnostics), WB_OK);
    size_t count = 0;
    const wb_declined *declined = wb_makespan_declined(makespan, &count);
    assert_int_equal(count, NEEDS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(declined[i].status, WB_ERR_DECLINED);
        assert_non_null(needed_by(declined[i].method));
        assert_non_null(strstr(declined[i].reason, needed_by(declined[i].method)));
    }
    bool exact = false;
    const wb_bound *bound;
    for (size_t i = 0; (bound = wb_makespan_bound(makespan, i)) != NULL; i++) {
        assert_null(needed_by(bound->method));
        exact |= bound->kind == WB_EXACT && bound->cycles == 9;
    }
    assert_true(exact);
    wb_makespan_free(makespan);
    wb_diagnostics_free(diagnostics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_names_what_is_missing),
        cmocka_unit_test(method_alone_is_declined),
        cmocka_unit_test(others_have_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
