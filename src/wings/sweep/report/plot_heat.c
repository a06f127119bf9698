/* One number over two parameters: a heat map. */
#include <math.h>
#include <string.h>

#include "wings/sweep/report/plot.h"
#include "wings/sweep/report/svg_heat.h"

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

static void draw(struct map *map) {
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
    if (plot->status == WB_OK) draw(&map);
}
