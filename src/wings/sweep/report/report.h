/* What reports and pictures of results share. */
#ifndef WB_WINGS_SWEEP_REPORT_REPORT_H
#define WB_WINGS_SWEEP_REPORT_REPORT_H

#include "base/base.h"
#include "wings/sweep/database.h"

/* Appends the text of a cell of a table in Markdown: no text of it ends the cell, or begins HTML. */
void show_put_cell(struct text *out, const char *text);

/* ---- Pictures (plot.c): lines or bars over a parameter, a heat map over two, points of two numbers ---- */

/* Most numbers of one unit in a picture. */
#define PLOT_NUMBERS_MAX 16u

typedef VEC(const char *) text_list;

/* A picture in the making. */
struct plot {
    const wb_results *results;
    const wb_plot_options *options;
    wb_diagnostics *diagnostics;
    struct arena *arena; /* protected, as a pass */
    struct stored_units stored;
    VEC(struct stored_unit) units;    /* that are shown */
    text_list numbers;                /* of each unit: "bound", "slowest", names of methods and policies */
    unsigned kinds[PLOT_NUMBERS_MAX]; /* of the values of each of `numbers`: a bit for each enum wb_kind */
    bool logarithmic_x, logarithmic_cycles;
    struct text out;
    wb_status status;
};

/* Each draws its picture, or leaves an error. */
void plot_lines(struct plot *plot);
void plot_heat(struct plot *plot);
void plot_scatter(struct plot *plot);

/* Leaves an error. */
void plot_fail(struct plot *plot, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The column of a parameter that an option names; the number of columns, with an error, where there is none.
 */
size_t plot_column(struct plot *plot, const char *option, const char *name);

/* Takes the units that have these two parameters; none is an error. */
void plot_choose(struct plot *plot, const size_t *columns, size_t count);

/* Sets which numbers are read of each unit: names, separated by commas. */
void plot_name_numbers(struct plot *plot, const char *list);

/* Reads the numbers of a unit; NaN: it has none, or none that the picture can show. */
void plot_read_numbers(struct plot *plot, const struct stored_unit *unit, double values[PLOT_NUMBERS_MAX]);

/* " (upper, estimate)": of which kinds the values of a number are, that were read; "" of the least bound and
 * the slowest execution, which say it themselves. */
const char *plot_kinds(const struct plot *plot, size_t number);

/* The label of a number beside an axis: "least proven bound", "k-area (upper)". */
const char *plot_number_title(const struct plot *plot, size_t number);

/* Begins a title with a capital letter, unless it is the name of a method or a policy. */
void plot_begin_title(struct text *title);

/* The label of a parameter beside an axis, with its unit: "mem_latency, cycles". */
const char *plot_parameter_title(const struct plot *plot, const char *name);

/* `given`, what the options say, or else `usual`. */
const char *plot_title(const char *given, const char *usual);

/* The different values of a parameter, in order. */
text_list plot_values(struct plot *plot, size_t column);

/* Whether the units that are shown differ in a parameter. */
bool plot_varies(const struct plot *plot, size_t column);

/* The index of a text that is in the list. */
size_t plot_index(const text_list *texts, const char *text);

/* A name of a file without folders and ending, which is what pictures have room for. */
const char *plot_short_name(const struct plot *plot, const char *name);

/* These of all texts. */
const char **plot_short_names(struct plot *plot, const text_list *names);

/* Whether all of the texts are finite numbers. */
bool plot_are_numbers(const text_list *texts);

/* The number that a text is. */
double plot_number(const char *text);

#endif
