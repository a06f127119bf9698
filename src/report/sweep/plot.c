/* Pictures of results: bounds and simulations over a parameter, as lines, or as bars where its values are no
 * numbers. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "report/sweep/show.h"
#include "report/write/output.h"
#include "report/write/svg_chart.h"

/* Most numbers of one unit in a picture. */
#define NUMBERS_MAX 16u

typedef VEC(const char *) text_list;

/* A picture in the making. */
struct plot {
    const wb_results *results;
    const wb_plot_options *options;
    wb_diagnostics *diagnostics;
    struct arena *arena; /* protected, as a pass */
    struct stored_units stored;
    VEC(struct stored_unit) units; /* that are shown */
    size_t x;                      /* its column */
    text_list points;              /* values of x */
    text_list groups, labels;      /* what tells units apart at the same x; "": nothing does */
    text_list numbers;             /* of each unit: "bound", "slowest", names of methods and policies */
    unsigned kinds[NUMBERS_MAX];   /* of the values of each of `numbers`: a bit for each enum wb_kind */
    struct svg_series *series;     /* groups x numbers, */
    double **values;               /* and their values by points */
    struct text out;
    wb_status status;
};

static wb_status fail(const struct plot *plot, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static wb_status fail(const struct plot *plot, const char *where, const char *format, ...) {
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnose(plot->diagnostics, SEVERITY_ERROR, where, "%s", message);
    return WB_ERR_INPUT;
}

/* ---- What is shown ---------------------------------------------------------------------------------------
 */

/* The column of a parameter; the number of columns, with an error, where there is none. */
static size_t find_column(struct plot *plot, const char *option, const char *name) {
    const size_t column = stored_column(&plot->stored, name);
    if (column < plot->stored.columns.count) return column;
    const char *nearest = wb_nearest_name(name, plot->stored.columns.items, plot->stored.columns.count);
    plot->status = fail(plot, option, "no unit has a parameter '%.60s'%s%s%s", name,
                        nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                        nearest != NULL ? "'?" : "");
    return column;
}

/* Whether the unit matches "NAME=PATTERN". */
static bool matches(struct plot *plot, const struct stored_unit *unit, const char *condition) {
    const char *equals = strchr(condition, '=');
    if (equals == NULL) {
        plot->status = fail(plot, "--where", "expected NAME=VALUE, got '%.60s'", condition);
        return false;
    }
    const size_t column =
        find_column(plot, "--where", arena_string(plot->arena, condition, (size_t)(equals - condition)));
    if (plot->status != WB_OK || unit->values[column] == NULL) return false;
    return fnmatch(equals + 1, unit->values[column], 0) == 0;
}

static void choose_units(struct plot *plot) {
    for (size_t i = 0; i < plot->stored.units.count && plot->status == WB_OK; i++) {
        const struct stored_unit *unit = &plot->stored.units.items[i];
        bool is_shown = unit->values[plot->x] != NULL;
        for (size_t w = 0; w < plot->options->where_count && is_shown; w++)
            is_shown = matches(plot, unit, plot->options->where[w]);
        if (is_shown) arena_push(plot->arena, &plot->units, *unit);
    }
    if (plot->status == WB_OK && plot->units.count == 0)
        plot->status = fail(plot, "sweep plot", "there is no such unit");
}

/* Adds a text that is not in the list yet; its index. */
static size_t add_once(struct plot *plot, text_list *texts, const char *text) {
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->items[i], text) == 0) return i;
    arena_push(plot->arena, texts, text);
    return texts->count - 1;
}

/* Whether the units that are shown differ in a parameter. */
static bool varies(const struct plot *plot, size_t column) {
    const char *first = plot->units.items[0].values[column];
    for (size_t i = 1; i < plot->units.count; i++)
        if (stored_compare(first, plot->units.items[i].values[column]) != 0) return true;
    return false;
}

/* A name of a file without folders and ending, which is what pictures have room for. */
static const char *short_name(const struct plot *plot, const char *name) {
    const char *slash = strrchr(name, '/'), *base = slash != NULL ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    return slash == NULL || dot == NULL ? name : arena_string(plot->arena, base, (size_t)(dot - base));
}

/* What tells a unit apart from others at the same x; `is_short`: for the legend. */
static const char *group_of(const struct plot *plot, const struct stored_unit *unit, const bool *varying,
                            bool is_short) {
    struct text group = {.arena = plot->arena};
    for (size_t c = 0; c < plot->stored.columns.count; c++) {
        const char *value = unit->values[c] != NULL ? unit->values[c] : "-";
        if (!varying[c] || c == plot->x) continue;
        text_printf(&group, "%s%s", group.length > 0 ? " " : "", is_short ? short_name(plot, value) : value);
    }
    return text_take(&group);
}

