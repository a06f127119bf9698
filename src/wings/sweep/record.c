/* Writing results: what is known already, and what became of a unit. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/base.h"
#include "wings/sweep/database.h"

/* ---- What is known ---------------------------------------------------------------------------------------
 */

/* Whether a unit with such a status has to run again: its limits are wider than those that ended it. */
static bool is_wider(sqlite3_stmt *row, const wb_sweep_unit *unit) {
    const double seconds = sqlite3_column_double(row, 2);
    const int64_t bytes = sqlite3_column_int64(row, 3);
    const bool more_time = seconds > 0 && (unit->time_limit <= 0 || unit->time_limit > seconds);
    const bool more_memory = bytes > 0 && (unit->memory_limit == 0 || (int64_t)unit->memory_limit > bytes);
    return more_time || more_memory;
}

static wb_outcome outcome_of(const wb_sweep_unit *unit, const char *status, const char *state,
                             bool has_deadline) {
    for (size_t i = 0; i < unit->parameter_count; i++)
        has_deadline |= strcmp(unit->parameters[i].name, "deadline") == 0;
    return (wb_outcome){.done = strcmp(status, "done") == 0,
                        .missed = has_deadline && (strcmp(status, "done") != 0 || strcmp(state, "met") != 0),
                        .contradicted = strcmp(state, "contradiction") == 0};
}

wb_status wb_results_has(const wb_results *results, const wb_sweep_unit *unit, bool retry,
                         wb_diagnostics *diagnostics, bool *has, wb_outcome *outcome) {
    sqlite3_stmt *row = database_prepare(
        results, "SELECT key, status, time_limit, memory_limit, state, deadline FROM unit WHERE id = ?",
        diagnostics);
    *has = false;
    if (row == NULL) return database_failed(diagnostics);
    (void)sqlite3_bind_text(row, 1, unit->id, -1, SQLITE_STATIC);
    const int step = sqlite3_step(row);
    wb_status status =
        step == SQLITE_ROW || step == SQLITE_DONE ? WB_OK : database_error(results, diagnostics);
    if (step == SQLITE_ROW && strcmp(column_text(row, 0), unit->key) == 0) {
        *outcome = outcome_of(unit, column_text(row, 1), column_text(row, 4),
                              sqlite3_column_type(row, 5) != SQLITE_NULL);
        *has = outcome->done || (!retry && !is_wider(row, unit));
    }
    sqlite3_finalize(row);
    return status;
}

wb_status wb_results_cost(const wb_results *results, wb_diagnostics *diagnostics, uint64_t *units,
                          double *seconds) {
    sqlite3_stmt *row = database_prepare(results, "SELECT count(*), total(seconds) FROM unit", diagnostics);
    if (row == NULL) return database_failed(diagnostics);
    const wb_status status = sqlite3_step(row) == SQLITE_ROW ? WB_OK : database_error(results, diagnostics);
    if (status == WB_OK) {
        *units = (uint64_t)sqlite3_column_int64(row, 0);
        *seconds = sqlite3_column_double(row, 1);
    }
    sqlite3_finalize(row);
    return status;
}

/* ---- What became of a unit -------------------------------------------------------------------------------
 */

/* A transaction, in which the first error ends everything. */
struct recording {
    const wb_results *results;
    wb_diagnostics *diagnostics;
    wb_status status;
};

static sqlite3_stmt *begin_row(struct recording *recording, const char *sql) {
    if (recording->status != WB_OK) return NULL;
    sqlite3_stmt *row = database_prepare(recording->results, sql, recording->diagnostics);
    if (row == NULL) recording->status = database_failed(recording->diagnostics);
    return row;
}

static void end_row(struct recording *recording, sqlite3_stmt *row) {
    if (row != NULL && sqlite3_step(row) != SQLITE_DONE)
        recording->status = database_error(recording->results, recording->diagnostics);
    sqlite3_finalize(row);
}

