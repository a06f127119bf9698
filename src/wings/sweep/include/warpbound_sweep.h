#ifndef WARPBOUND_SWEEP_H
#define WARPBOUND_SWEEP_H

#include "warpbound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sweeps: many analyses
 * ---------------------------------------------------------------------------------
 */

/* A YAML file that names many analyses as products of parameters (docs/sweep.md). */
typedef struct wb_sweep wb_sweep;

/* Reads a sweep file. Patterns of files are looked up, and all that can be checked without an analysis is. */
wb_status wb_sweep_read(const char *path, wb_diagnostics *diagnostics, wb_sweep **sweep);
void wb_sweep_free(wb_sweep *sweep);

/* The memory limit of units where the file has none; 0: none. */
void wb_sweep_limit_memory(wb_sweep *sweep, uint64_t bytes);

/* The same of their time. */
void wb_sweep_limit_time(wb_sweep *sweep, double seconds);

typedef struct {
    const char *name, *value;
} wb_parameter;

/* One analysis of a sweep: arguments of the command, to be run in a folder, since paths are relative to it.
 */
typedef struct {
    const char *name;   /* its parameters, for people */
    const char *folder; /* owned by the sweep */
    const char *const *arguments;
    size_t argument_count;
    const wb_parameter *parameters;
    size_t parameter_count;
    double time_limit;             /* seconds, which are among the arguments; 0: none */
    uint64_t memory_limit;         /* bytes of its address space; 0: none */
    char id[WB_SHA256_DIGITS + 1]; /* of the parameters */
    char
        key[WB_SHA256_DIGITS + 1]; /* of the parameters, the files behind them and the build of the library */
} wb_sweep_unit;

/* How many units there are; walks all of them. */
uint64_t wb_sweep_count(const wb_sweep *sweep);

/* The next unit, which the caller frees before the sweep; NULL behind the last one. Past the next `count`
 * units, which takes much less time. And back to the first. */
wb_status wb_sweep_next(wb_sweep *sweep, wb_diagnostics *diagnostics, wb_sweep_unit **unit);
void wb_sweep_skip(wb_sweep *sweep, uint64_t count);
void wb_sweep_rewind(wb_sweep *sweep);
void wb_sweep_unit_free(wb_sweep_unit *unit);

/* Results of units, in an SQLite database. */
typedef struct wb_results wb_results;

/* Opens a database; to `write`, where there is none it is made. WB_ERR_INPUT for what is no such database. */
wb_status wb_results_open(const char *path, bool write, wb_diagnostics *diagnostics, wb_results **results);
void wb_results_free(wb_results *results);

/* What became of a unit. */
typedef struct {
    bool done;         /* there is a report */
    bool missed;       /* there is a deadline, and it is not proven to be met */
    bool contradicted; /* its verdict is WB_CONTRADICTION */
} wb_outcome;

/* Whether the database has what became of the unit, with the same files and the same build: a result, or a
 * failure within limits that are no narrower, unless those are to be tried again (`retry`). *outcome is then
 * set. */
wb_status wb_results_has(const wb_results *results, const wb_sweep_unit *unit, bool retry,
                         wb_diagnostics *diagnostics, bool *has, wb_outcome *outcome);

/* How many units the database has, and how long they took: seconds of all of them together. */
wb_status wb_results_cost(const wb_results *results, wb_diagnostics *diagnostics, uint64_t *units,
                          double *seconds);

/* Forgets what is kept of units of the sweep that have no result, as if they had not been run. */
wb_status wb_results_forget_failures(wb_results *results, wb_sweep *sweep, wb_diagnostics *diagnostics);

typedef enum {
    WB_CLAIM_KNOWN, /* the database has what became of the unit, as wb_results_has */
    WB_CLAIM_OWN,   /* it is this process's to run: others that ask get the next answer, until there is a
                       result, the results are freed or the process ends */
    WB_CLAIM_OTHER  /* another process of this machine has it */
} wb_claim;

/* Asks whether a unit is to be run, in a database that several processes may write to; *outcome is set of
 * what is known. */
wb_status wb_results_claim(wb_results *results, const wb_sweep_unit *unit, bool retry,
                           wb_diagnostics *diagnostics, wb_claim *claimed, wb_outcome *outcome);

/* How a unit ended. */
typedef struct {
    int exit_status;
    int signal;         /* that ended it; 0: none did */
    const char *report; /* its standard output, */
    size_t report_size;
    const char *messages; /* and its standard error */
    double seconds;
} wb_run;

/* Keeps what became of a unit in place of what was kept of it before: all of it or, when the process ends on
 * the way, nothing. */
wb_status wb_results_add(wb_results *results, const wb_sweep_unit *unit, const wb_run *run,
                         wb_diagnostics *diagnostics, wb_outcome *outcome);

typedef enum {
    WB_RESULTS_MARKDOWN,   /* a table with a line for each unit */
    WB_RESULTS_CSV,        /* a line for each number */
    WB_RESULTS_JSON,       /* a document */
    WB_RESULTS_JSON_LINES, /* a line for each unit */
    WB_RESULTS_JUNIT       /* a test case for each unit */
} wb_results_format;

/* All results, in an order that does not depend on that in which they were found; of those units alone that
 * match all of `where`: "NAME=PATTERN" of a parameter, of "status" or of "verdict". */
wb_status wb_results_report(const wb_results *results, wb_results_format format, const char *const *where,
                            size_t where_count, const wb_writer *writer, wb_diagnostics *diagnostics);

/* Two databases compared unit by unit, as a table in Markdown: what became of the least proven bounds.
 * *worse: a bound has grown by more than `most` percent, or is not there any more. */
wb_status wb_results_diff(const wb_results *before, const wb_results *after, double most,
                          wb_diagnostics *diagnostics, char **text, bool *worse);

/* Puts what other databases have into this one. Of a unit that several have, one with a result counts, and of
 * two of them that of the database that is named last. A few databases are merged together, all of them or
 * none. */
wb_status wb_results_merge(wb_results *results, const char *const *paths, size_t count,
                           wb_diagnostics *diagnostics);

typedef struct {
    size_t size;              /* sizeof(wb_plot_options) */
    const char *x;            /* the parameter on the horizontal axis; or, with `y`, a number */
    const char *of;           /* numbers, separated by commas: "bound", "slowest", or names of methods and
                                 policies; NULL: "bound,slowest", of a heat map "bound" */
    const char *const *where; /* as in wb_results_report */
    size_t where_count;
    const char *y;   /* a second parameter: a heat map; a second number: a point for each unit; or NULL */
    const char *by;  /* of such points: the parameter that their colours are of; or NULL */
    const char *log; /* "x", "cycles" or both, separated by a comma: axes that are logarithmic; or NULL */
    const char *title, *x_title, *y_title; /* in place of the usual ones; or NULL */
} wb_plot_options;

/* Numbers over a parameter, as a picture (SVG): lines, or bars where its values are no numbers; a heat map
 * over two parameters; or one number against another. */
wb_status wb_results_plot(const wb_results *results, const wb_plot_options *options,
                          wb_diagnostics *diagnostics, char **svg);

#ifdef __cplusplus
}
#endif

#endif
