#include "wings/sweep/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "report/write/output.h"
#include "wings/sweep/sweep.h"

void plot_fail(struct plot *plot, const char *where, const char *format, ...) {
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    (void)text_vformat(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnose(plot->diagnostics, SEVERITY_ERROR, where, "%s", message);
    plot->status = WB_ERR_INPUT;
}

/* ---- Units -----------------------------------------------------------------------------------------------
 */

size_t plot_column(struct plot *plot, const char *option, const char *name) {
    const size_t column = stored_named_column(&plot->stored, option, name, plot->diagnostics);
    if (column == plot->stored.columns.count) plot->status = WB_ERR_INPUT;
    return column;
}

void plot_choose(struct plot *plot, const size_t *columns, size_t count) {
    for (size_t i = 0; i < plot->stored.units.count; i++) {
        const struct stored_unit *unit = &plot->stored.units.items[i];
        bool is_shown = true;
        for (size_t c = 0; c < count; c++)
            is_shown &= unit->values[columns[c]] != NULL;
        if (is_shown) arena_push(plot->arena, &plot->units, *unit);
    }
    if (plot->units.count == 0) plot_fail(plot, "sweep plot", "there is no such unit");
}

bool plot_varies(const struct plot *plot, size_t column) {
    const char *first = plot->units.items[0].values[column];
    for (size_t i = 1; i < plot->units.count; i++)
        if (stored_compare(first, plot->units.items[i].values[column]) != 0) return true;
    return false;
}

static int compare_texts(const void *a, const void *b) {
    return stored_compare(*(const char *const *)a, *(const char *const *)b);
}

text_list plot_values(struct plot *plot, size_t column) {
    const size_t count = plot->units.count;
    const char **all = arena_array(plot->arena, count, sizeof *all);
    text_list values = {0};
    for (size_t i = 0; i < count; i++)
        all[i] = plot->units.items[i].values[column];
    qsort(all, count, sizeof *all, compare_texts);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(all[i - 1], all[i]) != 0) arena_push(plot->arena, &values, all[i]);
    return values;
}

size_t plot_index(const text_list *texts, const char *text) {
    size_t i = 0;
    while (strcmp(texts->items[i], text) != 0)
        i++;
    return i;
}

const char *plot_short_name(const struct plot *plot, const char *name) {
    const char *slash = strrchr(name, '/'), *base = slash != NULL ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    return slash == NULL || dot == NULL ? name : arena_string(plot->arena, base, (size_t)(dot - base));
}

const char **plot_short_names(struct plot *plot, const text_list *names) {
    const char **shorter = arena_array(plot->arena, names->count, sizeof *shorter);
    for (size_t i = 0; i < names->count; i++)
        shorter[i] = plot_short_name(plot, names->items[i]);
    return shorter;
}

double plot_number(const char *text) {
    double value = NAN;
    (void)number_f64(text, strlen(text), &value);
    return value;
}

bool plot_are_numbers(const text_list *texts) {
    for (size_t i = 0; i < texts->count; i++)
        if (!isfinite(plot_number(texts->items[i]))) return false;
    return true;
}

/* ---- Numbers ---------------------------------------------------------------------------------------------
 */

void plot_name_numbers(struct plot *plot, const char *list) {
    for (;; list++) {
        const size_t length = strcspn(list, ",");
        const char *name = arena_string(plot->arena, list, length);
        bool is_new = true;
        for (size_t i = 0; i < plot->numbers.count; i++)
            is_new &= strcmp(plot->numbers.items[i], name) != 0;
        if (is_new) arena_push(plot->arena, &plot->numbers, name);
        list += length;
        if (*list == '\0') break;
    }
    if (plot->numbers.count > PLOT_NUMBERS_MAX)
        plot_fail(plot, "--of", "more than %u names", PLOT_NUMBERS_MAX);
}

/* Where numbers of a unit go. */
struct number_reader {
    struct plot *plot;
    const struct stored_unit *unit;
    double *values; /* NaN: not seen yet */
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
        const char *asked = reader->plot->numbers.items[i];
        const bool is_it =
            strcmp(asked, number->name) == 0 || strcmp(wb_method_of_word(asked), number->name) == 0;
        if (!is_it || !isnan(reader->values[i])) continue;
        reader->values[i] = (double)number->cycles;
        note_kind(reader->plot, i, number->kind);
    }
}

