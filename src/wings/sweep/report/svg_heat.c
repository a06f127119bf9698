#include "wings/sweep/report/svg_pictures.h"

#include <math.h>
#include <string.h>

#include "report/write/svg.h"
#include "report/write/svg_axis.h"
#include "report/write/svg_legend.h"

/* The layout, in pixels. */
enum {
    TITLE_X = 14, /* of the vertical axis */
    TOP = 56,
    WIDE = 480, /* of all cells, where these are neither too narrow nor too wide */
    HIGH = 320,
    CELL_LEAST = 5,
    CELL_WIDEST = 90,
    CELL_HIGHEST = 40,
    NUMBER_WIDTH = 46, /* of cells that have room for their numbers */
    NUMBER_HEIGHT = 18,
    LETTER = 8, /* more than one takes on average */
    LINE = 16,  /* from label to label */
    SCALE_GAP = 28,
    SCALE_WIDTH = 18,
    SCALE_STEPS = 60,
    SCALE_ROOM = 110 /* for its labels and its title */
};

/* The scale `viridis`, from dark to bright, perceptually even, and safe for the colour-blind. */
static const unsigned char scale[][3] = {{68, 1, 84},    {71, 45, 123},  {59, 82, 139},
                                         {44, 114, 142}, {33, 145, 140}, {40, 174, 128},
                                         {94, 201, 98},  {173, 220, 48}, {253, 231, 37}};

/* Part of the scale from which on numbers are black. */
#define BRIGHT 0.6

/* Cells without a number. */
#define EMPTY "#eee"

/* A map with its places. */
struct drawing {
    struct text *out;
    const struct svg_heat *heat;
    struct svg_axis values;
    int left, cell_width, cell_height, right, bottom, below;
    bool slanted; /* the labels below */
};

static size_t longest(const char *const *labels, size_t count) {
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        if (strlen(labels[i]) > most) most = strlen(labels[i]);
    return most;
}

static int between(int least, int value, int most) {
    return value < least ? least : value > most ? most : value;
}

/* Room for as many labels as there are columns, or for as many as do not touch. */
static void place_cells(struct drawing *drawing) {
    const struct svg_heat *heat = drawing->heat;
    const int label = (int)longest(heat->x_labels, heat->columns) * LETTER + LETTER;
    drawing->left = TITLE_X + 26 + (int)longest(heat->y_labels, heat->rows) * LETTER;
    drawing->cell_width = between(CELL_LEAST, WIDE / (int)heat->columns, CELL_WIDEST);
    drawing->cell_height = between(CELL_LEAST, HIGH / (int)heat->rows, CELL_HIGHEST);
    drawing->right = drawing->left + (int)heat->columns * drawing->cell_width;
    drawing->bottom = TOP + (int)heat->rows * drawing->cell_height;
    drawing->slanted = label > drawing->cell_width;
    drawing->below = 44 + (drawing->slanted ? between(20, label * 7 / 10, 400) : 20);
}

static void scale_values(struct drawing *drawing) {
    const struct svg_heat *heat = drawing->heat;
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < heat->columns * heat->rows; i++) {
        least = fmin(least, heat->values[i]);
        greatest = fmax(greatest, heat->values[i]);
    }
    drawing->values =
        heat->logarithmic ? svg_axis_logarithmic(least, greatest) : svg_axis_linear(least, greatest);
}

/* A rectangle in the colour of a part of the scale. */
static void put_rect(const struct drawing *drawing, double x, double y, double width, double height,
                     double part) {
    const size_t last = sizeof scale / sizeof *scale - 1;
    const double at = fmin(fmax(part, 0), 1) * (double)last;
    const size_t sample = at < (double)last ? (size_t)at : last - 1;
    const double rest = at - (double)sample;
    unsigned colour = 0;
    for (size_t i = 0; i < 3; i++)
        colour = colour << 8 | (unsigned)lround(scale[sample][i] * (1 - rest) + scale[sample + 1][i] * rest);
    text_printf(drawing->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#%06x\"/>\n",
                x, y, width, height, colour);
}

static void put_cell(const struct drawing *drawing, size_t column, size_t row) {
    const double value = drawing->heat->values[row * drawing->heat->columns + column];
    const int x = drawing->left + (int)column * drawing->cell_width,
              y = drawing->bottom - ((int)row + 1) * drawing->cell_height;
    char number[SVG_NUMBER_MAX];
    if (isnan(value)) return;
    const double part = svg_axis_part(&drawing->values, value);
    put_rect(drawing, x, y, drawing->cell_width, drawing->cell_height, part);
    if (drawing->cell_width < NUMBER_WIDTH || drawing->cell_height < NUMBER_HEIGHT) return;
    svg_short_number(value, number);
    svg_label(drawing->out,
              part < BRIGHT ? "text-anchor=\"middle\" font-size=\"11\" fill=\"#fff\""
                            : "text-anchor=\"middle\" font-size=\"11\"",
              x + drawing->cell_width / 2.0, y + drawing->cell_height / 2.0 + 4, number);
}

