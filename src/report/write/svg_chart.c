#include "report/write/svg_chart.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "report/write/xml.h"

/* The layout, in pixels. */
enum {
    TITLE_X = 14, /* of the vertical axis */
    LEFT = 64,    /* of the plot */
    PLOT_WIDTH = 476,
    TOP = 56,
    BOTTOM = 356,
    BELOW_LINES = 64, /* room for labels and title of the horizontal axis */
    BELOW_BARS = 150,
    LEGEND_GAP = 24,
    LEGEND_WIDTH = 216, /* at least */
    LEGEND_TEXT = 42,   /* where names start in it */
    LEGEND_LETTER = 8,  /* more than one takes on average */
    LEGEND_STEP = 22,
    RIGHT_ROOM = 72, /* for labels and title of an axis on the right */
    BAR_WIDTH = 9,   /* at least, when there are many points */
    TICKS_MAX = 8
};

/* Part of the room of a point that its bars take. */
#define BARS_PART 0.8

/* The markers, drawn around the origin. */
static const char *const markers[SVG_COLOURS] = {
    "<circle r=\"4\"/>",
    "<rect x=\"-3.5\" y=\"-3.5\" width=\"7\" height=\"7\"/>",
    "<path d=\"M0,-5 L4.5,3.5 L-4.5,3.5 Z\"/>",
    "<path d=\"M0,-5 L5,0 L0,5 L-5,0 Z\"/>",
    "<path d=\"M0,5 L4.5,-3.5 L-4.5,-3.5 Z\"/>",
    "<path d=\"M0,-5 L0,5 M-5,0 L5,0\" fill=\"none\"/>",
    "<path d=\"M-4,-4 L4,4 M-4,4 L4,-4\" fill=\"none\"/>",
};

/* A vertical axis: ticks at multiples of `step` from `least` to `greatest`; of decimal logarithms where it
 * has powers of ten. */
struct axis {
    double least, greatest, step;
    bool powers;
};

/* The right end of the plot: many bars make it wider. */
static int plot_right(const struct svg_chart *chart) {
    double needed = (double)(chart->point_count * chart->series_count * BAR_WIDTH) / BARS_PART;
    return LEFT + (chart->bars && needed > PLOT_WIDTH ? (int)ceil(needed) : PLOT_WIDTH);
}

static int legend_x(const struct svg_chart *chart) {
    return plot_right(chart) + LEGEND_GAP + (chart->right != NULL ? RIGHT_ROOM : 0);
}

/* The room for the longest name of the legend. */
static int legend_width(const struct svg_chart *chart) {
    int width = LEGEND_WIDTH;
    for (size_t s = 0; s < chart->series_count; s++) {
        int needed = LEGEND_TEXT + ((int)strlen(chart->series[s].name) + 1) * LEGEND_LETTER;
        width = needed > width ? needed : width;
    }
    return width;
}

/* Appends a text element; `attributes` says where it stands and how it looks. */
static void put_label(struct text *out, const char *attributes, double x, double y, const char *string) {
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    xml_text(out, string);
    text_string(out, "</text>\n");
}

/* The least of 1, 2 and 5 times a power of ten that divides `range` into at most TICKS_MAX steps. */
static double nice_step(double range) {
    static const double multiples[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(range / TICKS_MAX)));
    size_t i = 0;
    while (i < 3 && multiples[i] * power * TICKS_MAX < range)
        i++;
    return multiples[i] * power;
}

static struct axis make_axis(const struct svg_chart *chart) {
    double least = chart->y_base, greatest = chart->y_base;
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t i = 0; i < chart->point_count; i++) {
            least = fmin(least, chart->series[s].values[i]);
            greatest = fmax(greatest, chart->series[s].values[i]);
        }
    }
    if (least == greatest) greatest = least + 1;
    double step = nice_step(greatest - least);
    return (struct axis){floor(least / step) * step, ceil(greatest / step) * step, step, false};
}

static struct axis make_right_axis(const struct svg_chart *chart) {
    const double *values = chart->right->series->values;
    double least = log10(values[0]), greatest = least;
    for (size_t i = 1; i < chart->point_count; i++) {
        least = fmin(least, log10(values[i]));
        greatest = fmax(greatest, log10(values[i]));
    }
    least = floor(least);
    return (struct axis){least, fmax(ceil(greatest), least + 1), 1, true};
}

