/* Pictures of two parameters, or of two numbers. */
#include <math.h>
#include <string.h>

#include "wings/sweep/report/report.h"
#include "wings/sweep/report/svg_pictures.h"

/* ---- Heat maps ----------------------------------------------------------------------------------------
 */

/* One number over two parameters: a heat map. */

/* A map in the making. */
struct map {
    struct plot *plot;
    size_t columns[2]; /* of the parameters: that of the horizontal axis, that of the vertical one */
    text_list x, y;    /* their values */
    double *values;    /* row by row; NaN: there is none */
};

/* One unit a cell: another parameter in which they differ is an error. */
static void check_cells(struct map *map) {
    struct plot *plot = map->plot;
    for (size_t c = 0; c < plot->stored.columns.count && plot->status == WB_OK; c++)
        if (c != map->columns[0] && c != map->columns[1] && plot_varies(plot, c))
            plot_fail(plot, "sweep plot",
                      "the units differ in %s, too, and a cell has one number: choose with --where %s=VALUE",
                      plot->stored.columns.items[c], plot->stored.columns.items[c]);
    if (plot->status == WB_OK && (map->x.count > SVG_HEAT_MAX || map->y.count > SVG_HEAT_MAX))
        plot_fail(plot, "sweep plot", "a heat map has at most %u values on an axis", SVG_HEAT_MAX);
    if (plot->status == WB_OK && plot->logarithmic_x)
        plot_fail(plot, "--log", "cells of a heat map stand at equal distances: only 'cycles' is for it");
}

static void read_cells(struct map *map) {
    struct plot *plot = map->plot;
    size_t found = 0;
    map->values = arena_array(plot->arena, map->x.count * map->y.count, sizeof *map->values);
    for (size_t i = 0; i < map->x.count * map->y.count; i++)
        map->values[i] = NAN;
    for (size_t i = 0; i < plot->units.count && plot->status == WB_OK; i++) {
        const struct stored_unit *unit = &plot->units.items[i];
        double values[PLOT_NUMBERS_MAX];
        plot_read_numbers(plot, unit, values);
        map->values[plot_index(&map->y, unit->values[map->columns[1]]) * map->x.count +
                    plot_index(&map->x, unit->values[map->columns[0]])] = values[0];
        found += !isnan(values[0]);
    }
    if (plot->status == WB_OK && found == 0)
        plot_fail(plot, "sweep plot", "none of these units has such a number");
}

static void draw_map(struct map *map) {
    struct plot *plot = map->plot;
    const wb_plot_options *options = plot->options;
    struct text title = {.arena = plot->arena}, value = {.arena = plot->arena};
    text_printf(&title, "%s over %s and %s", plot_number_title(plot, 0), options->x, options->y);
    plot_begin_title(&title);
    text_printf(&value, "%s, cycles", plot_number_title(plot, 0));
    const struct svg_heat heat = {
        .title = plot_title(options->title, text_take(&title)),
        .x_title = plot_title(options->x_title, plot_parameter_title(plot, options->x)),
        .y_title = plot_title(options->y_title, plot_parameter_title(plot, options->y)),
        .value_title = text_take(&value),
        .x_labels = plot_short_names(plot, &map->x),
        .y_labels = plot_short_names(plot, &map->y),
        .columns = map->x.count,
        .rows = map->y.count,
        .values = map->values,
        .logarithmic = plot->logarithmic_cycles,
    };
    svg_heat(&plot->out, &heat);
}

void plot_heat(struct plot *plot) {
    struct map map = {.plot = plot};
    map.columns[0] = plot_column(plot, "--x", plot->options->x);
    if (plot->status == WB_OK) map.columns[1] = plot_column(plot, "--y", plot->options->y);
    if (plot->status == WB_OK && map.columns[0] == map.columns[1])
        plot_fail(plot, "--y", "expected another parameter than --x");
    if (plot->status == WB_OK) plot_choose(plot, map.columns, 2);
    if (plot->status == WB_OK)
        plot_name_numbers(plot, plot->options->of != NULL ? plot->options->of : "bound");
    if (plot->status == WB_OK && plot->numbers.count > 1)
        plot_fail(plot, "--of", "a heat map is of one number");
    if (plot->status != WB_OK) return;
    map.x = plot_values(plot, map.columns[0]);
    map.y = plot_values(plot, map.columns[1]);
    check_cells(&map);
    if (plot->status == WB_OK) read_cells(&map);
    if (plot->status == WB_OK) draw_map(&map);
}

/* ---- Points -------------------------------------------------------------------------------------------
 */

/* One number against another, a point a unit: such as the least proven bound against the slowest execution
 * that was found, where all points are above the diagonal. */

/* A picture in the making. */
struct scatter {
    struct plot *plot;
    size_t by;        /* the column that colours are of; the number of columns: none */
    text_list values; /* of that one */
    struct svg_curve *curves;
    struct svg_point *points; /* of the curves, one behind another: room for all units each */
    size_t shown;             /* units with both numbers */
};

