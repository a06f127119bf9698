/* What methods of all kinds have in common: assumptions, parts, the order of results, reasons. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "method/bound.h"
#include "method/run.h"

/* Every assumption has a sentence of its own, and a bound has each once, in the order in which they came. */
static void test_assumptions(void **state) {
    (void)state;
    wb_bound bound = {0};
    for (int what = WB_ASSUMPTION_COUNT; what-- > 0;) {
        assert_non_null(wb_assumption_text((wb_assumption)what));
        for (int other = 0; other < what; other++)
            assert_string_not_equal(wb_assumption_text((wb_assumption)what),
                                    wb_assumption_text((wb_assumption)other));
        assume(&bound, (wb_assumption)what);
    }
    assume(&bound, WB_ASSUME_WORK_CONSERVING);
    assert_int_equal(bound.assumption_count, WB_ASSUMPTION_COUNT);
    assert_int_equal(bound.assumptions[WB_ASSUMPTION_COUNT - 1], 0);
}

/* Whatever an execution can take for granted is an assumption, with the same sentence. */
static void test_executions(void **state) {
    (void)state;
    wb_assumption list[WB_ASSUMPTION_COUNT];
    for (int what = 0; what < ASSUMED_COUNT; what++) {
        const bool waits = what >= ASSUMED_WAITS;
        if (waits && assumed_wait((enum ptx_wait)(what - ASSUMED_WAITS)) == 0) continue;
        assert_int_equal(assumptions_of_execution(assumed_bit((enum assumed)what), list), 1);
        assert_string_equal(wb_assumption_text(list[0]), assumed_text((enum assumed)what));
    }
}

static void test_parts(void **state) {
    (void)state;
    wb_bound bound = {0};
    bound_add_part(&bound, WB_PART_LATENCY, NULL, 3);
    bound_add_part(&bound, WB_PART_FETCH, NULL, 0);
    bound_add_part(&bound, WB_PART_TAIL, NULL, 5);
    bound_add_part(&bound, WB_PART_UNIT, "alu", 3);
    assert_int_equal(bound.part_count, 3);
    assert_string_equal(wb_part_name(bound.parts[0].what), "tail");
    assert_string_equal(wb_part_name(bound.parts[1].what), "latency");
    assert_string_equal(bound.parts[2].unit, "alu");
}

/* Results stand in the order of the table, whatever order they come in. */
static void test_places(void **state) {
    (void)state;
    static const size_t order[] = {5, 63, 0, 7, 6};
    static const size_t sorted[] = {0, 5, 6, 7, 63};
    size_t items[5], count = 0;
    uint64_t done = 0;
    for (size_t i = 0; i < 5; i++)
        *(size_t *)method_place(&done, order[i], items, &count, sizeof *items) = order[i];
    assert_int_equal(count, 5);
    assert_memory_equal(items, sorted, sizeof sorted);
}

/* What a method says replaces what it said before. */
static void test_declined(void **state) {
    (void)state;
    struct method_log log = {0};
    assert_int_equal(method_decline(&log, "a", WB_OK, "first"), WB_OK);
    assert_int_equal(method_decline(&log, "b", WB_ERR_LIMIT, "limit"), WB_OK);
    assert_int_equal(method_decline(&log, "a", WB_ERR_DECLINED, "second"), WB_OK);
    assert_int_equal(log.declined.count, 2);
    assert_string_equal(log.declined.items[0].reason, "second");
    assert_int_equal(log.declined.items[0].status, WB_ERR_DECLINED);
    method_log_free(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assumptions), cmocka_unit_test(test_executions), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_places),      cmocka_unit_test(test_declined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
