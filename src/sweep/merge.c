/* Merging: what one database has, put into another. */
#include "sweep/database.h"

/* Units of the other one that are taken: new ones, and those that have a result or replace none. Their
 * numbers are moved behind the largest one that is there. */
static const char merge[] =
    "BEGIN IMMEDIATE;"
    "CREATE TEMP TABLE taken AS SELECT theirs.number AS theirs, ours.number AS ours FROM other.unit AS theirs"
    " LEFT JOIN main.unit AS ours ON ours.id = theirs.id"
    " WHERE ours.id IS NULL OR theirs.status = 'done' OR ours.status <> 'done';"
    "CREATE TEMP TABLE moved AS SELECT coalesce(max(number), 0) AS by FROM main.unit;"
    "DELETE FROM main.number WHERE unit IN (SELECT ours FROM taken);"
    "DELETE FROM main.parameter WHERE unit IN (SELECT ours FROM taken);"
    "DELETE FROM main.unit WHERE number IN (SELECT ours FROM taken);"
    "INSERT INTO main.unit SELECT number + by, id, key, version, status, message, state, scope, method, "
    "bound,"
    " slowest, deadline, seconds, time_limit, memory_limit FROM other.unit, moved"
    " WHERE number IN (SELECT theirs FROM taken);"
    "INSERT INTO main.parameter SELECT unit + by, position, name, value FROM other.parameter, moved"
    " WHERE unit IN (SELECT theirs FROM taken);"
    "INSERT INTO main.number SELECT unit + by, position, scope, data, what, name, kind, cycles, lower, note"
    " FROM other.number, moved WHERE unit IN (SELECT theirs FROM taken);"
    "DROP TABLE taken; DROP TABLE moved;"
    "COMMIT;";

/* Makes the other database known as `other`, for as long as the merge takes. */
static wb_status attach(const wb_results *results, const char *path, wb_diagnostics *diagnostics) {
    sqlite3_stmt *statement = database_prepare(results, "ATTACH DATABASE ? AS other", diagnostics);
    if (statement == NULL) return WB_ERR_INPUT;
    (void)sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    const wb_status status =
        sqlite3_step(statement) == SQLITE_DONE ? WB_OK : database_error(results, diagnostics);
    sqlite3_finalize(statement);
    return status;
}

wb_status wb_results_merge(wb_results *results, const char *from, wb_diagnostics *diagnostics) {
    wb_results *other = NULL;
    wb_status status =
        wb_results_open(from, false, diagnostics, &other); /* which says what is wrong with it */
    wb_results_free(other);
    if (status == WB_OK) status = attach(results, from, diagnostics);
    if (status != WB_OK) return status;
    if (sqlite3_exec(results->database, merge, NULL, NULL, NULL) != SQLITE_OK) {
        status = database_error(results, diagnostics);
        (void)sqlite3_exec(results->database, "ROLLBACK", NULL, NULL, NULL);
    }
    (void)sqlite3_exec(results->database, "DETACH DATABASE other", NULL, NULL, NULL);
    return status;
}