static int compare_points(const void *a, const void *b) {
    return stored_compare(*(const char *const *)a, *(const char *const *)b);
}

/* --of, or what every unit with a result has. */
static void choose_numbers(struct plot *plot) {
    const char *list = plot->options->of != NULL ? plot->options->of : "bound,slowest";
    for (;; list++) {
        const size_t length = strcspn(list, ",");
        (void)add_once(plot, &plot->numbers, arena_string(plot->arena, list, length));
        list += length;
        if (*list == '\0') break;
    }
    if (plot->numbers.count > NUMBERS_MAX)
        plot->status = fail(plot, "--of", "more than %u names", NUMBERS_MAX);
}

/* ---- Values ----------------------------------------------------------------------------------------------
 */

/* Where numbers of a unit go. */
struct number_reader {
    struct plot *plot;
    const struct stored_unit *unit;
    double values[NUMBERS_MAX]; /* NaN: not seen yet */
};

/* Notes the kind of a number for the legend: one that is proven must not look like one that is not. */
static void note_kind(struct plot *plot, size_t index, const char *kind) {
    for (unsigned k = WB_EXACT; k <= WB_ESTIMATE; k++)
        if (strcmp(wb_kind_name((wb_kind)k), kind) == 0) plot->kinds[index] |= 1u << k;
}

/* The first number of a name counts that is of what the verdict is of. */
static void take_number(void *context, const struct outcome_number *number) {
    struct number_reader *reader = context;
    if (!number->has_cycles || strcmp(number->scope, reader->unit->scope) != 0) return;
    for (size_t i = 0; i < reader->plot->numbers.count; i++) {
        if (strcmp(reader->plot->numbers.items[i], number->name) != 0 || !isnan(reader->values[i])) continue;
        reader->values[i] = (double)number->cycles;
        note_kind(reader->plot, i, number->kind);
    }
}

static void read_values(struct number_reader *reader) {
    struct plot *plot = reader->plot;
    bool has_names = false;
    for (size_t i = 0; i < plot->numbers.count; i++) {
        const bool is_bound = strcmp(plot->numbers.items[i], "bound") == 0;
        const bool is_slowest = strcmp(plot->numbers.items[i], "slowest") == 0;
        const int64_t cycles = is_bound ? reader->unit->bound : is_slowest ? reader->unit->slowest : -1;
        reader->values[i] = cycles >= 0 ? (double)cycles : NAN;
        has_names |= !is_bound && !is_slowest;
    }
    if (has_names)
        plot->status = stored_numbers(plot->results, reader->unit, plot->diagnostics, take_number, reader);
}

static size_t index_of(const text_list *texts, const char *text) {
    size_t i = 0;
    while (strcmp(texts->items[i], text) != 0)
        i++;
    return i;
}

/* A series for each number of each group, without values yet. */
static void make_series(struct plot *plot) {
    const size_t groups = plot->groups.count, numbers = plot->numbers.count;
    plot->series = arena_array(plot->arena, groups * numbers, sizeof *plot->series);
    plot->values = arena_array(plot->arena, groups * numbers, sizeof *plot->values);
    for (size_t s = 0; s < groups * numbers; s++) {
        plot->values[s] = arena_array(plot->arena, plot->points.count, sizeof(double));
        for (size_t p = 0; p < plot->points.count; p++)
            plot->values[s][p] = NAN;
        plot->series[s] = (struct svg_series){
            .values = plot->values[s],
            .colour = (unsigned)(groups > 1 ? s / numbers : s % numbers),
            .dashed = groups > 1 && s % numbers > 0,
        };
    }
}

static void fill_series(struct plot *plot, const bool *varying) {
    for (size_t i = 0; i < plot->units.count && plot->status == WB_OK; i++) {
        struct number_reader reader = {.plot = plot, .unit = &plot->units.items[i]};
        const size_t group = index_of(&plot->groups, group_of(plot, reader.unit, varying, false));
        const size_t point = index_of(&plot->points, reader.unit->values[plot->x]);
        read_values(&reader);
        for (size_t n = 0; n < plot->numbers.count; n++)
            plot->values[group * plot->numbers.count + n][point] = reader.values[n];
    }
}

