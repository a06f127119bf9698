#include "wings/sweep/database.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "wings/sweep/sweep.h"

/* A read of all units, as a pass; statements lie outside of it. */
struct reading {
    const wb_results *results;
    struct arena *arena; /* protected */
    struct stored_units *stored;
    sqlite3_stmt *names, *units, *parameters;
    int error; /* of SQLite; SQLITE_DONE: none */
};

static const char *keep(const struct reading *reading, const char *text) {
    return arena_printable(reading->arena, text, strlen(text));
}

int stored_compare(const char *a, const char *b) {
    double of_a, of_b;
    if (a == NULL || b == NULL) return (a != NULL) - (b != NULL);
    const bool a_is_number = number_f64(a, strlen(a), &of_a), b_is_number = number_f64(b, strlen(b), &of_b);
    if (a_is_number != b_is_number) return a_is_number ? -1 : 1;
    if (a_is_number && of_a != of_b) return of_a < of_b ? -1 : 1;
    return strcmp(a, b);
}

static int compare_columns(const void *a, const void *b) {
    return axis_compare(*(const char *const *)a, *(const char *const *)b);
}

static void read_columns(struct reading *reading) {
    while ((reading->error = sqlite3_step(reading->names)) == SQLITE_ROW)
        arena_push(reading->arena, &reading->stored->columns, keep(reading, column_text(reading->names, 0)));
    if (reading->stored->columns.count > 1)
        qsort(reading->stored->columns.items, reading->stored->columns.count,
              sizeof *reading->stored->columns.items, compare_columns);
}

/* As record.c has them: numbers, or digits. */
static uint64_t count_or_none(sqlite3_stmt *row, int column) {
    const char *digits = column_text(row, column);
    uint64_t count = NO_CYCLES;
    if (sqlite3_column_type(row, column) == SQLITE_INTEGER)
        return (uint64_t)sqlite3_column_int64(row, column);
    (void)number_u64(digits, strlen(digits), &count);
    return count;
}

static void read_units(struct reading *reading) {
    struct stored_units *stored = reading->stored;
    sqlite3_stmt *row = reading->units;
    while ((reading->error = sqlite3_step(row)) == SQLITE_ROW) {
        struct stored_unit unit = {.number = sqlite3_column_int64(row, 0),
                                   .id = keep(reading, column_text(row, 1)),
                                   .status = keep(reading, column_text(row, 2)),
                                   .message = keep(reading, column_text(row, 3)),
                                   .state = keep(reading, column_text(row, 4)),
                                   .scope = keep(reading, column_text(row, 5)),
                                   .method = keep(reading, column_text(row, 6)),
                                   .bound = count_or_none(row, 7),
                                   .slowest = count_or_none(row, 8),
                                   .deadline = count_or_none(row, 9)};
        unit.values = arena_array(reading->arena, stored->columns.count + 1, sizeof *unit.values);
        arena_push(reading->arena, &stored->units, unit);
    }
}

size_t stored_column(const struct stored_units *stored, const char *name) {
    size_t column = 0;
    while (column < stored->columns.count && strcmp(stored->columns.items[column], name) != 0)
        column++;
    return column;
}

/* The name probably meant: also "n" where there is "arguments.n". */
static const char *nearest_column(const struct stored_units *stored, const char *name) {
    for (size_t i = 0; i < stored->columns.count; i++) {
        const char *point = strrchr(stored->columns.items[i], '.');
        if (point != NULL && strcmp(point + 1, name) == 0) return stored->columns.items[i];
    }
    return wb_nearest_name(name, stored->columns.items, stored->columns.count);
}

size_t stored_named_column(const struct stored_units *stored, const char *option, const char *name,
                           wb_diagnostics *diagnostics) {
    const size_t column = stored_column(stored, name);
    if (column < stored->columns.count) return column;
    const char *nearest = nearest_column(stored, name);
    diagnose(diagnostics, SEVERITY_ERROR, option, "no unit has a parameter '%.60s'%s%s%s", name,
             nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
             nearest != NULL ? "'?" : "");
    return column;
}

/* Keeps those that match one condition. */
static wb_status choose(struct stored_units *stored, const char *condition, wb_diagnostics *diagnostics) {
    char name[100];
    const size_t length = strcspn(condition, "=");
    if (condition[length] == '\0' || length >= sizeof name) {
        diagnose(diagnostics, SEVERITY_ERROR, "--where", "expected NAME=VALUE, got '%.60s'", condition);
        return WB_ERR_INPUT;
    }
    memcpy(name, condition, length);
    name[length] = '\0';
    const bool is_status = strcmp(name, "status") == 0, is_verdict = strcmp(name, "verdict") == 0;
    const size_t column =
        is_status || is_verdict ? 0 : stored_named_column(stored, "--where", name, diagnostics);
    if (!is_status && !is_verdict && column == stored->columns.count) return WB_ERR_INPUT;
    size_t kept = 0;
    for (size_t i = 0; i < stored->units.count; i++) {
        const struct stored_unit *unit = &stored->units.items[i];
        const char *value = is_status ? unit->status : is_verdict ? unit->state : unit->values[column];
        if (value != NULL && fnmatch(condition + length + 1, value, 0) == 0)
            stored->units.items[kept++] = *unit;
    }
    stored->units.count = kept;
    return WB_OK;
}

