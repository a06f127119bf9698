/* Heat maps: a coloured cell for each pair of values of two parameters. */
#ifndef WB_WINGS_SWEEP_REPORT_SVG_HEAT_H
#define WB_WINGS_SWEEP_REPORT_SVG_HEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

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