/* "saxpy: k-area (upper)" */
static void name_series(struct plot *plot) {
    const size_t numbers = plot->numbers.count;
    for (size_t s = 0; s < plot->groups.count * numbers; s++) {
        const char *group = plot->labels.items[s / numbers], *separator = " (";
        struct text name = {.arena = plot->arena};
        text_printf(&name, "%s%s%s", group, group[0] != '\0' ? ": " : "", plot->numbers.items[s % numbers]);
        for (unsigned k = WB_EXACT; k <= WB_ESTIMATE; k++) {
            if ((plot->kinds[s % numbers] & 1u << k) == 0) continue;
            text_printf(&name, "%s%s", separator, wb_kind_name((wb_kind)k));
            separator = ", ";
        }
        if (plot->kinds[s % numbers] != 0) text_char(&name, ')');
        plot->series[s].name = text_take(&name);
    }
}

/* ---- The picture -----------------------------------------------------------------------------------------
 */

static bool are_numbers(const text_list *texts) {
    double value;
    for (size_t i = 0; i < texts->count; i++)
        if (!number_f64(texts->items[i], strlen(texts->items[i]), &value)) return false;
    return true;
}

/* More lines than there are looks cannot be told apart. */
static void check_series(struct plot *plot) {
    const size_t groups = plot->groups.count, numbers = plot->numbers.count;
    const size_t looks = groups > 1 ? groups : numbers;
    if (looks > SVG_COLOURS || (groups > 1 && numbers > 2))
        plot->status =
            fail(plot, "sweep plot",
                 "%zu lines cannot be told apart in one picture: choose fewer units with --where NAME=VALUE, "
                 "or fewer numbers with --of",
                 groups * numbers);
    size_t values = 0;
    for (size_t s = 0; s < groups * numbers && plot->status == WB_OK; s++)
        for (size_t p = 0; p < plot->points.count; p++)
            values += !isnan(plot->values[s][p]);
    if (plot->status == WB_OK && values == 0)
        plot->status = fail(plot, "sweep plot", "none of these units has such a number");
}

static void draw(struct plot *plot) {
    const bool bars = plot->points.count < 2 || !are_numbers(&plot->points);
    const char **labels = arena_array(plot->arena, plot->points.count, sizeof *labels);
    struct text title = {.arena = plot->arena};
    for (size_t i = 0; i < plot->points.count; i++)
        labels[i] = bars ? short_name(plot, plot->points.items[i]) : plot->points.items[i];
    text_printf(&title, "Cycles over %s", plot->options->x);
    const struct svg_chart chart = {
        .bars = bars,
        .title = text_take(&title),
        .x_title = plot->options->x,
        .y_title = "cycles",
        .x_labels = labels,
        .point_count = plot->points.count,
        .series = plot->series,
        .series_count = plot->groups.count * plot->numbers.count,
    };
    svg_chart(&plot->out, &chart);
}

/* Groups and points of the units that are shown. */
static void divide_units(struct plot *plot, bool *varying) {
    for (size_t c = 0; c < plot->stored.columns.count; c++)
        varying[c] = varies(plot, c);
    for (size_t i = 0; i < plot->units.count; i++) {
        (void)add_once(plot, &plot->points, plot->units.items[i].values[plot->x]);
        const size_t before = plot->groups.count;
        if (add_once(plot, &plot->groups, group_of(plot, &plot->units.items[i], varying, false)) == before)
            arena_push(plot->arena, &plot->labels, group_of(plot, &plot->units.items[i], varying, true));
    }
    qsort(plot->points.items, plot->points.count, sizeof *plot->points.items, compare_points);
}

static void make_plot(void *context) {
    struct plot *plot = context;
    plot->x = find_column(plot, "--x", plot->options->x);
    if (plot->status == WB_OK) choose_units(plot);
    if (plot->status == WB_OK) choose_numbers(plot);
    if (plot->status != WB_OK) return;
    bool *varying = arena_array(plot->arena, plot->stored.columns.count, sizeof *varying);
    divide_units(plot, varying);
    make_series(plot);
    fill_series(plot, varying);
    name_series(plot);
    if (plot->status == WB_OK) check_series(plot);
    if (plot->status == WB_OK) draw(plot);
}

wb_status wb_results_plot(const wb_results *results, const wb_plot_options *options,
                          wb_diagnostics *diagnostics, char **svg) {
    struct arena arena = {0};
    struct plot plot = {.results = results, .diagnostics = diagnostics, .arena = &arena};
    wb_plot_options own;
    wb_status status = OPTIONS_TAKE(wb_plot_options, options, &own, diagnostics);
    plot.options = &own;
    if (status == WB_OK) status = stored_read(results, &arena, diagnostics, &plot.stored);
    if (status == WB_OK && arena_protect(&arena, make_plot, &plot) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, "sweep plot");
    if (status == WB_OK) status = plot.status;
    status = report_take(status, &plot.out, diagnostics, svg);
    arena_free(&arena);
    return status;
}
