/* Curves and points that are true to scale, and heat maps: where values are drawn. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wings/sweep/report/svg_pictures.h"

static void expect(const char *drawn, const char *part) {
    if (strstr(drawn, part) == NULL) fail_msg("%s is not in\n%s", part, drawn);
}

static size_t count(const char *drawn, const char *part) {
    size_t found = 0;
    for (; (drawn = strstr(drawn, part)) != NULL; drawn++)
        found++;
    return found;
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
        cmocka_unit_test(test_curves_are_true_to_scale),
        cmocka_unit_test(test_logarithmic_points),
        cmocka_unit_test(test_heat),
        cmocka_unit_test(test_large_heat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
