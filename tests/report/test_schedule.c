/* Schedules as tables and pictures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "warp/synthetic/synthetic.h"

/* A block by hand and its analysis. */
struct fixture {
    struct synthetic_block block;
    wb_diagnostics *diagnostics;
    wb_analysis *analysis;
};

static void fixture_open(struct fixture *fixture, const char *units, const char *warps) {
    fixture->diagnostics = wb_diagnostics_new();
    assert_int_equal(synthetic_block_parse(units, warps, fixture->diagnostics, &fixture->block), WB_OK);
    assert_int_equal(analysis_of_timed(&fixture->block.timed, fixture->diagnostics, &fixture->analysis),
                     WB_OK);
}

static bool append(void *user, const char *bytes, size_t size) {
    text_printf(user, "%.*s", (int)size, bytes);
    return true;
}

/* The schedule under a policy in a format, in *text when it is WB_OK. */
static wb_status write_schedule(struct fixture *fixture, const char *policy, wb_schedule_format format,
                                char **text) {
    wb_schedule *schedule = NULL;
    struct text out = {0};
    const wb_writer writer = {append, &out};
    wb_status status = wb_schedule_simulate(fixture->analysis, policy, NULL, fixture->diagnostics, &schedule);
    if (status == WB_OK) status = wb_schedule_write(schedule, format, &writer, fixture->diagnostics);
    wb_schedule_free(schedule);
    *text = status == WB_OK ? text_take(&out) : NULL;
    text_free(&out);
    return status;
}

static void fixture_close(struct fixture *fixture) {
    wb_analysis_free(fixture->analysis);
    synthetic_block_free(&fixture->block);
    wb_diagnostics_free(fixture->diagnostics);
}

static void test_text(void **state) {
    (void)state;
    struct fixture fixture;
    char *text = NULL;
    fixture_open(&fixture, "R(2,6) B*2(3,4)", "R B B; R");
    assert_int_equal(write_schedule(&fixture, "gto", WB_SCHEDULE_TEXT, &text), WB_OK);
    assert_string_equal(text,
                        "policy gto, machine abstract, 2 warps; times in cycles\n"
                        "     issue  warp  unit                 start       free     result      step  "
                        "instruction\n"
                        "         0     0  R                        0          2          8         0  #0\n"
                        "         1     0  B#0                      1          4          8         1  #1\n"
                        "         2     0  B#1                      2          5          9         2  #2\n"
                        "         3     1  R                        3          5         11         0  #3\n");
    free(text);
    fixture_close(&fixture);
}

/* Fig. 2 of ECRTS 2025: the third instruction waits for its unit in [2, 4), initiates in [4, 7), and its
 * result is there at 11; 16 pixels a cycle, from 190 on. */
static void test_picture(void **state) {
    (void)state;
    static const char *const parts[] = {
        "A schedule of 14 cycles, policy lrr",
        ">2 B</text>\n<rect x=\"222\" y=\"106\" width=\"32\" height=\"14\" fill=\"none\"",
        "<rect x=\"254\" y=\"106\" width=\"48\" height=\"14\" fill=\"#d55e00\"/>\n"
        "<rect x=\"302\" y=\"106\" width=\"64\" height=\"14\" fill=\"#d55e00\" fill-opacity=\"0.3\"/>\n"
        "<path d=\"M222,105 v16\"",
        "fill=\"#009e73\"/><text x=\"400\" y=\"173\">G</text>",
    };
    struct fixture fixture;
    char *text = NULL;
    fixture_open(&fixture, "R(2,6) X(1,1) B(3,4) G(2,4)", "R B B G.0");
    assert_int_equal(write_schedule(&fixture, "lrr", WB_SCHEDULE_SVG, &text), WB_OK);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(text, parts[i]) == NULL) fail_msg("no '%s' in %s", parts[i], text);
    assert_null(strstr(text, ">X</text>"));
    free(text);
    fixture_close(&fixture);
}

/* A picture has room for 400 instructions and 4000 cycles. */
static void test_pictures_have_limits(void **state) {
    (void)state;
    static const struct {
        const char *units, *warps;
        wb_status status;
    } rows[] = {{"A(1,0)", "400x A", WB_OK},
                {"A(1,0)", "401x A", WB_ERR_LIMIT},
                {"A(1,3999)", "A", WB_OK},
                {"A(1,4000)", "A", WB_ERR_LIMIT}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture fixture;
        char *text = NULL;
        fixture_open(&fixture, rows[i].units, rows[i].warps);
        assert_int_equal(write_schedule(&fixture, "lrr", WB_SCHEDULE_SVG, &text), rows[i].status);
        if (rows[i].status != WB_OK)
            assert_non_null(strstr(wb_diagnostics_text(fixture.diagnostics),
                                   "lrr: error: a picture has at most 400 instructions and 4000 cycles"));
        free(text);
        fixture_close(&fixture);
    }
}

static void test_needs_one_policy(void **state) {
    (void)state;
    struct fixture fixture;
    char *text = NULL;
    fixture_open(&fixture, "A(1,0)", "A");
    assert_int_equal(write_schedule(&fixture, "lrr,gto", WB_SCHEDULE_TEXT, &text), WB_ERR_INPUT);
    assert_int_equal(write_schedule(&fixture, "nosuch", WB_SCHEDULE_TEXT, &text), WB_ERR_INPUT);
    assert_int_equal(wb_diagnostics_errors(fixture.diagnostics), 2);
    assert_null(text);
    fixture_close(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_pictures_have_limits),
        cmocka_unit_test(test_needs_one_policy),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
