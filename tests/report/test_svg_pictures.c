/* Axes that are true to scale, curves and points on them, and heat maps: where values are drawn. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/write/svg_axis.h"
#include "report/write/svg_heat.h"
#include "report/write/svg_plane.h"

static void expect(const char *drawn, const char *part) {
    if (strstr(drawn, part) == NULL) fail_msg("%s is not in\n%s", part, drawn);
}

static size_t count(const char *drawn, const char *part) {
    size_t found = 0;
    for (; (drawn = strstr(drawn, part)) != NULL; drawn++)
        found++;
    return found;
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

/* ---- Curves and points ----------------------------------------------------------------------------------
 */

static char *draw(const struct svg_plane *plane) {
    struct text text = {0};
    svg_plane(&text, plane);
    char *drawn = text_take(&text);
    assert_non_null(drawn);
    return drawn;
}

/* The plot is 64..540 wide and 356..56 high: x from 0 to 100, of which 25 is a quarter, y from 0 to 40. A
 * line is broken where there is no value. */
static void test_curves_are_true_to_scale(void **state) {
    (void)state;
    const struct svg_point points[] = {{0, 10}, {25, 40}, {50, NAN}, {100, 20}};
    const struct svg_curve curve = {.name = "s", .points = points, .count = 4};
    const struct svg_plane plane = {
        .title = "T", .x_title = "x", .y_title = "y", .lines = true, .curves = &curve, .count = 1};
    char *drawn = draw(&plane);
    expect(drawn, "points=\"64.0,281.0 183.0,56.0\"");
    expect(drawn, "points=\"540.0,206.0\"");
    assert_int_equal(count(drawn, "<circle"), 3 + 1); /* and one in the legend */
    free(drawn);
}

/* x from 1 to 100 and y from 10 to 1000, whose labels need two pixels more: the point in the middle of both.
 */
static void test_logarithmic_points(void **state) {
    (void)state;
    const struct svg_point points[] = {{1, 10}, {10, 100}, {100, 1000}};
    const struct svg_curve curve = {.points = points, .count = 3};
    const struct svg_plane plane = {.title = "T",
                                    .x_title = "x",
                                    .y_title = "y",
                                    .note = "<3",
                                    .logarithmic_x = true,
                                    .logarithmic_y = true,
                                    .diagonal = true,
                                    .curves = &curve,
                                    .count = 1};
    char *drawn = draw(&plane);
    expect(drawn, "translate(66.0,356.0)");
    expect(drawn, "translate(304.0,206.0)");
    expect(drawn, "translate(542.0,56.0)");
    assert_int_equal(count(drawn, "<polyline"), 0);
    /* y = x from 10 on, in the middle of x, to 100, in the middle of y */
    expect(drawn, "x1=\"304.0\" y1=\"356.0\" x2=\"542.0\" y2=\"206.0\"");
    expect(drawn, ">&lt;3<");
    free(drawn);
}

/* ---- Heat maps ------------------------------------------------------------------------------------------
 */

/* Two columns of 90 pixels, two rows of 40, from below; the first value has the darkest colour, the last the
 * brightest, and one is not there. */
static void test_heat(void **state) {
    (void)state;
    static const char *const x[] = {"1", "2"}, *const y[] = {"a", "b"};
    const double values[] = {0, 50, NAN, 100};
    const struct svg_heat heat = {.title = "T",
                                  .x_title = "x",
                                  .y_title = "y",
                                  .value_title = "v",
                                  .x_labels = x,
                                  .y_labels = y,
                                  .columns = 2,
                                  .rows = 2,
                                  .values = values};
    struct text text = {0};
    svg_heat(&text, &heat);
    expect(text.data, "<rect x=\"48.0\" y=\"96.0\" width=\"90.0\" height=\"40.0\" fill=\"#440154\"/>");
    expect(text.data, "<rect x=\"138.0\" y=\"96.0\" width=\"90.0\" height=\"40.0\" fill=\"#21918c\"/>");
    expect(text.data, "<rect x=\"138.0\" y=\"56.0\" width=\"90.0\" height=\"40.0\" fill=\"#fde725\"/>");
    assert_int_equal(count(text.data, "width=\"90.0\" height=\"40.0\""), 3);
    text_free(&text);
}

/* Many cells are small, without numbers, and their labels do not touch. */
static void test_large_heat(void **state) {
    (void)state;
    static const char *labels[SVG_HEAT_MAX];
    static double values[SVG_HEAT_MAX];
    for (size_t i = 0; i < SVG_HEAT_MAX; i++) {
        labels[i] = "name";
        values[i] = (double)i + 1;
    }
    const struct svg_heat heat = {.title = "T",
                                  .x_title = "x",
                                  .y_title = "y",
                                  .value_title = "v",
                                  .x_labels = labels,
                                  .y_labels = labels,
                                  .columns = SVG_HEAT_MAX,
                                  .rows = 1,
                                  .values = values,
                                  .logarithmic = true};
    struct text text = {0};
    svg_heat(&text, &heat);
    assert_int_equal(count(text.data, "rotate(-45)"), SVG_HEAT_MAX / 4);
    assert_int_equal(count(text.data, "font-size=\"11\""), 0);
    text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_all_values_are_inside),
        cmocka_unit_test(test_logarithms),
        cmocka_unit_test(test_short_numbers),
        cmocka_unit_test(test_curves_are_true_to_scale),
        cmocka_unit_test(test_logarithmic_points),
        cmocka_unit_test(test_heat),
        cmocka_unit_test(test_large_heat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
