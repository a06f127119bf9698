#include "wings/sweep/report/svg_pictures.h"

#include <math.h>
#include <string.h>

#include "report/write/svg_axis.h"

/* The layout, in pixels. */
enum {
    TITLE_X = 14, /* of the vertical axis */
    LEAST_LEFT = 64,
    PLOT_WIDTH = 476,
    TOP = 56,
    BOTTOM = 356,
    BELOW = 64,
    LEGEND_LEAST = 120,
    LETTER = 8 /* more than one takes on average */
};

/* A chart with its axes. */
struct drawing {
    struct text *out;
    const struct svg_plane *plane;
    struct svg_axis x, y;
    int left, right;
};

/* The least and the greatest of numbers. */
struct range {
    double least, greatest;
};

static void reach(struct range *range, double value) {
    range->least = fmin(range->least, value);
    range->greatest = fmax(range->greatest, value);
}

static struct svg_axis make_axis(const struct range *range, bool logarithmic, bool from_zero) {
    if (logarithmic) return svg_axis_logarithmic(range->least, range->greatest);
    return svg_axis_linear(from_zero ? fmin(0, range->least) : range->least, range->greatest);
}

/* Cycles are drawn from 0 on; parameters, on the horizontal axis of lines, from their least value. */
static void make_axes(struct drawing *drawing) {
    const struct svg_plane *plane = drawing->plane;
    struct range x = {INFINITY, -INFINITY}, y = x;
    for (size_t c = 0; c < plane->count; c++) {
        for (size_t i = 0; i < plane->curves[c].count; i++) {
            reach(&x, plane->curves[c].points[i].x);
            reach(&y, plane->curves[c].points[i].y);
        }
    }
    drawing->x = make_axis(&x, plane->logarithmic_x, !plane->lines);
    drawing->y = make_axis(&y, plane->logarithmic_y, true);
}

/* Room for the labels of the vertical axis. */
static void make_room(struct drawing *drawing) {
    char label[SVG_NUMBER_MAX];
    drawing->left = LEAST_LEFT;
    for (size_t i = 0; i < drawing->y.tick_count; i++) {
        svg_axis_label(&drawing->y, drawing->y.ticks[i], label);
        const int needed = TITLE_X + 20 + (int)strlen(label) * LETTER;
        if (needed > drawing->left) drawing->left = needed;
    }
    drawing->right = drawing->left + PLOT_WIDTH;
}

static double place_x(const struct drawing *drawing, double value) {
    return drawing->left + PLOT_WIDTH * svg_axis_part(&drawing->x, value);
}

static double place_y(const struct drawing *drawing, double value) {
    return BOTTOM - (BOTTOM - TOP) * svg_axis_part(&drawing->y, value);
}

static void put_line(struct text *out, double x1, double y1, double x2, double y2, const char *looks) {
    text_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, looks);
}

static void put_axes(const struct drawing *drawing) {
    struct text *out = drawing->out;
    char label[SVG_NUMBER_MAX];
    for (size_t i = 0; i < drawing->y.tick_count; i++) {
        const double y = place_y(drawing, drawing->y.ticks[i]);
        put_line(out, drawing->left, y, drawing->right, y, "stroke=\"" SVG_PALE "\"");
        svg_axis_label(&drawing->y, drawing->y.ticks[i], label);
        svg_label(out, "text-anchor=\"end\"", drawing->left - 10, y + 4, label);
    }
    for (size_t i = 0; i < drawing->x.tick_count; i++) {
        const double x = place_x(drawing, drawing->x.ticks[i]);
        put_line(out, x, TOP, x, BOTTOM, "stroke=\"" SVG_PALE "\"");
        svg_axis_label(&drawing->x, drawing->x.ticks[i], label);
        svg_label(out, "text-anchor=\"middle\"", x, BOTTOM + 20, label);
    }
    put_line(out, drawing->left, BOTTOM, drawing->right, BOTTOM, "stroke=\"#666\"");
    put_line(out, drawing->left, TOP, drawing->left, BOTTOM, "stroke=\"#666\"");
}

