/* Charts as SVG: values over a few labelled points, such as latencies, as lines; or as bars side by side over
 * names, such as kernels. */
#ifndef WB_REPORT_WRITE_SVG_CHART_H
#define WB_REPORT_WRITE_SVG_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "report/write/svg.h"

struct svg_series {
    const char *name;     /* in the legend */
    const double *values; /* one a point, finite; NaN: there is none */
    unsigned colour;      /* of svg_colours; chooses the marker, too */
    bool dashed;
    const bool *stopped; /* of lines, per point: the value is where the search for it was stopped, a hollow
                            marker without a line; NULL: none is */
};

/* An axis of its own on the right, in powers of ten. */
struct svg_right_axis {
    const char *title;
    const struct svg_series *series; /* one; its values are positive */
};

/* The points stand at equal distances, in the order given. */
struct svg_chart {
    bool bars; /* a bar a series over each point, the points' labels slanted; else lines with markers */
    const char *title;
    const char *x_title, *y_title;
    const char *const *x_labels;
    double y_base;      /* a value that the vertical axis includes: 0 unless differences are what matters */
    size_t point_count; /* at least 2, of bars at least 1 */
    const struct svg_series *series;
    size_t series_count;
    const struct svg_right_axis *right; /* of lines; or NULL */
};

/* Appends the chart as one SVG document. What fails shows in out->failed. */
void svg_chart(struct text *out, const struct svg_chart *chart);

#endif