/* Numbers of more than 63 bits are digits: SQLite has no such numbers, and orders texts behind all numbers.
 */
static void bind_count(sqlite3_stmt *row, int column, bool is_known, uint64_t value) {
    char digits[24];
    if (!is_known) {
        (void)sqlite3_bind_null(row, column);
    } else if (value <= INT64_MAX) {
        (void)sqlite3_bind_int64(row, column, (int64_t)value);
    } else {
        (void)text_format(digits, sizeof digits, "%" PRIu64, value);
        (void)sqlite3_bind_text(row, column, digits, -1, SQLITE_TRANSIENT);
    }
}

static void bind_text(sqlite3_stmt *row, int column, const char *text) {
    (void)sqlite3_bind_text(row, column, text, -1, SQLITE_STATIC);
}

/* Drops what was there of the unit, and the claim to it. */
static void forget(struct recording *recording, const char *id) {
    static const char *const statements[] = {
        "DELETE FROM number WHERE unit = (SELECT number FROM unit WHERE id = ?)",
        "DELETE FROM parameter WHERE unit = (SELECT number FROM unit WHERE id = ?)",
        "DELETE FROM unit WHERE id = ?",
        "DELETE FROM claim WHERE id = ?",
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        sqlite3_stmt *row = begin_row(recording, statements[i]);
        if (row != NULL) bind_text(row, 1, id);
        end_row(recording, row);
    }
}

