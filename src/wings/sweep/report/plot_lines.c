/* Numbers over a parameter: lines where its values are numbers, bars where they are names. */
#include <math.h>
#include <string.h>

#include "report/write/svg_chart.h"
#include "wings/sweep/report/report.h"
#include "wings/sweep/report/svg_pictures.h"

/* A picture of groups of units, each with a series for each number. */
struct lines {
    struct plot *plot;
    size_t x;                 /* column of the parameter */
    text_list points;         /* its values */
    bool *varying;            /* columns in which the units differ */
    text_list groups, labels; /* what tells units apart at the same x; "": nothing does */
    double **values;          /* groups x numbers, by points */
};

/* ---- Values ----------------------------------------------------------------------------------------------
 */

/* Distinguishes a unit from others at the same x; `is_short`: for the legend. */
static const char *group_of(const struct lines *lines, const struct stored_unit *unit, bool is_short) {
    const struct plot *plot = lines->plot;
    struct text group = {.arena = plot->arena};
    for (size_t c = 0; c < plot->stored.columns.count; c++) {
        const char *value = unit->values[c] != NULL ? unit->values[c] : "-";
        if (!lines->varying[c] || c == lines->x) continue;
        text_printf(&group, "%s%s", group.length > 0 ? " " : "",
                    is_short ? plot_short_name(plot, value) : value);
    }
    return text_take(&group);
}

/* The index of the group, which is added where it is new. */
static size_t add_group(struct lines *lines, const struct stored_unit *unit) {
    const char *group = group_of(lines, unit, false);
    for (size_t i = 0; i < lines->groups.count; i++)
        if (strcmp(lines->groups.items[i], group) == 0) return i;
    arena_push(lines->plot->arena, &lines->groups, group);
    arena_push(lines->plot->arena, &lines->labels, group_of(lines, unit, true));
    return lines->groups.count - 1;
}

static size_t series_count(const struct lines *lines) {
    return lines->groups.count * lines->plot->numbers.count;
}

static void read_values(struct lines *lines) {
    struct plot *plot = lines->plot;
    const size_t numbers = plot->numbers.count;
    for (size_t i = 0; i < plot->units.count; i++)
        (void)add_group(lines, &plot->units.items[i]);
    lines->values = arena_array(plot->arena, series_count(lines), sizeof *lines->values);
    for (size_t s = 0; s < series_count(lines); s++) {
        lines->values[s] = arena_array(plot->arena, lines->points.count, sizeof(double));
        for (size_t p = 0; p < lines->points.count; p++)
            lines->values[s][p] = NAN;
    }
    for (size_t i = 0; i < plot->units.count && plot->status == WB_OK; i++) {
        const struct stored_unit *unit = &plot->units.items[i];
        double values[PLOT_NUMBERS_MAX];
        const size_t group = add_group(lines, unit),
                     point = plot_index(&lines->points, unit->values[lines->x]);
        plot_read_numbers(plot, unit, values);
        for (size_t n = 0; n < numbers; n++)
            lines->values[group * numbers + n][point] = values[n];
    }
}

/* ---- Series ----------------------------------------------------------------------------------------------
 */

/* "saxpy: k-area (upper)" */
static const char *name_of(const struct lines *lines, size_t series) {
    const struct plot *plot = lines->plot;
    const size_t number = series % plot->numbers.count;
    const char *group = lines->labels.items[series / plot->numbers.count];
    struct text name = {.arena = plot->arena};
    text_printf(&name, "%s%s%s%s", group, group[0] != '\0' ? ": " : "", plot->numbers.items[number],
                plot_kinds(plot, number));
    return text_take(&name);
}

static unsigned colour_of(const struct lines *lines, size_t series) {
    const size_t numbers = lines->plot->numbers.count;
    return (unsigned)(lines->groups.count > 1 ? series / numbers : series % numbers);
}

static bool is_dashed(const struct lines *lines, size_t series) {
    return lines->groups.count > 1 && series % lines->plot->numbers.count > 0;
}

/* More lines than there are looks would be indistinguishable. */
static void check_looks(struct lines *lines) {
    const size_t groups = lines->groups.count, numbers = lines->plot->numbers.count;
    const size_t looks = groups > 1 ? groups : numbers;
    if (looks > SVG_COLOURS || (groups > 1 && numbers > 2))
        plot_fail(
            lines->plot, "sweep plot",
            "%zu lines cannot be told apart in one picture: choose fewer units with --where NAME=VALUE, "
            "or fewer numbers with --of",
            groups * numbers);
}

