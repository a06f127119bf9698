/* Merging: what other databases have, put into one. */
#include "base/base.h"
#include "wings/sweep/database.h"

/* Databases that are merged in one transaction: SQLite attaches ten at most. The checksums of units fall
 * anywhere in their index, so that a transaction writes much of it, however little it adds. */
#define MERGED_AT_ONCE 10u

/* Most of the database that is kept in memory meanwhile, as SQLite has it: minus so many KiB. */
#define CACHE "PRAGMA main.cache_size=-262144;"

/* Units of the other one that are taken: new ones, and those that have a result or replace none. Their
 * numbers are moved behind the largest one that is there. */
static const char merge[] =
    "CREATE TEMP TABLE taken AS SELECT theirs.number AS theirs, ours.number AS ours FROM %s.unit AS theirs"
    " LEFT JOIN main.unit AS ours ON ours.id = theirs.id"
    " WHERE ours.id IS NULL OR theirs.status = 'done' OR ours.status <> 'done';"
    "CREATE TEMP TABLE moved AS SELECT coalesce(max(number), 0) AS by FROM main.unit;"
    "DELETE FROM main.number WHERE unit IN (SELECT ours FROM taken);"
    "DELETE FROM main.parameter WHERE unit IN (SELECT ours FROM taken);"
    "DELETE FROM main.unit WHERE number IN (SELECT ours FROM taken);"
    "INSERT INTO main.unit SELECT number + by, id, key, version, status, message, state, scope, method, "
    "bound,"
    " slowest, deadline, seconds, time_limit, memory_limit FROM %s.unit, moved"
    " WHERE number IN (SELECT theirs FROM taken);"
    "INSERT INTO main.parameter SELECT unit + by, position, name, value FROM %s.parameter, moved"
    " WHERE unit IN (SELECT theirs FROM taken);"
    "INSERT INTO main.number SELECT unit + by, position, scope, data, what, name, kind, cycles, lower, note"
    " FROM %s.number, moved WHERE unit IN (SELECT theirs FROM taken);"
    "DROP TABLE taken; DROP TABLE moved;";

/* What a database is attached as. */
struct attached {
    char name[32];
};

static struct attached attached_at(size_t index) {
    struct attached attached;
    (void)text_format(attached.name, sizeof attached.name, "part%zu", index);
    return attached;
}

static wb_status attach(const wb_results *results, const char *path, size_t index,
                        wb_diagnostics *diagnostics) {
    const struct attached attached = attached_at(index);
    sqlite3_stmt *statement = database_prepare(results, "ATTACH DATABASE ? AS ?", diagnostics);
    if (statement == NULL) return database_failed(diagnostics);
    (void)sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(statement, 2, attached.name, -1, SQLITE_STATIC);
    const wb_status status =
        sqlite3_step(statement) == SQLITE_DONE ? WB_OK : database_error(results, diagnostics);
    sqlite3_finalize(statement);
    return status;
}

static wb_status merge_attached(const wb_results *results, size_t index, wb_diagnostics *diagnostics) {
    const struct attached attached = attached_at(index);
    char sql[sizeof merge + 4 * sizeof attached.name];
    (void)text_format(sql, sizeof sql, merge, attached.name, attached.name, attached.name, attached.name);
    return database_execute(results, sql, diagnostics);
}

/* Opens it for a moment, which says what is wrong with it. */
static wb_status check(const char *path, wb_diagnostics *diagnostics) {
    wb_results *other = NULL;
    const wb_status status = wb_results_open(path, false, diagnostics, &other);
    wb_results_free(other);
    return status;
}

/* A few databases: all of them or none. */
static wb_status merge_few(const wb_results *results, const char *const *paths, size_t count,
                           wb_diagnostics *diagnostics) {
    /* Before any is attached, so that only the one that is written to is locked: one may be named twice. */
    wb_status status = database_execute(results, CACHE "BEGIN IMMEDIATE", diagnostics);
    size_t attached = 0;
    for (; status == WB_OK && attached < count; attached++) {
        status = check(paths[attached], diagnostics);
        if (status == WB_OK) status = attach(results, paths[attached], attached, diagnostics);
        if (status != WB_OK) break;
    }
    for (size_t i = 0; status == WB_OK && i < count; i++)
        status = merge_attached(results, i, diagnostics);
    if (status == WB_OK) status = database_execute(results, "COMMIT", diagnostics);
    if (status != WB_OK) (void)sqlite3_exec(results->database, "ROLLBACK", NULL, NULL, NULL);
    for (size_t i = 0; i < attached; i++) {
        char sql[64];
        (void)text_format(sql, sizeof sql, "DETACH DATABASE %s", attached_at(i).name);
        (void)sqlite3_exec(results->database, sql, NULL, NULL, NULL);
    }
    return status;
}

wb_status wb_results_merge(wb_results *results, const char *const *paths, size_t count,
                           wb_diagnostics *diagnostics) {
    wb_status status = WB_OK;
    for (size_t i = 0; status == WB_OK && i < count; i += MERGED_AT_ONCE)
        status = merge_few(results, paths + i, count - i < MERGED_AT_ONCE ? count - i : MERGED_AT_ONCE,
                           diagnostics);
    return status;
}
