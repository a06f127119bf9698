/* The ids of assumptions never change, are all different, and are all documented. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "warpbound.h"

#define PAGE "docs/reading-a-bound.md"

/* By wb_assumption. A new one is added where its enumerator is; nothing else changes here, ever. */
static const char *const ids[] = {
    "E1",  "E2",  "E3",  "E4",  "E5",  "E6",  "E7",  "E8",  "E9",  "E10", "E11", "E12", "E13", "E14", "E15",
    "E16", "E17", "E18", "E19", "E20", "E21", "E22", "E24", "E25", "E26", "E27", "E28", "E29", "E30", "E31",
    "K1",  "K2",  "K3",  "K4",  "K5",  "K6",  "K7",  "K8",  "K9",  "F1",  "S1",  "S2",  "S3",  "S4",  "C8",
    "M1",  "M2",  "M3",  "M4",  "M5",  "M6",  "M7",  "M8",  "M9",  "C1",  "C2",  "C3",  "C4",  "C5",  "C6",
    "C7",  "C9",  "C10", "C11", "C12", "C13", "P1",  "P2",  "P3",  "P4",  "P5",  "P6",  "N1",  "N2",  "N3",
    "N4",  "N5",  "N6",  "N7",  "N8",  "T1",  "H1",  "H2",  "H3",  "H4",  "H5",  "H6",  "H7",  "H8",  "H9",
    "H11", "H12", "D1",  "D2",  "D3",  "D4",  "D5",  "R1",  "R2",  "R3",  "D6",  "D7",  "D8",  "A1",  "A2",
    "A3",  "A4",  "A5",  "A6",  "A7",  "I1",  "I2",  "I3",  "I4",  "I5",  "I6",  "I7",  "L1",  "L2",
};

static void test_ids_do_not_change(void **state) {
    (void)state;
    assert_int_equal(sizeof ids / sizeof *ids, WB_ASSUMPTION_COUNT);
    for (size_t i = 0; i < WB_ASSUMPTION_COUNT; i++)
        assert_string_equal(wb_assumption_id((wb_assumption)i), ids[i]);
}

static void test_ids_are_different(void **state) {
    (void)state;
    for (size_t i = 0; i < WB_ASSUMPTION_COUNT; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(wb_assumption_id((wb_assumption)i), wb_assumption_id((wb_assumption)j));
}

/* Those with the same letter, and no others, are of the same group. */
static void test_letters_are_of_groups(void **state) {
    (void)state;
    for (size_t i = 0; i < WB_ASSUMPTION_COUNT; i++)
        for (size_t j = 0; j < i; j++) {
            const wb_assumption a = (wb_assumption)i, b = (wb_assumption)j;
            assert_int_equal(wb_assumption_id(a)[0] == wb_assumption_id(b)[0],
                             strcmp(wb_assumption_group(a), wb_assumption_group(b)) == 0);
        }
}

static void test_the_page_lists_all(void **state) {
    (void)state;
    FILE *file = fopen(PAGE, "r");
    assert_non_null(file);
    static char page[1 << 17];
    const size_t size = fread(page, 1, sizeof page - 1, file);
    assert_true(size < sizeof page - 1);
    (void)fclose(file);
    for (size_t i = 0; i < WB_ASSUMPTION_COUNT; i++) {
        char row[512];
        (void)snprintf(row, sizeof row, "\n| %s | %s |\n", wb_assumption_id((wb_assumption)i),
                       wb_assumption_text((wb_assumption)i));
        if (strstr(page, row) == NULL) fail_msg("not in " PAGE ": %s", row);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_do_not_change),
        cmocka_unit_test(test_ids_are_different),
        cmocka_unit_test(test_letters_are_of_groups),
        cmocka_unit_test(test_the_page_lists_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
