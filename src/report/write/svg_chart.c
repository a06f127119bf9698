#include "report/write/svg_chart.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "report/write/svg_axis.h"
#include "report/write/svg_legend.h"

/* The layout, in pixels. */
enum {
    TITLE_X = 14, /* of the vertical axis */
    LEFT = 64,    /* of the plot */
    PLOT_WIDTH = 476,
    TOP = 56,
    BOTTOM = 356,
    BELOW_LINES = 64, /* room for labels and title of the horizontal axis */
    BELOW_BARS = 150,
    LEGEND_WIDTH = 216, /* at least */
    RIGHT_ROOM = 72,    /* for labels and title of an axis on the right */
    BAR_WIDTH = 9       /* at least, when there are many points */
};

/* Part of the room of a point that its bars take. */
#define BARS_PART 0.8

/* The right end of the plot: many bars make it wider. */
static int plot_right(const struct svg_chart *chart) {
    double needed = (double)(chart->point_count * chart->series_count * BAR_WIDTH) / BARS_PART;
    return LEFT + (chart->bars && needed > PLOT_WIDTH ? (int)ceil(needed) : PLOT_WIDTH);
}

static int legend_x(const struct svg_chart *chart) {
    return plot_right(chart) + SVG_LEGEND_GAP + (chart->right != NULL ? RIGHT_ROOM : 0);
}

/* The room for the longest name of the legend. */
static int legend_width(const struct svg_chart *chart) {
    int width = LEGEND_WIDTH;
    for (size_t s = 0; s < chart->series_count; s++) {
        const int needed = svg_legend_width(chart->series[s].name);
        width = needed > width ? needed : width;
    }
    return width;
}

static struct svg_axis make_axis(const struct svg_chart *chart) {
    double least = chart->y_base, greatest = chart->y_base;
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t i = 0; i < chart->point_count; i++) {
            least = fmin(least, chart->series[s].values[i]);
            greatest = fmax(greatest, chart->series[s].values[i]);
        }
    }
    return svg_axis_linear(least, greatest);
}

static struct svg_axis make_right_axis(const struct svg_chart *chart) {
    const double *values = chart->right->series->values;
    double least = values[0], greatest = least;
    for (size_t i = 1; i < chart->point_count; i++) {
        least = fmin(least, values[i]);
        greatest = fmax(greatest, values[i]);
    }
    return svg_axis_decades(least, greatest);
}

static double place_x(const struct svg_chart *chart, size_t point) {
    double width = plot_right(chart) - LEFT;
    if (chart->bars) return LEFT + width * ((double)point + 0.5) / (double)chart->point_count;
    return LEFT + width * (double)point / (double)(chart->point_count - 1);
}

static double place_y(const struct svg_axis *axis, double value) {
    return BOTTOM - (BOTTOM - TOP) * svg_axis_part(axis, value);
}

/* The labels of the points; names under bars are long and slant. */
static void put_point_labels(struct text *out, const struct svg_chart *chart) {
    for (size_t i = 0; i < chart->point_count; i++) {
        if (!chart->bars) {
            svg_label(out, "text-anchor=\"middle\"", place_x(chart, i), BOTTOM + 20, chart->x_labels[i]);
            continue;
        }
        text_printf(out, "<g transform=\"translate(%.1f,%d) rotate(-45)\">", place_x(chart, i), BOTTOM + 16);
        svg_label(out, "text-anchor=\"end\"", 0, 0, chart->x_labels[i]);
        text_string(out, "</g>\n");
    }
}

/* Grid lines, tick labels and titles. */
static void put_axes(struct text *out, const struct svg_chart *chart, const struct svg_axis *axis) {
    const int right = plot_right(chart);
    char label[SVG_NUMBER_MAX];
    for (size_t i = 0; i < axis->tick_count; i++) {
        const double value = axis->ticks[i], y = place_y(axis, value);
        text_printf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>\n", LEFT, y,
                    right, y, fabs(value) < axis->step / 2 ? "#666" : SVG_PALE);
        svg_axis_label(axis, value, label);
        text_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 10, y + 4,
                    label);
    }
    put_point_labels(out, chart);
    svg_label(out, "font-size=\"16\" font-weight=\"bold\"", LEFT - 40, 28, chart->title);
    svg_label(out, "text-anchor=\"middle\"", (LEFT + right) / 2.0,
              BOTTOM + (chart->bars ? BELOW_BARS : BELOW_LINES) - 20, chart->x_title);
    svg_label_upwards(out, TITLE_X, (TOP + BOTTOM) / 2.0, chart->y_title);
}