wb_status stored_choose(struct stored_units *stored, const char *const *where, size_t count,
                        wb_diagnostics *diagnostics) {
    for (size_t w = 0; w < count; w++)
        WB_TRY(choose(stored, where[w], diagnostics));
    return WB_OK;
}

/* The parameters come unit by unit, as the units do. */
static void read_parameters(struct reading *reading) {
    struct stored_units *stored = reading->stored;
    size_t unit = 0;
    while ((reading->error = sqlite3_step(reading->parameters)) == SQLITE_ROW) {
        const int64_t number = sqlite3_column_int64(reading->parameters, 0);
        while (unit < stored->units.count && stored->units.items[unit].number < number)
            unit++;
        const size_t column = stored_column(stored, column_text(reading->parameters, 1));
        if (unit == stored->units.count || stored->units.items[unit].number != number) continue;
        if (column < stored->columns.count)
            stored->units.items[unit].values[column] = keep(reading, column_text(reading->parameters, 2));
    }
}

static void read_pass(void *context) {
    struct reading *reading = context;
    read_columns(reading);
    if (reading->error == SQLITE_DONE) read_units(reading);
    if (reading->error == SQLITE_DONE) read_parameters(reading);
}

static int compare_units(const void *a, const void *b, void *context) {
    const struct stored_unit *left = a, *right = b;
    const struct stored_units *stored = context;
    for (size_t i = 0; i < stored->columns.count; i++) {
        const int order = stored_compare(left->values[i], right->values[i]);
        if (order != 0) return order;
    }
    return strcmp(left->id, right->id);
}

wb_status stored_read(const wb_results *results, struct arena *arena, wb_diagnostics *diagnostics,
                      struct stored_units *stored) {
    struct reading reading = {.results = results, .arena = arena, .stored = stored, .error = SQLITE_ERROR};
    *stored = (struct stored_units){0};
    reading.names = database_prepare(results, "SELECT DISTINCT name FROM parameter", diagnostics);
    reading.units =
        database_prepare(results,
                         "SELECT number, id, status, message, state, scope, method, bound, slowest,"
                         " deadline FROM unit ORDER BY number",
                         diagnostics);
    reading.parameters = database_prepare(
        results, "SELECT unit, name, value FROM parameter ORDER BY unit, position", diagnostics);
    const bool prepared = reading.names != NULL && reading.units != NULL && reading.parameters != NULL;
    wb_status status = prepared ? arena_protect(arena, read_pass, &reading) : database_failed(diagnostics);
    if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(diagnostics, results->path);
    if (status == WB_OK && reading.error != SQLITE_DONE) status = database_error(results, diagnostics);
    sqlite3_finalize(reading.names);
    sqlite3_finalize(reading.units);
    sqlite3_finalize(reading.parameters);
    if (status == WB_OK && stored->units.count > 1)
        qsort_r(stored->units.items, stored->units.count, sizeof *stored->units.items, compare_units, stored);
    return status;
}

wb_status stored_numbers(const wb_results *results, const struct stored_unit *unit,
                         wb_diagnostics *diagnostics,
                         void (*each)(void *context, const struct outcome_number *number), void *context) {
    sqlite3_stmt *row =
        database_prepare(results,
                         "SELECT scope, data, what, name, kind, cycles, lower, note FROM number"
                         " WHERE unit = ? ORDER BY position",
                         diagnostics);
    if (row == NULL) return database_failed(diagnostics);
    (void)sqlite3_bind_int64(row, 1, unit->number);
    int step;
    while ((step = sqlite3_step(row)) == SQLITE_ROW) {
        const struct outcome_number number = {
            .scope = column_text(row, 0),
            .data = column_text(row, 1),
            .what = column_text(row, 2),
            .name = column_text(row, 3),
            .kind = column_text(row, 4),
            .has_cycles = sqlite3_column_type(row, 5) != SQLITE_NULL,
            .cycles = count_or_none(row, 5),
            .lower = count_or_none(row, 6),
            .note = sqlite3_column_type(row, 7) != SQLITE_NULL ? column_text(row, 7) : NULL,
        };
        each(context, &number);
    }
    wb_status status = step == SQLITE_DONE ? WB_OK : database_error(results, diagnostics);
    sqlite3_finalize(row);
    return status;
}
