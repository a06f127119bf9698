/* One number against another, a point a unit: such as the least proven bound against the slowest execution
 * that was found, where all points are above the diagonal. */
#include <math.h>
#include <string.h>

#include "wings/sweep/report/plot.h"
#include "wings/sweep/report/svg_plane.h"

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

static void draw(struct scatter *scatter) {
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
    if (plot->status == WB_OK) draw(&scatter);
}