static double place_x(const struct svg_chart *chart, size_t point) {
    double width = plot_right(chart) - LEFT;
    if (chart->bars) return LEFT + width * ((double)point + 0.5) / (double)chart->point_count;
    return LEFT + width * (double)point / (double)(chart->point_count - 1);
}

static double place_y(const struct axis *axis, double value) {
    if (axis->powers) value = log10(value);
    return BOTTOM - (BOTTOM - TOP) * (value - axis->least) / (axis->greatest - axis->least);
}

/* The labels of the points; names under bars are long and slant. */
static void put_point_labels(struct text *out, const struct svg_chart *chart) {
    for (size_t i = 0; i < chart->point_count; i++) {
        if (!chart->bars) {
            put_label(out, "text-anchor=\"middle\"", place_x(chart, i), BOTTOM + 20, chart->x_labels[i]);
            continue;
        }
        text_printf(out, "<g transform=\"translate(%.1f,%d) rotate(-45)\">", place_x(chart, i), BOTTOM + 16);
        put_label(out, "text-anchor=\"end\"", 0, 0, chart->x_labels[i]);
        text_string(out, "</g>\n");
    }
}

/* Grid lines, tick labels and titles. */
static void put_axes(struct text *out, const struct svg_chart *chart, const struct axis *axis) {
    int decimals = axis->step < 1 ? 1 : 0, right = plot_right(chart);
    int ticks = (int)lround((axis->greatest - axis->least) / axis->step);
    for (int i = 0; i <= ticks; i++) {
        double value = axis->least + i * axis->step;
        double y = place_y(axis, value);
        text_printf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>\n", LEFT, y,
                    right, y, fabs(value) < axis->step / 2 ? "#666" : "#ddd");
        text_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*f</text>\n", LEFT - 10, y + 4,
                    decimals, value);
    }
    put_point_labels(out, chart);
    put_label(out, "font-size=\"16\" font-weight=\"bold\"", LEFT - 40, 28, chart->title);
    put_label(out, "text-anchor=\"middle\"", (LEFT + right) / 2.0,
              BOTTOM + (chart->bars ? BELOW_BARS : BELOW_LINES) - 20, chart->x_title);
    text_printf(out, "<g transform=\"translate(%d,%d) rotate(-90)\">", TITLE_X, (TOP + BOTTOM) / 2);
    put_label(out, "text-anchor=\"middle\"", 0, 0, chart->y_title);
    text_string(out, "</g>\n");
}

static void put_right_axis(struct text *out, const struct svg_chart *chart, const struct axis *axis) {
    const int right = plot_right(chart);
    const int ticks = (int)lround(axis->greatest - axis->least);
    for (int i = 0; i <= ticks; i++) {
        const double value = pow(10, axis->least + i), y = place_y(axis, value);
        text_printf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#666\"/>\n", right, y,
                    right + 6, y);
        text_printf(out, "<text x=\"%d\" y=\"%.1f\">%g</text>\n", right + 10, y + 4, value);
    }
    text_printf(out, "<g transform=\"translate(%d,%d) rotate(-90)\">", right + RIGHT_ROOM,
                (TOP + BOTTOM) / 2);
    put_label(out, "text-anchor=\"middle\"", 0, 0, chart->right->title);
    text_string(out, "</g>\n");
}

static void put_marker(struct text *out, double x, double y, unsigned colour) {
    text_printf(out, "<g transform=\"translate(%.1f,%.1f)\">%s</g>\n", x, y, markers[colour]);
}

/* Opens the group that gives a series its looks. Dashed lines have hollow markers. */
static void open_series(struct text *out, const struct svg_series *series) {
    const char *colour = svg_colours[series->colour];
    text_printf(out, "<g stroke=\"%s\" stroke-width=\"2\" fill=\"%s\">\n", colour,
                series->dashed ? "#fff" : colour);
}

static const char *dashes(const struct svg_series *series) {
    return series->dashed ? " stroke-dasharray=\"6 4\"" : "";
}

static bool is_stopped(const struct svg_series *series, size_t point) {
    return series->stopped != NULL && series->stopped[point];
}

/* Whether lines lead to a point. */
static bool has_line(const struct svg_series *series, size_t point) {
    return !is_stopped(series, point) && !isnan(series->values[point]);
}

