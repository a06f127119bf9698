/* Charts true to scale on both axes, with curves or points; and heat maps, with a coloured cell for each pair
 * of values of two parameters. */
#ifndef WB_WINGS_SWEEP_REPORT_SVG_PICTURES_H
#define WB_WINGS_SWEEP_REPORT_SVG_PICTURES_H

#include "report/write/svg_legend.h"

struct svg_point {
    double x, y; /* y NaN: no line goes there */
};

struct svg_curve {
    const char *name;               /* in the legend; NULL: not there */
    const struct svg_point *points; /* those of lines in the order of x */
    size_t count;
    unsigned colour; /* of svg_colours */
    bool dashed;
};

struct svg_plane {
    const char *title, *x_title, *y_title;
    const char *note;                  /* below the legend, or NULL */
    bool logarithmic_x, logarithmic_y; /* then all are above 0 */
    bool lines;                        /* from point to point; else only markers */
    bool diagonal;                     /* where y is x */
    const struct svg_curve *curves;
    size_t count; /* there is at least one point */
};

/* Appends the chart as one SVG document. What fails shows in out->failed. */
void svg_plane(struct text *out, const struct svg_plane *plane);

/* Most cells side by side, and one above another. */
#define SVG_HEAT_MAX 200u

struct svg_heat {
    const char *title, *x_title, *y_title;
    const char *value_title;     /* beside the scale of colours */
    const char *const *x_labels; /* from left to right */
    const char *const *y_labels; /* from below */
    size_t columns, rows;        /* 1 to SVG_HEAT_MAX */
    const double *values;        /* row by row; NaN: there is none, a pale cell. One at least is there */
    bool logarithmic;            /* colours; then all values are above 0 */
};

/* Appends the map as one SVG document. What fails shows in out->failed. */
void svg_heat(struct text *out, const struct svg_heat *heat);

#endif