static void check_values(struct lines *lines) {
    for (size_t s = 0; s < series_count(lines); s++)
        for (size_t p = 0; p < lines->points.count; p++)
            if (!isnan(lines->values[s][p])) return;
    plot_fail(lines->plot, "sweep plot", "none of these units has such a number");
}

/* ---- Pictures --------------------------------------------------------------------------------------------
 */

static const char *title_of(const struct lines *lines) {
    struct text title = {.arena = lines->plot->arena};
    text_printf(&title, "Cycles over %s", lines->plot->options->x);
    return plot_title(lines->plot->options->title, text_take(&title));
}

static void draw_bars(struct lines *lines) {
    struct plot *plot = lines->plot;
    struct svg_series *series = arena_array(plot->arena, series_count(lines), sizeof *series);
    for (size_t s = 0; s < series_count(lines); s++)
        series[s] = (struct svg_series){.name = name_of(lines, s),
                                        .values = lines->values[s],
                                        .colour = colour_of(lines, s),
                                        .dashed = is_dashed(lines, s)};
    const struct svg_chart chart = {
        .bars = true,
        .title = title_of(lines),
        .x_title = plot_title(plot->options->x_title, plot_parameter_title(plot, plot->options->x)),
        .y_title = plot_title(plot->options->y_title, "cycles"),
        .x_labels = plot_short_names(plot, &lines->points),
        .point_count = lines->points.count,
        .series = series,
        .series_count = series_count(lines),
    };
    svg_chart(&plot->out, &chart);
}

static struct svg_curve curve_of(struct lines *lines, size_t series) {
    struct svg_point *points = arena_array(lines->plot->arena, lines->points.count, sizeof *points);
    for (size_t p = 0; p < lines->points.count; p++)
        points[p] = (struct svg_point){plot_number(lines->points.items[p]), lines->values[series][p]};
    return (struct svg_curve){.name = name_of(lines, series),
                              .points = points,
                              .count = lines->points.count,
                              .colour = colour_of(lines, series),
                              .dashed = is_dashed(lines, series)};
}

static void draw_lines(struct lines *lines) {
    struct plot *plot = lines->plot;
    struct svg_curve *curves = arena_array(plot->arena, series_count(lines), sizeof *curves);
    for (size_t s = 0; s < series_count(lines); s++)
        curves[s] = curve_of(lines, s);
    const struct svg_plane plane = {
        .title = title_of(lines),
        .x_title = plot_title(plot->options->x_title, plot_parameter_title(plot, plot->options->x)),
        .y_title = plot_title(plot->options->y_title, "cycles"),
        .logarithmic_x = plot->logarithmic_x,
        .logarithmic_y = plot->logarithmic_cycles,
        .lines = true,
        .curves = curves,
        .count = series_count(lines),
    };
    svg_plane(&plot->out, &plane);
}

/* A logarithmic axis has no place for names and 0, and a bar on one no length. */
static void check_axes(struct lines *lines, bool bars) {
    struct plot *plot = lines->plot;
    if (bars && (plot->logarithmic_x || plot->logarithmic_cycles))
        plot_fail(plot, "--log", "bars, as over %s, have no logarithmic axes", plot->options->x);
    else if (plot->logarithmic_x && plot_number(lines->points.items[0]) <= 0)
        plot_fail(plot, "--log", "%s is %s in a unit, which has no logarithm", plot->options->x,
                  lines->points.items[0]);
}

void plot_lines(struct plot *plot) {
    struct lines lines = {.plot = plot, .x = plot_column(plot, "--x", plot->options->x)};
    if (plot->status == WB_OK) plot_choose(plot, &lines.x, 1);
    if (plot->status == WB_OK)
        plot_name_numbers(plot, plot->options->of != NULL ? plot->options->of : "bound,slowest");
    if (plot->status != WB_OK) return;
    lines.varying = arena_array(plot->arena, plot->stored.columns.count, sizeof *lines.varying);
    for (size_t c = 0; c < plot->stored.columns.count; c++)
        lines.varying[c] = plot_varies(plot, c);
    lines.points = plot_values(plot, lines.x);
    read_values(&lines);
    const bool bars = lines.points.count < 2 || !plot_are_numbers(&lines.points);
    if (plot->status == WB_OK) check_looks(&lines);
    if (plot->status == WB_OK) check_values(&lines);
    if (plot->status == WB_OK) check_axes(&lines, bars);
    if (plot->status != WB_OK) return;
    if (bars)
        draw_bars(&lines);
    else
        draw_lines(&lines);
}
