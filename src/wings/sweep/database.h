/* Results of sweeps in an SQLite database (docs/sweep.md has its tables). */
#ifndef WB_WINGS_SWEEP_DATABASE_H
#define WB_WINGS_SWEEP_DATABASE_H

#include <jansson.h>
#include <sqlite3.h>

#include "base/base.h"
#include "warpbound_sweep.h"

/* ---- What became of a unit (outcome.c) ---- */

/* What is no number of cycles (base/base.h): there is none. */
#define NO_CYCLES UINT64_MAX

/* A number of the report, or that a method or a policy has none. */
struct outcome_number {
    const char *scope; /* "kernel", "block"; of a list of launches "kernel 1", ... */
    const char *data;  /* "given", or "any": it holds for all data */
    const char *what;  /* "bound", "simulation" */
    const char *name;  /* of the method or the policy */
    const char *kind;  /* "upper", ..., of those without a number "declined", "limit", "left out" */
    bool has_cycles;
    uint64_t cycles, lower; /* lower: 0 where nothing is known */
    const char *note;       /* why it is an estimate, or none; or NULL */
};

struct outcome {
    const char *status;                /* "done", "declined", "refused", "limit", "crashed",
                                          "contradiction" */
    const char *message;               /* the first error, or NULL */
    const char *state;                 /* of the verdict, or NULL: there is no report */
    const char *scope, *method;        /* of the verdict, or NULL */
    uint64_t bound, slowest, deadline; /* cycles; NO_CYCLES: there is none */
    VEC(struct outcome_number) numbers;
};

/* Parses a report; NULL where the text is no JSON. Whole numbers of more than 63 bits, which the parser does
 * not take, become strings. */
json_t *outcome_parse(const char *report, size_t size);

/* Reads what a run left behind, into `arena`, which is protected. `report` is its standard output, NULL where
 * that is not JSON. */
struct outcome outcome_read(const wb_run *run, const json_t *report, struct arena *arena);

/* ---- The database ---- */

struct wb_results {
    sqlite3 *database;
    char *path;
    bool write;
    bool has_log; /* a write-ahead log was asked for */
};

/* The text of a column, "" where it is null. */
static inline const char *column_text(sqlite3_stmt *statement, int column) {
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text == NULL ? "" : (const char *)text;
}

/* Reports what SQLite says; always WB_ERR_INPUT, of a lack of memory WB_ERR_LIMIT. */
wb_status database_error(const struct wb_results *results, wb_diagnostics *diagnostics);

/* Gives up what this process has claimed (claim.c). */
void claims_drop(const wb_results *results);

/* The status behind a message that something failed: WB_ERR_LIMIT where memory was exhausted. */
wb_status database_failed(const wb_diagnostics *diagnostics);

/* Prepares a statement; NULL with a message where it cannot. */
sqlite3_stmt *database_prepare(const struct wb_results *results, const char *sql,
                               wb_diagnostics *diagnostics);

/* Executes statements that have no rows. */
wb_status database_execute(const struct wb_results *results, const char *sql, wb_diagnostics *diagnostics);

/* ---- What is in it (stored.c), in an order that does not depend on the order in which it came there ---- */

struct stored_unit {
    int64_t number; /* in the database */
    const char *id;
    const char *status, *message, *state, *scope, *method; /* "" where there is none */
    uint64_t bound, slowest, deadline;                     /* NO_CYCLES: there is none */
    const char **values; /* of the columns; NULL: it has no such parameter */
};

struct stored_units {
    VEC(const char *) columns;     /* names of all parameters, as axis_compare has them */
    VEC(struct stored_unit) units; /* by their values, numbers by size */
};

/* Reads all units into `arena`. */
wb_status stored_read(const wb_results *results, struct arena *arena, wb_diagnostics *diagnostics,
                      struct stored_units *stored);

/* The index of a column, or the number of columns; the latter with an error that says what `option` meant. */
size_t stored_column(const struct stored_units *stored, const char *name);
size_t stored_named_column(const struct stored_units *stored, const char *option, const char *name,
                           wb_diagnostics *diagnostics);

/* Keeps the units that match all of `where`: "NAME=PATTERN" of a parameter, of "status" or of "verdict". */
wb_status stored_choose(struct stored_units *stored, const char *const *where, size_t count,
                        wb_diagnostics *diagnostics);

/* Two values of a parameter: numbers by size, before words by their bytes; NULL first. */
int stored_compare(const char *a, const char *b);

/* Calls `each` for the numbers of a unit, in the order of its report. The texts are good until it returns. */
wb_status stored_numbers(const wb_results *results, const struct stored_unit *unit,
                         wb_diagnostics *diagnostics,
                         void (*each)(void *context, const struct outcome_number *number), void *context);

#endif
