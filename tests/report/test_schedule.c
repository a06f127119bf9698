#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "bound/analysis/analysis.h"
#include "warp/synthetic/synthetic_block.h"

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
    assert_int_equal(
        wb_schedule_report(fixture.analysis, "gto", WB_SCHEDULE_TEXT, fixture.diagnostics, &text), WB_OK);
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
    assert_int_equal(wb_schedule_report(fixture.analysis, "lrr", WB_SCHEDULE_SVG, fixture.diagnostics, &text),
                     WB_OK);
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
        assert_int_equal(
            wb_schedule_report(fixture.analysis, "lrr", WB_SCHEDULE_SVG, fixture.diagnostics, &text),
            rows[i].status);
        if (rows[i].status != WB_OK)
            assert_non_null(strstr(wb_diagnostics_text(fixture.diagnostics),
                                   "lrr: error: a picture has at most 400 instructions and 4000 cycles"));
        free(text);
        fixture_close(&fixture);
    }
}

/* The only event of the trace with these values, or NULL. */
static const json_t *find_event(const json_t *events, const char *phase, int process, int row, int at) {
    const json_t *found = NULL;
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event) {
        if (strcmp(json_string_value(json_object_get(event, "ph")), phase) != 0) continue;
        if (json_integer_value(json_object_get(event, "pid")) != process ||
            json_integer_value(json_object_get(event, "tid")) != row)
            continue;
        if (at >= 0 && json_integer_value(json_object_get(event, "ts")) != at) continue;
        assert_null(found);
        found = event;
    }
    return found;
}

static const char *row_name(const json_t *events, int process, int row) {
    size_t index;
    json_t *event;
    json_array_foreach(events, index, event) {
        if (strcmp(json_string_value(json_object_get(event, "name")), "thread_name") != 0) continue;
        if (json_integer_value(json_object_get(event, "pid")) == process &&
            json_integer_value(json_object_get(event, "tid")) == row)
            return json_string_value(json_object_get(json_object_get(event, "args"), "name"));
    }
    return NULL;
}

static json_t *read_trace(struct fixture *fixture, const char *policy) {
    char *text = NULL;
    json_error_t error;
    assert_int_equal(
        wb_schedule_report(fixture->analysis, policy, WB_SCHEDULE_TRACE, fixture->diagnostics, &text), WB_OK);
    json_t *trace = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (trace == NULL) fail_msg("%s at %d:%d", error.text, error.line, error.column);
    free(text);
    return trace;
}

static void test_trace(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture, "R(2,6) B*2(3,4)", "R B B; R");
    json_t *trace = read_trace(&fixture, "gto");
    const json_t *events = json_object_get(trace, "traceEvents");
    assert_int_equal(json_array_size(events), 2 + 2 + 3 + 2 * 4);
    assert_string_equal(row_name(events, 1, 1), "warp 1");
    assert_string_equal(row_name(events, 2, 0), "R");
    assert_string_equal(row_name(events, 2, 2), "B#1");
    const json_t *issue = find_event(events, "X", 1, 0, 2);
    assert_non_null(issue);
    assert_int_equal(json_integer_value(json_object_get(issue, "dur")), 1);
    const json_t *initiation = find_event(events, "X", 2, 2, 2);
    assert_non_null(initiation);
    assert_int_equal(json_integer_value(json_object_get(initiation, "dur")), 3);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(initiation, "args"), "result")), 9);
    assert_string_equal(json_string_value(json_object_get(json_object_get(trace, "otherData"), "policy")),
                        "gto");
    json_decref(trace);
    fixture_close(&fixture);
}

/* Rows of units that each sub-core has, and names that JSON must escape. */
static void test_trace_rows(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_open(&fixture, "A*2(1,0) B(1,0)", "2x A B");
    fixture.block.machine.sub_cores = 2;
    fixture.block.machine.units[0].shared = false;
    strcpy(fixture.block.machine.units[1].name, "quote \" and \\");
    json_t *trace = read_trace(&fixture, "lrr");
    const json_t *events = json_object_get(trace, "traceEvents");
    assert_string_equal(row_name(events, 2, 0), "A.0#0");
    assert_string_equal(row_name(events, 2, 3), "A.1#1");
    assert_string_equal(row_name(events, 2, 4), "quote \" and \\");
    assert_null(row_name(events, 2, 5));
    assert_non_null(find_event(events, "X", 2, 2, 0));
    json_decref(trace);
    fixture_close(&fixture);
}

static void test_needs_one_policy(void **state) {
    (void)state;
    struct fixture fixture;
    char *text = NULL;
    fixture_open(&fixture, "A(1,0)", "A");
    assert_int_equal(
        wb_schedule_report(fixture.analysis, "lrr,gto", WB_SCHEDULE_TEXT, fixture.diagnostics, &text),
        WB_ERR_INPUT);
    assert_int_equal(
        wb_schedule_report(fixture.analysis, "nosuch", WB_SCHEDULE_TEXT, fixture.diagnostics, &text),
        WB_ERR_INPUT);
    assert_int_equal(wb_diagnostics_errors(fixture.diagnostics), 2);
    assert_null(text);
    fixture_close(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_pictures_have_limits),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_trace_rows),
        cmocka_unit_test(test_needs_one_policy),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