void plot_read_numbers(struct plot *plot, const struct stored_unit *unit, double values[PLOT_NUMBERS_MAX]) {
    struct number_reader reader = {plot, unit, values};
    bool has_names = false;
    for (size_t i = 0; i < plot->numbers.count; i++) {
        const bool is_bound = strcmp(plot->numbers.items[i], "bound") == 0;
        const bool is_slowest = strcmp(plot->numbers.items[i], "slowest") == 0;
        const uint64_t cycles = is_bound ? unit->bound : is_slowest ? unit->slowest : NO_CYCLES;
        values[i] = cycles != NO_CYCLES ? (double)cycles : NAN;
        has_names |= !is_bound && !is_slowest;
    }
    if (has_names) {
        const wb_status status = stored_numbers(plot->results, unit, plot->diagnostics, take_number, &reader);
        if (status != WB_OK) plot->status = status;
    }
    for (size_t i = 0; i < plot->numbers.count; i++)
        if (plot->logarithmic_cycles && values[i] <= 0) values[i] = NAN;
}

/* ---- Titles ----------------------------------------------------------------------------------------------
 */

const char *plot_kinds(const struct plot *plot, size_t number) {
    struct text kinds = {.arena = plot->arena};
    for (unsigned k = WB_EXACT; k <= WB_ESTIMATE; k++)
        if ((plot->kinds[number] & 1u << k) != 0)
            text_printf(&kinds, "%s%s", kinds.length > 0 ? ", " : " (", wb_kind_name((wb_kind)k));
    if (kinds.length > 0) text_char(&kinds, ')');
    return text_take(&kinds);
}

static const char least_bound[] = "least proven bound", slowest_found[] = "slowest execution found";

const char *plot_number_title(const struct plot *plot, size_t number) {
    const char *name = plot->numbers.items[number];
    struct text title = {.arena = plot->arena};
    if (strcmp(name, "bound") == 0) return least_bound;
    if (strcmp(name, "slowest") == 0) return slowest_found;
    text_printf(&title, "%s%s", name, plot_kinds(plot, number));
    return text_take(&title);
}

void plot_begin_title(struct text *title) {
    const char *const words[] = {least_bound, slowest_found};
    for (size_t i = 0; i < 2; i++)
        if (strncmp(title->data, words[i], strlen(words[i])) == 0)
            title->data[0] = (char)(title->data[0] - 'a' + 'A');
}

const char *plot_parameter_title(const struct plot *plot, const char *name) {
    const char *unit = axis_unit(name);
    struct text title = {.arena = plot->arena};
    if (unit == NULL) return name;
    text_printf(&title, "%s, %s", name, unit);
    return text_take(&title);
}

const char *plot_title(const char *given, const char *usual) {
    return given != NULL ? given : usual;
}

/* ---- The picture -----------------------------------------------------------------------------------------
 */

static void read_log(struct plot *plot) {
    for (const char *at = plot->options->log; at != NULL && plot->status == WB_OK;) {
        const size_t length = strcspn(at, ",");
        const bool is_x = length == 1 && at[0] == 'x',
                   is_cycles = length == 6 && memcmp(at, "cycles", 6) == 0;
        plot->logarithmic_x |= is_x;
        plot->logarithmic_cycles |= is_cycles;
        if (!is_x && !is_cycles) plot_fail(plot, "--log", "expected x, cycles or both, got '%.60s'", at);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
}

/* Which picture the names of the axes mean. */
static void draw(void *context) {
    struct plot *plot = context;
    const size_t none = plot->stored.columns.count;
    const char *x = plot->options->x, *y = plot->options->y;
    read_log(plot);
    if (plot->status != WB_OK) return;
    const bool is_scatter =
        y != NULL && stored_column(&plot->stored, x) == none && stored_column(&plot->stored, y) == none;
    if (is_scatter)
        plot_scatter(plot);
    else if (plot->options->by != NULL)
        plot_fail(plot, "--by", "points of two numbers have colours by a parameter, other pictures have not");
    else if (y != NULL)
        plot_heat(plot);
    else
        plot_lines(plot);
}

wb_status wb_results_plot(const wb_results *results, const wb_plot_options *options,
                          wb_diagnostics *diagnostics, char **svg) {
    struct arena arena = {0};
    struct plot plot = {.results = results, .diagnostics = diagnostics, .arena = &arena};
    wb_plot_options own;
    wb_status status = OPTIONS_TAKE(wb_plot_options, options, &own, diagnostics);
    plot.options = &own;
    if (status == WB_OK) status = stored_read(results, &arena, diagnostics, &plot.stored);
    if (status == WB_OK) status = stored_choose(&plot.stored, own.where, own.where_count, diagnostics);
    if (status == WB_OK && arena_protect(&arena, draw, &plot) != WB_OK)
        status = diagnose_out_of_memory(diagnostics, "sweep plot");
    if (status == WB_OK) status = plot.status;
    status = report_take(status, &plot.out, diagnostics, svg);
    arena_free(&arena);
    return status;
}