static void put_unit(struct recording *recording, const wb_sweep_unit *unit, const wb_run *run,
                     const struct outcome *outcome) {
    char version[80];
    (void)text_format(version, sizeof version, "%s+%s", wb_version(), wb_build());
    sqlite3_stmt *row = begin_row(
        recording,
        "INSERT INTO unit(id, key, version, status, message, state, scope, method, bound, slowest, deadline,"
        " seconds, time_limit, memory_limit) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    if (row == NULL) return;
    bind_text(row, 1, unit->id);
    bind_text(row, 2, unit->key);
    bind_text(row, 3, version);
    bind_text(row, 4, outcome->status);
    bind_text(row, 5, outcome->message);
    bind_text(row, 6, outcome->state);
    bind_text(row, 7, outcome->scope);
    bind_text(row, 8, outcome->method);
    bind_count(row, 9, outcome->bound != NO_CYCLES, outcome->bound);
    bind_count(row, 10, outcome->slowest != NO_CYCLES, outcome->slowest);
    bind_count(row, 11, outcome->deadline != NO_CYCLES, outcome->deadline);
    (void)sqlite3_bind_double(row, 12, run->seconds);
    (void)sqlite3_bind_double(row, 13, unit->time_limit);
    (void)sqlite3_bind_int64(row, 14, (int64_t)unit->memory_limit);
    end_row(recording, row);
}

static void put_parameter(struct recording *recording, int64_t unit, size_t position,
                          const wb_parameter *parameter) {
    sqlite3_stmt *row = begin_row(recording, "INSERT INTO parameter VALUES(?,?,?,?)");
    if (row == NULL) return;
    (void)sqlite3_bind_int64(row, 1, unit);
    (void)sqlite3_bind_int64(row, 2, (int64_t)position);
    bind_text(row, 3, parameter->name);
    bind_text(row, 4, parameter->value);
    end_row(recording, row);
}

static void put_number(struct recording *recording, int64_t unit, size_t position,
                       const struct outcome_number *number) {
    sqlite3_stmt *row = begin_row(recording, "INSERT INTO number VALUES(?,?,?,?,?,?,?,?,?,?)");
    if (row == NULL) return;
    (void)sqlite3_bind_int64(row, 1, unit);
    (void)sqlite3_bind_int64(row, 2, (int64_t)position);
    bind_text(row, 3, number->scope);
    bind_text(row, 4, number->data);
    bind_text(row, 5, number->what);
    bind_text(row, 6, number->name);
    bind_text(row, 7, number->kind);
    bind_count(row, 8, number->has_cycles, number->cycles);
    bind_count(row, 9, number->has_cycles, number->lower);
    bind_text(row, 10, number->note);
    end_row(recording, row);
}

static void run_statement(struct recording *recording, const char *sql) {
    end_row(recording, begin_row(recording, sql));
}

static wb_status record(const wb_results *results, const wb_sweep_unit *unit, const wb_run *run,
                        const struct outcome *outcome, wb_diagnostics *diagnostics) {
    struct recording recording = {results, diagnostics, WB_OK};
    run_statement(&recording, "BEGIN IMMEDIATE");
    forget(&recording, unit->id);
    put_unit(&recording, unit, run, outcome);
    const int64_t number = sqlite3_last_insert_rowid(results->database);
    for (size_t i = 0; i < unit->parameter_count; i++)
        put_parameter(&recording, number, i, &unit->parameters[i]);
    for (size_t i = 0; i < outcome->numbers.count; i++)
        put_number(&recording, number, i, &outcome->numbers.items[i]);
    run_statement(&recording, "COMMIT");
    if (recording.status != WB_OK) (void)sqlite3_exec(results->database, "ROLLBACK", NULL, NULL, NULL);
    return recording.status;
}

/* Reading a report, as a pass. */
struct outcome_pass {
    const wb_run *run;
    const json_t *report;
    struct arena *arena;
    struct outcome *outcome;
};

static void read_outcome(void *context) {
    const struct outcome_pass *pass = context;
    *pass->outcome = outcome_read(pass->run, pass->report, pass->arena);
}

wb_status wb_results_add(wb_results *results, const wb_sweep_unit *unit, const wb_run *run,
                         wb_diagnostics *diagnostics, wb_outcome *outcome) {
    struct arena arena = {0};
    struct outcome found;
    json_t *report = outcome_parse(run->report, run->report_size);
    struct outcome_pass pass = {run, report, &arena, &found};
    wb_status status = arena_protect(&arena, read_outcome, &pass) == WB_OK
                           ? record(results, unit, run, &found, diagnostics)
                           : diagnose_out_of_memory(diagnostics, results->path);
    if (status == WB_OK)
        *outcome = outcome_of(unit, found.status, found.state != NULL ? found.state : "",
                              found.deadline != NO_CYCLES);
    json_decref(report);
    arena_free(&arena);
    return status;
}

/* ---- What is run again -----------------------------------------------------------------------------------
 */

/* Whether there is a row of the unit, and no result. */
static bool has_failed(struct recording *recording, const char *id) {
    sqlite3_stmt *row = begin_row(recording, "SELECT 1 FROM unit WHERE id = ? AND status <> 'done'");
    if (row == NULL) return false;
    bind_text(row, 1, id);
    const int step = sqlite3_step(row);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        recording->status = database_error(recording->results, recording->diagnostics);
    sqlite3_finalize(row);
    return step == SQLITE_ROW;
}

wb_status wb_results_forget_failures(wb_results *results, wb_sweep *sweep, wb_diagnostics *diagnostics) {
    struct recording recording = {results, diagnostics, WB_OK};
    wb_sweep_unit *unit = NULL;
    run_statement(&recording, "BEGIN IMMEDIATE");
    wb_sweep_rewind(sweep);
    while (recording.status == WB_OK) {
        recording.status = wb_sweep_next(sweep, diagnostics, &unit);
        if (recording.status != WB_OK || unit == NULL) break;
        if (has_failed(&recording, unit->id)) forget(&recording, unit->id);
        wb_sweep_unit_free(unit);
    }
    wb_sweep_rewind(sweep);
    run_statement(&recording, "COMMIT");
    if (recording.status != WB_OK) (void)sqlite3_exec(results->database, "ROLLBACK", NULL, NULL, NULL);
    return recording.status;
}