static size_t curve_of(const struct scatter *scatter, const struct stored_unit *unit) {
    return scatter->values.count == 0 ? 0 : plot_index(&scatter->values, unit->values[scatter->by]);
}

/* A curve for each value, with room for all points. */
static void make_curves(struct scatter *scatter) {
    struct plot *plot = scatter->plot;
    const size_t count = scatter->values.count > 0 ? scatter->values.count : 1;
    scatter->curves = arena_array(plot->arena, count, sizeof *scatter->curves);
    scatter->points = arena_array(plot->arena, count * plot->units.count, sizeof *scatter->points);
    for (size_t c = 0; c < count; c++) {
        scatter->curves[c] =
            (struct svg_curve){.points = scatter->points + c * plot->units.count, .colour = (unsigned)c};
        if (scatter->values.count > 0)
            scatter->curves[c].name = plot_short_name(plot, scatter->values.items[c]);
    }
}

static void read_points(struct scatter *scatter) {
    struct plot *plot = scatter->plot;
    const size_t y = plot->numbers.count - 1; /* the same number on both axes is one */
    for (size_t i = 0; i < plot->units.count && plot->status == WB_OK; i++) {
        double values[PLOT_NUMBERS_MAX];
        plot_read_numbers(plot, &plot->units.items[i], values);
        if (isnan(values[0]) || isnan(values[y])) continue;
        const size_t curve = curve_of(scatter, &plot->units.items[i]);
        const size_t point = curve * plot->units.count + scatter->curves[curve].count++;
        scatter->points[point] = (struct svg_point){values[0], values[y]};
        scatter->shown++;
    }
}

static const char *cycles_title(const struct plot *plot, size_t number) {
    struct text title = {.arena = plot->arena};
    text_printf(&title, "%s, cycles", plot_number_title(plot, number));
    return text_take(&title);
}

static void draw_points(struct scatter *scatter) {
    struct plot *plot = scatter->plot;
    const wb_plot_options *options = plot->options;
    struct text title = {.arena = plot->arena}, note = {.arena = plot->arena};
    text_printf(&title, "%s against %s", plot_number_title(plot, plot->numbers.count - 1),
                plot_number_title(plot, 0));
    plot_begin_title(&title);
    text_printf(&note, "%zu of %zu units have both", scatter->shown, plot->units.count);
    const struct svg_plane plane = {
        .title = plot_title(options->title, text_take(&title)),
        .x_title = plot_title(options->x_title, cycles_title(plot, 0)),
        .y_title = plot_title(options->y_title, cycles_title(plot, plot->numbers.count - 1)),
        .note = scatter->shown < plot->units.count ? text_take(&note) : NULL,
        .logarithmic_x = plot->logarithmic_cycles,
        .logarithmic_y = plot->logarithmic_cycles,
        .diagonal = true,
        .curves = scatter->curves,
        .count = scatter->values.count > 0 ? scatter->values.count : 1,
    };
    svg_plane(&plot->out, &plane);
}

/* Colours by the values of a parameter. */
static void choose_colours(struct scatter *scatter) {
    struct plot *plot = scatter->plot;
    scatter->values = plot_values(plot, scatter->by);
    if (scatter->values.count > SVG_COLOURS)
        plot_fail(plot, "--by", "%s has %zu values, and there are %u colours: choose with --where %s=VALUE",
                  plot->options->by, scatter->values.count, SVG_COLOURS, plot->options->by);
}

void plot_scatter(struct plot *plot) {
    struct scatter scatter = {.plot = plot};
    const bool has_colours = plot->options->by != NULL;
    if (plot->logarithmic_x)
        plot_fail(plot, "--log", "both axes are of cycles here: 'cycles' makes both logarithmic");
    if (plot->status == WB_OK && plot->options->of != NULL)
        plot_fail(plot, "--of", "--x and --y name the numbers of this picture");
    if (plot->status == WB_OK && has_colours) scatter.by = plot_column(plot, "--by", plot->options->by);
    if (plot->status == WB_OK) plot_choose(plot, &scatter.by, has_colours ? 1 : 0);
    if (plot->status == WB_OK) plot_name_numbers(plot, plot->options->x);
    if (plot->status == WB_OK) plot_name_numbers(plot, plot->options->y);
    if (plot->status == WB_OK && has_colours) choose_colours(&scatter);
    if (plot->status != WB_OK) return;
    make_curves(&scatter);
    read_points(&scatter);
    if (plot->status == WB_OK && scatter.shown == 0)
        plot_fail(plot, "sweep plot", "none of these units has both numbers, %s and %s", plot->options->x,
                  plot->options->y);
    if (plot->status == WB_OK) draw_points(&scatter);
}