/* The lines between points that stand side by side. */
static void put_lines(struct text *out, const struct svg_chart *chart, const struct axis *axis,
                      const struct svg_series *series) {
    for (size_t i = 0; i < chart->point_count; i++) {
        if (!has_line(series, i)) continue;
        const bool starts = i == 0 || !has_line(series, i - 1);
        const bool ends = i + 1 == chart->point_count || !has_line(series, i + 1);
        if (starts) text_printf(out, "<polyline fill=\"none\"%s points=\"", dashes(series));
        text_printf(out, "%s%.1f,%.1f", starts ? "" : " ", place_x(chart, i),
                    place_y(axis, series->values[i]));
        if (ends) text_string(out, "\"/>\n");
    }
}

static void put_series(struct text *out, const struct svg_chart *chart, const struct axis *axis,
                       const struct svg_series *series) {
    open_series(out, series);
    put_lines(out, chart, axis, series);
    for (size_t i = 0; i < chart->point_count; i++) {
        if (isnan(series->values[i])) continue;
        if (is_stopped(series, i)) text_string(out, "<g fill=\"none\">");
        put_marker(out, place_x(chart, i), place_y(axis, series->values[i]), series->colour);
        if (is_stopped(series, i)) text_string(out, "</g>\n");
    }
    text_string(out, "</g>\n");
}

/* The bars of one series: the series of a point stand side by side from its left to its right. */
static void put_bars(struct text *out, const struct svg_chart *chart, const struct axis *axis, size_t index) {
    const struct svg_series *series = &chart->series[index];
    double room = (plot_right(chart) - LEFT) * BARS_PART / (double)chart->point_count;
    double width = room / (double)chart->series_count, zero = place_y(axis, fmax(axis->least, 0));
    open_series(out, series);
    for (size_t i = 0; i < chart->point_count; i++) {
        if (isnan(series->values[i])) continue;
        double x = place_x(chart, i) - room / 2 + (double)index * width, y = place_y(axis, series->values[i]);
        text_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" stroke-width=\"1\"/>\n",
                    x, fmin(y, zero), width - 1, fabs(zero - y));
    }
    text_string(out, "</g>\n");
}

/* The sample of a series in the legend. */
static void put_sample(struct text *out, const struct svg_chart *chart, const struct svg_series *series,
                       double y) {
    int x = legend_x(chart);
    open_series(out, series);
    if (chart->bars) {
        text_printf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"12\" stroke-width=\"1\"/>\n",
                    x + 10, y - 6);
    } else {
        text_printf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"%s/>\n", x, y, x + 32, y,
                    dashes(series));
        put_marker(out, x + 16, y, series->colour);
    }
    text_string(out, "</g>\n");
}

static void put_legend(struct text *out, const struct svg_chart *chart) {
    for (size_t s = 0; s < chart->series_count; s++) {
        double y = TOP + 8 + (double)(s * LEGEND_STEP);
        put_sample(out, chart, &chart->series[s], y);
        put_label(out, "", legend_x(chart) + LEGEND_TEXT, y + 4, chart->series[s].name);
    }
    if (chart->right == NULL) return;
    double y = TOP + 8 + (double)(chart->series_count * LEGEND_STEP);
    put_sample(out, chart, chart->right->series, y);
    put_label(out, "", legend_x(chart) + LEGEND_TEXT, y + 4, chart->right->series->name);
}

void svg_chart(struct text *out, const struct svg_chart *chart) {
    assert(chart->point_count >= (chart->bars ? 1 : 2) && chart->series_count > 0);
    struct axis axis = make_axis(chart);
    int width = legend_x(chart) + legend_width(chart),
        height = BOTTOM + (chart->bars ? BELOW_BARS : BELOW_LINES);
    svg_begin(out, width, height, 13);
    put_axes(out, chart, &axis);
    for (size_t s = chart->series_count; s-- > 0;) {
        if (chart->bars)
            put_bars(out, chart, &axis, s);
        else
            put_series(out, chart, &axis, &chart->series[s]);
    }
    if (chart->right != NULL) {
        const struct axis right = make_right_axis(chart);
        put_right_axis(out, chart, &right);
        put_series(out, chart, &right, chart->right->series);
    }
    put_legend(out, chart);
    svg_end(out);
}
