/* Charts: where values are drawn, how the axis is chosen, what is escaped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "report/write/svg_chart.h"

static const char *const labels[] = {"a", "b", "c"};

/* A chart of one series of three values, its axis from `base` on; the caller frees it. */
static char *draw_from(double base, const double values[3], const char *name, bool dashed) {
    struct text text = {0};
    const struct svg_series series = {.name = name, .values = values, .dashed = dashed};
    const struct svg_chart chart = {.title = "T",
                                    .x_title = "x",
                                    .y_title = "y",
                                    .x_labels = labels,
                                    .y_base = base,
                                    .point_count = 3,
                                    .series = &series,
                                    .series_count = 1};
    svg_chart(&text, &chart);
    char *drawn = text_take(&text);
    assert_non_null(drawn);
    return drawn;
}

static char *draw(const double values[3], const char *name, bool dashed) {
    return draw_from(0, values, name, dashed);
}

static void expect(const char *drawn, const char *part) {
    if (strstr(drawn, part) == NULL) fail_msg("%s is not in\n%s", part, drawn);
}

static size_t count(const char *drawn, const char *part) {
    size_t found = 0;
    for (; (drawn = strstr(drawn, part)) != NULL; drawn++)
        found++;
    return found;
}

/* The plot is 64..540 wide and 356..56 high: 0 below, 40 above, 10 a quarter of the way up. */
static void test_places(void **state) {
    (void)state;
    char *drawn = draw((const double[]){0, 40, 10}, "s", false);
    expect(drawn, "<polyline fill=\"none\" points=\"64.0,356.0 302.0,56.0 540.0,281.0\"/>");
    assert_int_equal(count(drawn, "<circle"), 3 + 1); /* and one in the legend */
    free(drawn);
}

/* No line leads to a value that was not found, and its marker is hollow. */
static void test_stopped_points(void **state) {
    (void)state;
    const double values[] = {0, 40, 40};
    const bool stopped[] = {false, false, true};
    const struct svg_series series = {.name = "s", .values = values, .stopped = stopped};
    const struct svg_chart chart = {.title = "T",
                                    .x_title = "x",
                                    .y_title = "y",
                                    .x_labels = labels,
                                    .point_count = 3,
                                    .series = &series,
                                    .series_count = 1};
    struct text text = {0};
    svg_chart(&text, &chart);
    expect(text.data, "<polyline fill=\"none\" points=\"64.0,356.0 302.0,56.0\"/>");
    expect(text.data, "<g fill=\"none\"><g transform=\"translate(540.0,56.0)\"><circle");
    text_free(&text);
}

/* 0.001 to 0.1 in powers of ten: 0.01 is half of the way up. */
static void test_right_axis(void **state) {
    (void)state;
    const double values[] = {0, 40, 10}, seconds[] = {0.001, 0.01, 0.1};
    const struct svg_series series = {.name = "s", .values = values};
    const struct svg_series times = {.name = "times", .values = seconds, .colour = 1};
    const struct svg_right_axis right = {.title = "seconds", .series = &times};
    const struct svg_chart chart = {.title = "T",
                                    .x_title = "x",
                                    .y_title = "y",
                                    .x_labels = labels,
                                    .point_count = 3,
                                    .series = &series,
                                    .series_count = 1,
                                    .right = &right};
    struct text text = {0};
    svg_chart(&text, &chart);
    expect(text.data, "points=\"64.0,356.0 302.0,206.0 540.0,56.0\"");
    expect(text.data, ">0.001</text>");
    expect(text.data, ">seconds</text>");
    expect(text.data, ">times</text>");
    text_free(&text);
}

/* 40 has eight steps of 5, 41 would have nine. */
static void test_axis(void **state) {
    (void)state;
    char *drawn = draw((const double[]){0, 40, 10}, "s", false);
    assert_int_equal(count(drawn, "<line"), 9 + 1);
    expect(drawn, ">35</text>");
    free(drawn);
    drawn = draw((const double[]){0, 41, 10}, "s", false);
    assert_int_equal(count(drawn, "<line"), 6 + 1);
    expect(drawn, ">50</text>");
    free(drawn);
}

static void test_negative_values(void **state) {
    (void)state;
    char *drawn = draw((const double[]){-1, 3, 0}, "s", false);
    expect(drawn, ">-1.0</text>");
    expect(drawn, ">3.0</text>");
    expect(drawn, "points=\"64.0,356.0 302.0,56.0 540.0,281.0\"");
    free(drawn);
}

/* From 2400 to 2800, in 8 steps. */
static void test_base(void **state) {
    (void)state;
    char *drawn = draw_from(2400, (const double[]){2800, 2500, 2600}, "s", false);
    expect(drawn, "points=\"64.0,56.0 302.0,281.0 540.0,206.0\"");
    assert_int_equal(count(drawn, "<line"), 9 + 1);
    expect(drawn, ">2400</text>");
    free(drawn);
}

static void test_all_zero(void **state) {
    (void)state;
    char *drawn = draw((const double[]){0, 0, 0}, "s", false);
    expect(drawn, "points=\"64.0,356.0 302.0,356.0 540.0,356.0\"");
    free(drawn);
}

/* The legend has room for the longest name, at eight pixels a letter. */
static void test_legend_has_room(void **state) {
    (void)state;
    char *drawn = draw((const double[]){0, 40, 10}, "a name", false);
    expect(drawn, "viewBox=\"0 0 780 ");
    free(drawn);
    drawn = draw((const double[]){0, 40, 10}, "a name that takes much more room", false);
    expect(drawn, "viewBox=\"0 0 870 "); /* 564 + 42 + 33 * 8 */
    free(drawn);
}

/* Two series over three names: bars of 476 * 0.8 / 3 / 2 = 63.5 pixels, one of them spare. */
static void test_bars(void **state) {
    (void)state;
    struct text text = {0};
    const struct svg_series series[] = {{.name = "s", .values = (const double[]){0, 40, 10}},
                                        {.name = "t", .values = (const double[]){20, 0, 0}, .colour = 1}};
    const struct svg_chart chart = {.bars = true,
                                    .title = "T",
                                    .x_title = "x",
                                    .y_title = "y",
                                    .x_labels = labels,
                                    .point_count = 3,
                                    .series = series,
                                    .series_count = 2};
    svg_chart(&text, &chart);
    char *drawn = text_take(&text);
    assert_non_null(drawn);
    assert_int_equal(count(drawn, "<rect"), 1 + 6 + 2); /* ground, bars, legend */
    expect(drawn, "<rect x=\"238.5\" y=\"56.0\" width=\"62.5\" height=\"300.0\"");
    expect(drawn, "<rect x=\"143.3\" y=\"206.0\" width=\"62.5\" height=\"150.0\"");
    expect(drawn, "rotate(-45)");
    free(drawn);
}

static void test_escapes(void **state) {
    (void)state;
    char *drawn = draw((const double[]){1, 2, 3}, "a<b & c>d", true);
    expect(drawn, ">a&lt;b &amp; c&gt;d</text>");
    assert_int_equal(count(drawn, "stroke-dasharray"), 2);
    free(drawn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_axis),
        cmocka_unit_test(test_negative_values),
        cmocka_unit_test(test_all_zero),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_legend_has_room),
        cmocka_unit_test(test_bars),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_stopped_points),
        cmocka_unit_test(test_right_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
