#include "report/write/svg_axis.h"

#include <math.h>

#include "base/base.h"

/* Most steps between the ticks of a linear axis, and powers of ten between whose ticks there is room. */
#define STEPS_MAX 8
#define OPEN_DECADES 3

/* 1, 2 and 5 times powers of ten are the round values. */
static const double multiples[] = {1, 2, 5, 10};

static void add_tick(struct svg_axis *axis, double value) {
    if (axis->tick_count < SVG_TICKS_MAX) axis->ticks[axis->tick_count++] = value;
}

/* The least round value that divides `range` into at most STEPS_MAX steps. */
static double nice_step(double range) {
    const double power = pow(10, floor(log10(range / STEPS_MAX)));
    size_t i = 0;
    while (i < 3 && multiples[i] * power * STEPS_MAX < range)
        i++;
    return multiples[i] * power;
}

struct svg_axis svg_axis_linear(double least, double greatest) {
    if (least == greatest) greatest = least + fmax(1, fabs(least) / 2);
    const double step = nice_step(greatest - least);
    struct svg_axis axis = {
        .least = floor(least / step) * step, .greatest = ceil(greatest / step) * step, .step = step};
    const int steps = (int)lround((axis.greatest - axis.least) / step);
    for (int i = 0; i <= steps; i++)
        add_tick(&axis, axis.least + i * step);
    return axis;
}

struct svg_axis svg_axis_decades(double least, double greatest) {
    const int first = (int)floor(log10(least)), end = (int)ceil(log10(greatest));
    const int last = end > first ? end : first + 1, by = (last - first) / (int)SVG_TICKS_MAX + 1;
    struct svg_axis axis = {.logarithmic = true, .least = pow(10, first), .greatest = pow(10, last)};
    for (int power = first; power <= last; power += by)
        add_tick(&axis, pow(10, power));
    return axis;
}

/* Ticks from the last one that is not above `least` to the first one that is not below `greatest`. */
static void add_multiples(struct svg_axis *axis, int power, double least, double greatest) {
    for (size_t i = 0; i < 3; i++) {
        const double tick = multiples[i] * pow(10, power);
        if (axis->tick_count > 1 && axis->ticks[axis->tick_count - 1] >= greatest) return;
        if (tick <= least) axis->tick_count = 0;
        add_tick(axis, tick);
    }
}

struct svg_axis svg_axis_logarithmic(double least, double greatest) {
    struct svg_axis axis = {.logarithmic = true};
    if (log10(greatest) - log10(least) > OPEN_DECADES) return svg_axis_decades(least, greatest);
    const int first = (int)floor(log10(least)), last = (int)ceil(log10(greatest)) + 1;
    for (int power = first; power <= last; power++)
        add_multiples(&axis, power, least, greatest);
    axis.least = axis.ticks[0];
    axis.greatest = axis.ticks[axis.tick_count - 1];
    return axis;
}

double svg_axis_part(const struct svg_axis *axis, double value) {
    if (!axis->logarithmic) return (value - axis->least) / (axis->greatest - axis->least);
    const double least = log10(axis->least);
    return (log10(value) - least) / (log10(axis->greatest) - least);
}

/* ---- Labels ----------------------------------------------------------------------------------------------
 */

/* Thousands of thousands. */
static const struct unit {
    double value;
    const char *name;
} units[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

enum { UNIT_COUNT = sizeof units / sizeof *units };

/* The largest unit that the value has one of; UNIT_COUNT: none. */
static size_t unit_of(double value) {
    size_t unit = 0;
    while (unit < UNIT_COUNT && fabs(value) < units[unit].value)
        unit++;
    return unit;
}

void svg_axis_label(const struct svg_axis *axis, double value, char label[SVG_NUMBER_MAX]) {
    const size_t unit = unit_of(value);
    const bool is_fraction = !axis->logarithmic && axis->step < 1;
    if (unit + 1 < UNIT_COUNT)
        (void)text_format(label, SVG_NUMBER_MAX, "%.6g%s", value / units[unit].value, units[unit].name);
    else if (axis->logarithmic)
        (void)text_format(label, SVG_NUMBER_MAX, "%.6g", value);
    else
        (void)text_format(label, SVG_NUMBER_MAX, "%.*f",
                          is_fraction ? (int)fmin(9, ceil(-log10(axis->step) - 1e-9)) : 0, value);
}

void svg_short_number(double value, char number[SVG_NUMBER_MAX]) {
    double scaled = value;
    size_t unit = unit_of(value);
    if (unit < UNIT_COUNT) scaled = value / units[unit].value;
    if (unit > 0 && fabs(scaled) >= 999.5) { /* which would be written 1e+03 */
        unit = unit == UNIT_COUNT ? UNIT_COUNT - 1 : unit - 1;
        scaled = value / units[unit].value;
    }
    (void)text_format(number, SVG_NUMBER_MAX, "%.3g%s", scaled, unit < UNIT_COUNT ? units[unit].name : "");
}