/* Every how manieth label there is room for. */
static size_t stride(int cell, int label) {
    return cell >= label ? 1 : (size_t)((label + cell - 1) / cell);
}

static void put_labels(const struct drawing *drawing) {
    const struct svg_heat *heat = drawing->heat;
    const size_t by_row = stride(drawing->cell_height, LINE),
                 by_column = stride(drawing->cell_width, drawing->slanted ? LINE : 0);
    for (size_t row = 0; row < heat->rows; row += by_row)
        svg_label(drawing->out, "text-anchor=\"end\"", drawing->left - 8,
                  drawing->bottom - ((double)row + 0.5) * drawing->cell_height + 4, heat->y_labels[row]);
    for (size_t column = 0; column < heat->columns; column += by_column) {
        const double x = drawing->left + ((double)column + 0.5) * drawing->cell_width;
        if (!drawing->slanted) {
            svg_label(drawing->out, "text-anchor=\"middle\"", x, drawing->bottom + 18,
                      heat->x_labels[column]);
            continue;
        }
        text_printf(drawing->out, "<g transform=\"translate(%.1f,%d) rotate(-45)\">", x,
                    drawing->bottom + 14);
        svg_label(drawing->out, "text-anchor=\"end\"", 0, 0, heat->x_labels[column]);
        text_string(drawing->out, "</g>\n");
    }
}

static void put_titles(const struct drawing *drawing) {
    const struct svg_heat *heat = drawing->heat;
    svg_label(drawing->out, "font-size=\"16\" font-weight=\"bold\"", TITLE_X + 10, 28, heat->title);
    svg_label(drawing->out, "text-anchor=\"middle\"", (drawing->left + drawing->right) / 2.0,
              drawing->bottom + drawing->below - 12, heat->x_title);
    svg_label_upwards(drawing->out, TITLE_X, (TOP + drawing->bottom) / 2.0, heat->y_title);
}

/* Which colour stands for which value: as high as the cells, or as its labels need. */
static void put_scale(const struct drawing *drawing, int height) {
    const int x = drawing->right + SCALE_GAP;
    const double step = (double)height / SCALE_STEPS;
    char label[SVG_NUMBER_MAX];
    for (int i = 0; i < SCALE_STEPS; i++)
        put_rect(drawing, x, TOP + height - (i + 1) * step, SCALE_WIDTH, step + 0.5, (i + 0.5) / SCALE_STEPS);
    for (size_t i = 0; i < drawing->values.tick_count; i++) {
        const double y = TOP + height * (1 - svg_axis_part(&drawing->values, drawing->values.ticks[i]));
        text_printf(drawing->out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#666\"/>\n",
                    x + SCALE_WIDTH, y, x + SCALE_WIDTH + 5, y);
        svg_axis_label(&drawing->values, drawing->values.ticks[i], label);
        svg_label(drawing->out, "", x + SCALE_WIDTH + 9, y + 4, label);
    }
    svg_label_upwards(drawing->out, x + SCALE_ROOM - 12, TOP + height / 2.0, drawing->heat->value_title);
}

void svg_heat(struct text *out, const struct svg_heat *heat) {
    struct drawing drawing = {.out = out, .heat = heat};
    place_cells(&drawing);
    scale_values(&drawing);
    const int scale_title = (int)strlen(heat->value_title) * LETTER,
              scale_height = between(scale_title, drawing.bottom - TOP, HIGH);
    const int height = drawing.bottom + drawing.below, least = TOP + scale_height + LINE;
    const int title = TITLE_X + 20 + (int)strlen(heat->title) * (LETTER + 2);
    const int width = drawing.right + SCALE_GAP + SCALE_ROOM;
    svg_begin(out, title > width ? title : width, height > least ? height : least, 13);
    svg_rect(out, drawing.left, TOP, drawing.right - drawing.left, drawing.bottom - TOP, EMPTY);
    for (size_t row = 0; row < heat->rows; row++)
        for (size_t column = 0; column < heat->columns; column++)
            put_cell(&drawing, column, row);
    put_labels(&drawing);
    put_titles(&drawing);
    put_scale(&drawing, scale_height);
    svg_end(out);
}
