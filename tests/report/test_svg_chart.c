/* Charts: where values are drawn, how the axis is chosen, what is escaped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "report/write/svg_axis.h"
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

/* ---- Axes -----------------------------------------------------------------------------------------------
 */

/* Ticks of an axis, as its labels. */
static void assert_ticks(const struct svg_axis *axis, const char *expected) {
    char all[400] = "", label[SVG_NUMBER_MAX];
    for (size_t i = 0; i < axis->tick_count; i++) {
        svg_axis_label(axis, axis->ticks[i], label);
        (void)strcat(strcat(all, i > 0 ? " " : ""), label);
    }
    assert_string_equal(all, expected);
}

static void test_ticks(void **state) {
    (void)state;
    struct svg_axis axis = svg_axis_linear(0, 40);
    assert_ticks(&axis, "0 5 10 15 20 25 30 35 40");
    axis = svg_axis_linear(0.1, 0.37);
    assert_ticks(&axis, "0.10 0.15 0.20 0.25 0.30 0.35 0.40");
    axis = svg_axis_linear(0, 7e9);
    assert_ticks(&axis, "0 1G 2G 3G 4G 5G 6G 7G");
    axis = svg_axis_linear(5, 5);
    assert_true(axis.greatest > axis.least);
    axis = svg_axis_logarithmic(30, 1600);
    assert_ticks(&axis, "20 50 100 200 500 1000 2000");
    axis = svg_axis_logarithmic(100, 100);
    assert_ticks(&axis, "100 200");
    axis = svg_axis_logarithmic(3, 40000000);
    assert_ticks(&axis, "1 10 100 1000 10000 100000 1M 10M 100M");
    axis = svg_axis_logarithmic(1, 9.2e18);
    assert_true(axis.tick_count <= SVG_TICKS_MAX && axis.greatest >= 9.2e18);
}

/* Every value is inside of its axis, whatever its size: at both ends and between. */
static void test_all_values_are_inside(void **state) {
    (void)state;
    for (double least = 1e-3; least < 1e18; least *= 3.7) {
        for (double greatest = least; greatest < 1e19; greatest *= 5.3) {
            const struct svg_axis axes[] = {svg_axis_linear(least, greatest),
                                            svg_axis_logarithmic(least, greatest)};
            for (size_t i = 0; i < 2; i++) {
                const double from = svg_axis_part(&axes[i], least), to = svg_axis_part(&axes[i], greatest);
                if (!(from >= -1e-9 && to >= from && to <= 1 + 1e-9 && axes[i].tick_count >= 2))
                    fail_msg("%g..%g: %g..%g, %zu ticks", least, greatest, from, to, axes[i].tick_count);
            }
        }
    }
}

static void test_logarithms(void **state) {
    (void)state;
    const struct svg_axis axis = svg_axis_logarithmic(1, 100);
    assert_true(fabs(svg_axis_part(&axis, 10) - 0.5) < 1e-12);
}

static void test_short_numbers(void **state) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},         {7, "7"},         {999, "999"},   {1000, "1k"},
                 {9612, "9.61k"},  {999499, "999k"}, {999900, "1M"}, {12345678, "12.3M"},
                 {9.2e18, "9.2E"}, {0.25, "0.25"},   {999.9, "1k"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SVG_NUMBER_MAX];
        svg_short_number(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
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
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_all_values_are_inside),
        cmocka_unit_test(test_logarithms),
        cmocka_unit_test(test_short_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