static void put_right_axis(struct text *out, const struct svg_chart *chart, const struct svg_axis *axis) {
    const int right = plot_right(chart);
    char label[SVG_NUMBER_MAX];
    for (size_t i = 0; i < axis->tick_count; i++) {
        const double y = place_y(axis, axis->ticks[i]);
        text_printf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#666\"/>\n", right, y,
                    right + 6, y);
        svg_axis_label(axis, axis->ticks[i], label);
        text_printf(out, "<text x=\"%d\" y=\"%.1f\">%s</text>\n", right + 10, y + 4, label);
    }
    svg_label_upwards(out, right + RIGHT_ROOM, (TOP + BOTTOM) / 2.0, chart->right->title);
}

static bool is_stopped(const struct svg_series *series, size_t point) {
    return series->stopped != NULL && series->stopped[point];
}

/* Whether lines go to a point. */
static bool has_line(const struct svg_series *series, size_t point) {
    return !is_stopped(series, point) && !isnan(series->values[point]);
}

/* The lines between points that stand side by side. */
static void put_lines(struct text *out, const struct svg_chart *chart, const struct svg_axis *axis,
                      const struct svg_series *series) {
    for (size_t i = 0; i < chart->point_count; i++) {
        if (!has_line(series, i)) continue;
        const bool starts = i == 0 || !has_line(series, i - 1);
        const bool ends = i + 1 == chart->point_count || !has_line(series, i + 1);
        if (starts) text_printf(out, "<polyline fill=\"none\"%s points=\"", svg_dashes(series->dashed));
        text_printf(out, "%s%.1f,%.1f", starts ? "" : " ", place_x(chart, i),
                    place_y(axis, series->values[i]));
        if (ends) text_string(out, "\"/>\n");
    }
}

static void put_series(struct text *out, const struct svg_chart *chart, const struct svg_axis *axis,
                       const struct svg_series *series) {
    svg_open_look(out, series->colour, series->dashed);
    put_lines(out, chart, axis, series);
    for (size_t i = 0; i < chart->point_count; i++) {
        if (isnan(series->values[i])) continue;
        if (is_stopped(series, i)) text_string(out, "<g fill=\"none\">");
        svg_marker(out, place_x(chart, i), place_y(axis, series->values[i]), series->colour);
        if (is_stopped(series, i)) text_string(out, "</g>\n");
    }
    text_string(out, "</g>\n");
}

/* The bars of one series: the series of a point stand side by side from its left to its right. */
static void put_bars(struct text *out, const struct svg_chart *chart, const struct svg_axis *axis,
                     size_t index) {
    const struct svg_series *series = &chart->series[index];
    double room = (plot_right(chart) - LEFT) * BARS_PART / (double)chart->point_count;
    double width = room / (double)chart->series_count, zero = place_y(axis, fmax(axis->least, 0));
    svg_open_look(out, series->colour, series->dashed);
    for (size_t i = 0; i < chart->point_count; i++) {
        if (isnan(series->values[i])) continue;
        double x = place_x(chart, i) - room / 2 + (double)index * width, y = place_y(axis, series->values[i]);
        text_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" stroke-width=\"1\"/>\n",
                    x, fmin(y, zero), width - 1, fabs(zero - y));
    }
    text_string(out, "</g>\n");
}

static void put_legend_line(struct text *out, const struct svg_chart *chart, const struct svg_series *series,
                            size_t line) {
    const struct svg_look look = {series->name, series->colour, series->dashed,
                                  chart->bars ? SVG_SAMPLE_BAR : SVG_SAMPLE_LINE};
    svg_legend_line(out, legend_x(chart), TOP + 8 + (double)(line * SVG_LEGEND_STEP), &look);
}

static void put_legend(struct text *out, const struct svg_chart *chart) {
    for (size_t s = 0; s < chart->series_count; s++)
        put_legend_line(out, chart, &chart->series[s], s);
    if (chart->right != NULL) put_legend_line(out, chart, chart->right->series, chart->series_count);
}

void svg_chart(struct text *out, const struct svg_chart *chart) {
    assert(chart->point_count >= (chart->bars ? 1 : 2) && chart->series_count > 0);
    struct svg_axis axis = make_axis(chart);
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
        const struct svg_axis right = make_right_axis(chart);
        put_right_axis(out, chart, &right);
        put_series(out, chart, &right, chart->right->series);
    }
    put_legend(out, chart);
    svg_end(out);
}