static void put_titles(const struct drawing *drawing) {
    const struct svg_plane *plane = drawing->plane;
    svg_label(drawing->out, "font-size=\"16\" font-weight=\"bold\"", TITLE_X + 10, 28, plane->title);
    svg_label(drawing->out, "text-anchor=\"middle\"", (drawing->left + drawing->right) / 2.0,
              BOTTOM + BELOW - 20, plane->x_title);
    svg_label_upwards(drawing->out, TITLE_X, (TOP + BOTTOM) / 2.0, plane->y_title);
}

/* The part of the diagonal that is inside. */
static void put_diagonal(const struct drawing *drawing) {
    const double from = fmax(drawing->x.least, drawing->y.least),
                 to = fmin(drawing->x.greatest, drawing->y.greatest);
    if (from < to)
        put_line(drawing->out, place_x(drawing, from), place_y(drawing, from), place_x(drawing, to),
                 place_y(drawing, to), "stroke=\"#666\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\"");
}

/* The lines between points that stand side by side. */
static void put_lines(const struct drawing *drawing, const struct svg_curve *curve) {
    bool is_open = false;
    for (size_t i = 0; i < curve->count; i++) {
        const bool is_there = !isnan(curve->points[i].y);
        if (is_there && !is_open)
            text_printf(drawing->out, "<polyline fill=\"none\"%s points=\"", svg_dashes(curve->dashed));
        if (is_there)
            text_printf(drawing->out, "%s%.1f,%.1f", is_open ? " " : "", place_x(drawing, curve->points[i].x),
                        place_y(drawing, curve->points[i].y));
        if (is_open && !is_there) text_string(drawing->out, "\"/>\n");
        is_open = is_there;
    }
    if (is_open) text_string(drawing->out, "\"/>\n");
}

static void put_curve(const struct drawing *drawing, const struct svg_curve *curve) {
    svg_open_look(drawing->out, curve->colour, curve->dashed);
    if (drawing->plane->lines) put_lines(drawing, curve);
    for (size_t i = 0; i < curve->count; i++)
        if (!isnan(curve->points[i].y))
            svg_marker(drawing->out, place_x(drawing, curve->points[i].x),
                       place_y(drawing, curve->points[i].y), curve->colour);
    text_string(drawing->out, "</g>\n");
}

static void put_legend(const struct drawing *drawing) {
    const struct svg_plane *plane = drawing->plane;
    const double x = drawing->right + SVG_LEGEND_GAP;
    double y = TOP + 8;
    for (size_t c = 0; c < plane->count; c++) {
        const struct svg_curve *curve = &plane->curves[c];
        const struct svg_look look = {curve->name, curve->colour, curve->dashed,
                                      plane->lines ? SVG_SAMPLE_LINE : SVG_SAMPLE_MARKER};
        if (curve->name == NULL) continue;
        svg_legend_line(drawing->out, x, y, &look);
        y += SVG_LEGEND_STEP;
    }
    if (plane->note != NULL) svg_label(drawing->out, "fill=\"#666\"", x, y + 4, plane->note);
}

static int legend_width(const struct svg_plane *plane) {
    int width = LEGEND_LEAST;
    for (size_t c = 0; c < plane->count; c++) {
        const int needed = plane->curves[c].name != NULL ? svg_legend_width(plane->curves[c].name) : 0;
        if (needed > width) width = needed;
    }
    const int note = plane->note != NULL ? (int)strlen(plane->note) * LETTER : 0;
    return note > width ? note : width;
}

void svg_plane(struct text *out, const struct svg_plane *plane) {
    struct drawing drawing = {.out = out, .plane = plane};
    make_axes(&drawing);
    make_room(&drawing);
    svg_begin(out, drawing.right + SVG_LEGEND_GAP + legend_width(plane), BOTTOM + BELOW, 13);
    put_axes(&drawing);
    put_titles(&drawing);
    if (plane->diagonal) put_diagonal(&drawing);
    for (size_t c = plane->count; c-- > 0;)
        put_curve(&drawing, &plane->curves[c]);
    put_legend(&drawing);
    svg_end(out);
}
