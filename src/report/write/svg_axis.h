/* Axes of charts: which values they reach over, and where their ticks are. */
#ifndef WB_REPORT_WRITE_SVG_AXIS_H
#define WB_REPORT_WRITE_SVG_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/* Most ticks of an axis, and room for the label of one. */
#define SVG_TICKS_MAX 24u
#define SVG_NUMBER_MAX 24u

struct svg_axis {
    bool logarithmic;
    double least, greatest; /* values at its ends */
    double step;            /* between ticks where it is linear */
    double ticks[SVG_TICKS_MAX];
    size_t tick_count;
};

/* An axis from `least` to `greatest`, to the next ticks: multiples of 1, 2 or 5 times a power of ten. */
struct svg_axis svg_axis_linear(double least, double greatest);

/* The same in decimal logarithms, of values above 0: ticks at powers of ten, and at 2 and 5 times these where
 * there is room. */
struct svg_axis svg_axis_logarithmic(double least, double greatest);

/* The same, with ticks and ends at powers of ten only. */
struct svg_axis svg_axis_decades(double least, double greatest);

/* Where a value stands: 0 at the least one of the axis, 1 at the greatest. */
double svg_axis_part(const struct svg_axis *axis, double value);

/* The label of a tick: "0.5", "2000", "2.5M". */
void svg_axis_label(const struct svg_axis *axis, double value, char label[SVG_NUMBER_MAX]);

/* A number in at most five characters or so: "950", "9.61k", "12.3M". */
void svg_short_number(double value, char number[SVG_NUMBER_MAX]);

#endif
